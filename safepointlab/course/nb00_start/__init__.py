"""Notebook 00, where the course starts: a program whose main returns, and a JVM that does not exit.

A JVM stops all threads for its own work (a safepoint), and can only wait until each of them has stopped. The page shows
the lab's few calls on the way: one run, its log as a table and as a picture, and a sweep over the JDKs.
"""
