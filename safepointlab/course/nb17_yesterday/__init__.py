"""Notebook 17: what an AOT cache with yesterday's profiles does to a loop of today, on JDK 25 and later.

C2 compiles a method from the profile of the training run. So it compiles a loop that hasn't run today, and leaves out
its poll; or it leaves out a loop that has run today, and a thread that gets there is saved by a trap.
"""
