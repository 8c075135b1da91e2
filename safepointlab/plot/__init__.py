"""A table of what the JVM logged -> a picture: `plot.NAME(frame)` calls the function NAME of the file plot/NAME.py.

A new picture is a new file and changes no other one: the folder is the list. A picture is imported when it is first
used, because matplotlib alone takes longer to load than the rest of the lab.

    >>> from safepointlab import plot
    >>> "safepoints" in dir(plot)
    True
"""

from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

from safepointlab.lazy import lazily

_SHARED = {
    "interactive",
    "style",
}  # the common look; every other file of the folder is a picture, unless its name begins with "_"


def names() -> list[str]:
    """The names of all pictures, which are those of their files."""
    files = {module.name for module in iter_modules(__path__)}
    return sorted(name for name in files - _SHARED if not name.startswith("_"))


if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


lazily(__name__, {name: f"{name}:{name}" for name in names()} | {"style": "style"})
