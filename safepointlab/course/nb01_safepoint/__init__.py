"""Notebook 01, the lesson `safepoint`."""
