"""Notebook 91, the lesson `marks`: an object's lock read bit by bit in its mark word.

The word says whether a lock is free, biased, thin or fat; what else it says has changed from JDK to JDK. A bias made
locking cheap for an object's first owner and expensive for the second; JDK 18 removed it.
"""
