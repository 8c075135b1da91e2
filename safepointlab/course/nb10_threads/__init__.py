"""Notebook 10, the lesson `threads`."""
