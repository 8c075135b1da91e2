"""Lesson 22: when does the clock of a request start?

A load generator keeps three times of each request, and its JVM is stopped on the way: only the time since the request
was due shows the stop. In a closed loop the stop delays requests that are never sent, so that no percentile tells of it
(coordinated omission). A rate limiter hides an overload in the same way, and a schedule shows it.
"""
