"""Notebook 02: a program that should exit after 0.6 s, and hangs with Serial on every JDK.

Its thread runs a counted loop from which C2 has left out the poll, so that it never reaches the last safepoint. With G1
on JDK 10 and later the loop has a poll (strip mining), and of the cures that are passed around all but one work.
"""
