"""Lesson 24: a wait for which no thread of the program is to blame.

The JVM stands still because its log is written into a pipe that isn't read, because a mapped file has to come from the
disk, or because the whole process is stopped. In the end five runs without a name are told apart by their evidence.
"""
