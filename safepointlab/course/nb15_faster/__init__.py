"""Notebook 15, the lesson `faster`."""
