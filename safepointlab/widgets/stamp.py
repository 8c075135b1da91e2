"""A page -> the stamp of its results, with a line more if the reader's copy of the page is out of date."""

from dataclasses import replace

from safepointlab.run import stamp as _stamp
from safepointlab.widgets import copies


def stamp(jmh: str = "") -> _stamp.Stamp:
    """The stamp of this machine, now; with JMH's options it also says how many forks and iterations there were."""
    return replace(_stamp.stamp(jmh), outdated=copies.outdated())
