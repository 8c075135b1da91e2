"""Notebook 06, the lesson `biased`: why one thread's plain loop makes another thread late, once, after four seconds.

JDK 8 switches biased locks on when it is four seconds old, and stops all threads for that. A counted loop without a
poll makes that stop long; without the request, or with a poll in the loop, nobody is late.
"""
