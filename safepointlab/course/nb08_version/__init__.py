"""Notebook 08, the lesson `version`: a home-made benchmark measures an OSR version, and a server runs the standard one.

It runs the samples of the lesson `osr`, whose claims read the same measurement (`nb04_osr.benchmark`).
"""
