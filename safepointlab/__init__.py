"""Safepoint Lab: `import safepointlab as lab`, and every arrow of the lab's one flow is a function of `lab`.

`Jdk → javac/ecj → Program → java → Run → read → DataFrame → plot → claim (verdict) → explanation`

Frames and pictures are imported when they are first used: pandas and matplotlib cost more than all the rest.
"""

import importlib
from types import ModuleType
from typing import TYPE_CHECKING

from safepointlab import errors
from safepointlab.bench import jmh
from safepointlab.build import ecj, javac
from safepointlab.excerpt import excerpt
from safepointlab.exercise import check
from safepointlab.jdks import find, get
from safepointlab.late import late
from safepointlab.launch import forget, java
from safepointlab.profile import pick, skipped, versions
from safepointlab.run import load
from safepointlab.stamp import stamp
from safepointlab.stops import stops
from safepointlab.sweep import sweep

if TYPE_CHECKING:
    from safepointlab import claims, doctor, plot, read

__version__ = "0.1.0"
__all__ = [
    "check", "claims", "doctor", "ecj", "errors", "excerpt", "find", "forget", "get", "java", "javac", "jmh", "late",
    "load", "pick", "plot", "read", "skipped", "stamp", "stops", "sweep", "versions",
]  # fmt: skip


def __getattr__(name: str) -> ModuleType:
    if name in ("claims", "doctor", "plot", "read"):
        return importlib.import_module(f"safepointlab.{name}")
    raise AttributeError(f"safepointlab has no {name!r}. It has: {', '.join(__all__)}")


def __dir__() -> list[str]:
    return __all__
