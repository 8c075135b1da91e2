"""A request (a sample, a JDK, flags, logs) -> a Run: one child JVM that has ended, with its logs as tables."""
