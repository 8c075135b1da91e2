"""Safepoint Lab: `import safepointlab as lab`, and every arrow of the lab's one flow is a function of `lab`.

`Jdk → javac/ecj → Program → java → Run → read → DataFrame → plot → claim (verdict) → explanation`

Each name is imported when it is first used: pandas and matplotlib cost more than all the rest, and `safepoint --help`
needs none of it.
"""

import sys
from typing import TYPE_CHECKING, Any

from safepointlab.lazy import lazily
from safepointlab.version import __version__ as __version__

if TYPE_CHECKING:
    from safepointlab import errors, logs, plot
    from safepointlab.cli import doctor
    from safepointlab.course import verdicts as claims
    from safepointlab.course.glossary import words
    from safepointlab.culprit.command import late
    from safepointlab.jdks.finder import find as installed_jdks
    from safepointlab.jdks.finder import get as jdk
    from safepointlab.jdks.jars import fetch as jar
    from safepointlab.run.build import ecj, javac
    from safepointlab.run.excerpt import excerpt
    from safepointlab.run.jmh import jmh
    from safepointlab.run.launch import java
    from safepointlab.run.load import load
    from safepointlab.run.profile import by_effort, missing_jdks, versions
    from safepointlab.run.stops import stops
    from safepointlab.run.sweep import sweep
    from safepointlab.teaching.pooling.pool import pool
    from safepointlab.teaching.pooling.share import share
    from safepointlab.widgets.copies import stamp
    from safepointlab.widgets.elsewhere import elsewhere
    from safepointlab.widgets.exercise import grade, template
    from safepointlab.widgets.expect import expect
    from safepointlab.widgets.panel import panel
    from safepointlab.widgets.predict import predict, reveal
    from safepointlab.widgets.workbench.view import workbench

__all__ = [
    "by_effort", "claims", "doctor", "ecj", "elsewhere", "errors", "excerpt", "expect", "grade", "installed_jdks",
    "jar", "java", "javac", "jdk", "jmh", "late", "load", "logs", "missing_jdks", "panel", "plot", "pool",
    "predict", "reveal", "share", "stamp", "stops", "sweep", "template", "versions", "words", "workbench",
]  # fmt: skip

lazily(
    __name__,
    {
        "by_effort": "run.profile:by_effort",
        "grade": "widgets.exercise:grade",
        "claims": "course.verdicts",
        "doctor": "cli.doctor",
        "ecj": "run.build:ecj",
        "elsewhere": "widgets.elsewhere:elsewhere",
        "errors": "errors",
        "excerpt": "run.excerpt:excerpt",
        "expect": "widgets.expect:expect",
        "installed_jdks": "jdks.finder:find",
        "jar": "jdks.jars:fetch",
        "java": "run.launch:java",
        "javac": "run.build:javac",
        "jdk": "jdks.finder:get",
        "jmh": "run.jmh:jmh",
        "late": "culprit.command:late",
        "load": "run.load:load",
        "missing_jdks": "run.profile:missing_jdks",
        "panel": "widgets.panel:panel",
        "plot": "plot",
        "pool": "teaching.pooling.pool:pool",
        "predict": "widgets.predict:predict",
        "reveal": "widgets.predict:reveal",
        "logs": "logs",
        "share": "teaching.pooling.share:share",
        "stamp": "widgets.copies:stamp",
        "stops": "run.stops:stops",
        "sweep": "run.sweep:sweep",
        "template": "widgets.exercise:template",
        "versions": "run.profile:versions",
        "words": "course.glossary:words",
        "workbench": "widgets.workbench.view:workbench",
    },
)


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext safepointlab`: the cell magic `%%java`, which the import registers in a notebook by itself."""
    from safepointlab.widgets import java_hook

    java_hook.register(shell)


if "IPython" in sys.modules:  # a notebook: what goes wrong in a cell is told in a sentence, and a cell may be Java
    from safepointlab.widgets import failures, java_hook

    failures.install()
    java_hook.install()
