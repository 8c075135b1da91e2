"""Notebook 07, the lesson `nepotism`: why an empty linked queue fills the heap, and how a queue avoids it.

A young collection takes every pointer from an old object to a young one as a root, whether or not the old object is
alive, so one dead old node keeps all nodes that were ever linked behind it. Cutting the link on `poll` cures it.
"""
