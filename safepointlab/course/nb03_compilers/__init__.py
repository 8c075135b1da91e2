"""Notebook 03, the lesson `compilers`."""
