"""Logs that a user brings -> one HTML page that holds everything: `parts` reads, `tables` sum up, `page` shows."""
