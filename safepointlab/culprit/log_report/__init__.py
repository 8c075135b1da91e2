"""Logs that a user brings -> one HTML page that holds everything: `parts` reads, `tables` sum up, `page` shows.

Of a folder that `safepoint late` kept, `kept` says what the lab itself did to the JVM.
"""
