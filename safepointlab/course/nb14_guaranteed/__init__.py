"""Notebook 14, the lesson `guaranteed`."""
