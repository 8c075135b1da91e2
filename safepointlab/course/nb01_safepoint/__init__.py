"""Notebook 01: what a safepoint is, and why the JVM can't just freeze a thread.

A thread can be stopped only where the JVM knows its references: at a poll, or while it is outside of Java. So a global
stop is reached when the slowest thread gets to its next poll, and a handshake asks one thread alone.
"""
