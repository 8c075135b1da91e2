"""A topic's experiments by name, written once: notebook, claims and tests call them.

hang.killer(8)               one run, its sample, flags, arguments and logs said here and nowhere else
outputs()                    readers of what the samples themselves print, by name, as read.kinds() has the JVM's logs
"""

from functools import cache
from types import ModuleType

from safepointlab.read import readers_in


@cache
def outputs() -> dict[str, ModuleType]:
    """The readers of the samples' own output, by the name of what they read."""
    return readers_in(__name__, __path__)
