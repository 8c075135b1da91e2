"""Notebook 04, the lesson `osr`: a method's history decides which version of its code a thread runs.

C2 leaves a poll in a loop that OSR enters, and none in the standard version of the same loop; so a test may exit where
production hangs. What a home-made benchmark measures is notebook 08.
"""
