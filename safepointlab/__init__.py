"""Safepoint Lab."""
