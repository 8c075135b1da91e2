"""Demos for a stage, the workshop folder of a class, and its pooled results."""
