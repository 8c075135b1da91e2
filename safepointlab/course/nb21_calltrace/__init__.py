"""Lesson 21: what does a profiler miss when it doesn't wait?

AsyncGetCallTrace walks a stack from a signal handler, wherever the thread is: it finds loops that thread dumps miss,
and loses the whole stack in a stub. JFR drops such samples, or names the method with the next poll; and a stack that is
found may still name the neighbour of the slow instruction.
"""
