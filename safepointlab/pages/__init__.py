"""The name of a question, an exercise or a panel of a page -> what the reader sees, answers and touches there.

The texts and the answers are in the lessons' folders (`course/`); here is what all pages have in common.
"""
