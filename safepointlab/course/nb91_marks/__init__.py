"""Notebook 91, the lesson `marks`."""
