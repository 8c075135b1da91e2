"""Notebook 18: a stop doesn't wait for parked virtual threads, however many there are; other things about them wait.

Their stacks are objects in the heap, so it's the collections that get longer. And virtual threads that compute without
ever blocking keep their carriers, so that all other virtual threads wait for them, whether or not a stop is requested.
"""
