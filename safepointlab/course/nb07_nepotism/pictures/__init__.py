"""The pictures of notebook 07: a queue's nodes in the heap, the same to step through, and who waits for a collector."""

from safepointlab.course.nb07_nepotism.pictures.steps import queue_steps
from safepointlab.course.nb07_nepotism.pictures.tiles import collectors, zombies

__all__ = ["collectors", "queue_steps", "zombies"]
