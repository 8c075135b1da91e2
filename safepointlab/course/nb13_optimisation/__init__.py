"""Notebook 13, the lesson `optimisation`."""
