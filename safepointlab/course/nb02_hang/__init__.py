"""Notebook 02, the lesson `hang`."""
