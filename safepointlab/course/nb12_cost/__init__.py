"""Notebook 12, the lesson `cost`."""
