"""Notebook 12, the lesson `cost`: what a safepoint takes once all threads have stopped.

A stop takes as long as its operation has to walk: stacks, live objects and, up to JDK 14, monitors. The same thread
dump takes longest on JDK 17, because of the memory that each frame took. Threads that have nothing to do with the dumps
pay for them, and asking for less is all that helps.
"""
