"""A table of what the JVM logged -> a picture: `plot.NAME(frame)` calls the function NAME of the file plot/NAME.py.

A new picture is a new file and changes no old one: the folder is the list. Nothing is imported before it is asked for,
because matplotlib alone takes longer to load than all the rest of the lab.

    >>> from safepointlab import plot
    >>> "safepoints" in dir(plot)
    True
"""

import sys
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

_SHARED = {"style"}  # the common look; every other file of the folder is a picture, but for those that begin with "_"


class _Plots(ModuleType):
    """This package: a picture's function stands under its name, where Python would put the file's module."""

    def __setattr__(self, name: str, value: object) -> None:
        if isinstance(value, ModuleType):
            value = getattr(value, name, value)
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Plots


def names() -> list[str]:
    """The pictures that there are, by file name."""
    found = {module.name for module in iter_modules(__path__)}
    return sorted(name for name in found - _SHARED if not name.startswith("_"))


def __getattr__(name: str) -> Any:
    if name not in names():
        raise AttributeError(f"no picture {name!r}; the lab draws: {', '.join(names())}")
    return getattr(import_module(f"{__name__}.{name}"), name)


def __dir__() -> list[str]:
    return [*names(), "names", "style"]
