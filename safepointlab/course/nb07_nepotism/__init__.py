"""Notebook 07, the lesson `nepotism`."""
