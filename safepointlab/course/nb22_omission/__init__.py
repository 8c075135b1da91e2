"""Notebook 22, the lesson `omission`."""
