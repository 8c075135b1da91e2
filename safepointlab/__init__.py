"""Safepoint Lab: `import safepointlab as lab`, and every arrow of the lab's one flow is a function of `lab`.

`Jdk → javac/ecj → Program → java → Run → read → DataFrame → plot → claim (verdict) → explanation`

Each name is imported when it is first used: pandas and matplotlib cost more than all the rest, and `safepoint --help`
needs none of it.
"""

from typing import TYPE_CHECKING

from safepointlab.lazy import lazily

if TYPE_CHECKING:
    from safepointlab import claims, errors, plot, read
    from safepointlab.commands import doctor
    from safepointlab.jdks.finder import find as installed_jdks
    from safepointlab.jdks.finder import get as jdk
    from safepointlab.late.command import late
    from safepointlab.programs.build import ecj, javac
    from safepointlab.programs.excerpt import excerpt
    from safepointlab.run.jmh import jmh
    from safepointlab.run.launch import java
    from safepointlab.run.load import load
    from safepointlab.run.stops import stops
    from safepointlab.run.sweep import sweep
    from safepointlab.session.exercises import check
    from safepointlab.session.profile import by_effort, missing_jdks, versions
    from safepointlab.session.stamp import stamp

__version__ = "0.1.0"
__all__ = [
    "by_effort", "check", "claims", "doctor", "ecj", "errors", "excerpt", "installed_jdks", "java", "javac", "jdk",
    "jmh", "late", "load", "missing_jdks", "plot", "read", "stamp", "stops", "sweep", "versions",
]  # fmt: skip

lazily(
    __name__,
    {
        "by_effort": "session.profile:by_effort",
        "check": "session.exercises:check",
        "claims": "claims",
        "doctor": "commands.doctor",
        "ecj": "programs.build:ecj",
        "errors": "errors",
        "excerpt": "programs.excerpt:excerpt",
        "installed_jdks": "jdks.finder:find",
        "java": "run.launch:java",
        "javac": "programs.build:javac",
        "jdk": "jdks.finder:get",
        "jmh": "run.jmh:jmh",
        "late": "late.command:late",
        "load": "run.load:load",
        "missing_jdks": "session.profile:missing_jdks",
        "plot": "plot",
        "read": "read",
        "stamp": "session.stamp:stamp",
        "stops": "run.stops:stops",
        "sweep": "run.sweep:sweep",
        "versions": "session.profile:versions",
    },
)
