"""Notebook 05, the lesson `counted`."""
