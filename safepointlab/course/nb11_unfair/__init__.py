"""Notebook 11, the lesson `unfair`."""
