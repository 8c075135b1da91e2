"""Lesson 13: what a poll costs a loop, by itself and by what it prevents.

A loop that keeps its poll may take ten times as long as one that doesn't, because C2 does less with it. The poll itself
makes hardly any difference, but until JDK 18 a loop with a poll in each iteration had no vectors.
"""
