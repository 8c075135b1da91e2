"""Notebook 00, the lesson `start`."""
