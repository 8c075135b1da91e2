"""A session's settings -> how much runs, how far it is, on which machine and when; the reader's inputs and answers."""
