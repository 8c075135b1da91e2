"""The pictures of lesson 20: whom profilers blame as tiles, and a call whose samples slide to the next poll."""

from safepointlab.course.nb20_blame.pictures.slide import sliding
from safepointlab.course.nb20_blame.pictures.tiles import blame

__all__ = ["blame", "sliding"]
