"""Lesson 10: what a pause costs the thread that requests it, one that sleeps and one that runs; what a crowd adds.

With more threads than cores a safepoint is reached later, because the VM thread waits for the last thread in the queue
for a core. The log's longest phase is then often the last one, in which the threads run and the VM thread waits.
"""
