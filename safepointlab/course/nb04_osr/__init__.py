"""Notebook 04, the lesson `osr`."""
