"""The name of a question, an exercise or a panel of a page -> what the reader sees, answers and touches there.

The texts and the truth stand with the topics (`topics/TOPIC_page.py`); here is what all pages have in common.
"""
