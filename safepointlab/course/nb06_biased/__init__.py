"""Notebook 06, the lesson `biased`: why one thread's plain loop makes another thread late, once, after four seconds.

Four seconds after startup, JDK 8 switches biased locks on, and stops all threads for that. A counted loop without a
poll makes that pause long; without the request, or with a poll in the loop, no thread is late.
"""
