"""Notebook 13: why a loop that keeps its poll takes many times as long as one that doesn't.

C2 does less with a loop whose iterations it cannot count: no unrolling, no vectors, no range checks taken out. These
make up most of the difference, and the poll itself hardly any. Since JDK 19 polls and vectors go together in one loop.
"""
