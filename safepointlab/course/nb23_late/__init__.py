"""Lesson 23: which thread is late for a safepoint, and in which line?

`lab.late` runs any Java command line and asks every witness that the JDK has: it names the loops of an old benchmark
that keep the JVM waiting, and the flags that cure them, and acquits a compiler. It also gets an answer from a JVM that
answers nobody, and shows that a thread may be late in code that no flag can give a poll.
"""
