"""Notebook 20, the lesson `blame`."""
