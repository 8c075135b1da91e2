"""Lesson 21: what a profiler sees that waits for nobody, and what it misses.

AsyncGetCallTrace walks a stack from a signal handler, wherever the thread is: it finds loops that thread dumps miss,
and loses the whole stack in a stub. JFR drops such samples, or names the method with the next poll; and a stack that is
found may still name the neighbour of the slow instruction.
"""
