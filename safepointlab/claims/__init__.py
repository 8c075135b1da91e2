"""A statement of a post -> a claim with a measure and a judge -> a verdict on each JDK, kept and compared.

Which claims there are is the course's business: each lesson's folder has its own (`course/lessons.py`).
"""
