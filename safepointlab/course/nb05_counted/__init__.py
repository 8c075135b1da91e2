"""Notebook 05, the lesson `counted`: which loops C2 counts, so that a thread in them can't be stopped before their end.

A clock (was the loop stopped in mid-loop?) and the machine code (has it a poll?) answer for 22 shapes of loop. With
Serial most are not stopped, and on JDK 17 and later not even a loop with a `long` index; G1's strip mining stops all.
"""
