"""A table of what the JVM logged -> a picture: `plot.NAME(frame)` returns matplotlib's Axes, with the finding as title.

A picture is imported when it is first used, because matplotlib alone takes longer to load than the rest of the lab.

    >>> from safepointlab import plot
    >>> "safepoints" in dir(plot)
    True
"""

from typing import TYPE_CHECKING, Any

from safepointlab.lazy import lazily

_MODULES = {  # module -> its pictures
    "amounts": ["amounts"],
    "arrivals": ["arrivals"],
    "by_jdk": ["by_jdk"],
    "by_size": ["growth", "stop_parts"],
    "class_results": ["guesses", "laptops"],
    "code": ["code"],
    "compilations": ["compilations"],
    "flame": ["flame", "flame_svg"],
    "late": ["late"],
    "latency": ["hdr_percentiles", "latency"],
    "loop_shape": ["loop_shape"],
    "mark_word": ["mark_word"],
    "outcomes": ["outcomes"],
    "percentiles": ["percentiles"],
    "promotion": ["promotion"],
    "safepoints": ["safepoints"],
    "scores": ["scores"],
    "stall": ["stall"],
    "thread_lanes": ["one_safepoint"],
    "tiers": ["tiers"],
    "timeline": ["timeline"],
    "victim_culprit": ["victim_culprit"],
    "who_waits": ["who_waits"],
}
_PLACES = {name: f"{module}:{name}" for module, pictures in _MODULES.items() for name in pictures}


def names() -> list[str]:
    """The names of all pictures."""
    return sorted(_PLACES)


if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


lazily(__name__, _PLACES | {"style": "style"})
