"""Lesson 10: what a stop costs a thread that asks for it, one that sleeps and one that runs, and what many threads add.

With more threads than cores a safepoint is reached later, because the VM thread waits for the last thread in the queue
for a core. The log's longest phase is then often the last one, in which the threads run again and the VM thread waits.
"""
