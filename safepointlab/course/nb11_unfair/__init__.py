"""Lesson 11: a thread with a long loop makes all others wait for each safepoint, and hardly pays for it itself.

The wait is as long as the way to that loop's next poll, which the collector decides: with Parallel and Serial C2 leaves
the poll out, with G1 it does not. Five flags bring a poll back, and the lesson measures what each of them costs.
"""
