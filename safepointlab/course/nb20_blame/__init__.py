"""Lesson 20: which profiler blames the right method? Several of them get a program of which we know the answer.

Thread dumps are taken at safepoints, so they name the method with the next poll, and that depends on the collector. JFR
and async-profiler sample between the polls, and find the hot loop if C2 keeps enough lines for it (DebugNonSafepoints).
"""
