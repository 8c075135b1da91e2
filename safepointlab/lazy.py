"""A package and a list of its names -> that package, with each name imported when it is first asked for.

A name may also be that of another module below the package: `plot.safepoints` is a function, plot/safepoints.py a
module, and `lab.claims` is course/verdicts.py, not claims/. What `_places` says wins: Python would put the module in
its place as soon as anybody imports it.
"""

import sys
from collections.abc import Mapping
from importlib import import_module
from types import ModuleType
from typing import Any


class LazyPackage(ModuleType):
    """A package that looks up its public names in `_places`: "run.launch:java" in a module, "plot" a module."""

    _places: Mapping[str, str]

    def __getattr__(self, name: str) -> Any:
        if name not in self._places:
            known = ", ".join(sorted(self._places))
            raise AttributeError(f"{self.__name__} has no {name!r}. It has: {known}")
        place, _, inside = self._places[name].partition(":")
        module = import_module(f"{self.__name__}.{place}")
        self.__dict__[name] = value = getattr(module, inside) if inside else module
        return value

    def __setattr__(self, name: str, value: object) -> None:
        place = f"{self.__name__}.{self._places.get(name, name)}"
        if not isinstance(value, ModuleType) or value.__name__ == place:
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted(self._places)


def lazily(package: str, places: Mapping[str, str]) -> None:
    """Make a package lazy; `places` says where below it each public name stands: "module" or "module:name in it"."""
    module = sys.modules[package]
    module.__dict__["_places"] = dict(places)
    module.__class__ = LazyPackage
