"""Notebook 04, the lesson `osr`: which version of a method's machine code a thread runs depends on the method's past.

C2 leaves a poll in a loop that OSR enters, and none in the standard version of the same loop; so a test may exit where
production hangs. A home-made benchmark often measures the OSR version, which takes another time.
"""
