"""Notebook 23, the lesson `late`."""
