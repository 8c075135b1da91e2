"""Notebook 06, the lesson `biased`."""
