"""Notebook 00, where the course starts: a program whose main returns, and a JVM that doesn't exit.

For its own work a JVM stops all threads (a safepoint), and it can only wait until each of them has stopped. The page
shows a JVM that waits without end, what a safepoint is, and its line in the log.
"""
