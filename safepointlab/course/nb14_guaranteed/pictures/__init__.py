"""The pictures of lesson 14: round trips and stops, when the stops came, and what piles up without them."""

from safepointlab.course.nb14_guaranteed.pictures.grown import grown
from safepointlab.course.nb14_guaranteed.pictures.round_trips import round_trips
from safepointlab.course.nb14_guaranteed.pictures.stop_times import stop_times

__all__ = ["grown", "round_trips", "stop_times"]
