"""Notebook 21, the lesson `calltrace`."""
