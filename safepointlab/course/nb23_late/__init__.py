"""Lesson 23: which thread is late for a safepoint, and in which line?

`lab.late` runs any Java command line with every witness that the JDK has. It names the loops of an old benchmark that
keep the JVM waiting and the flags that cure them, gets an answer about a JVM that answers nothing any more, and shows
that a thread may be late in code that no flag can give a poll.
"""
