"""Safepoint Lab: `import safepointlab as lab`, and every arrow of the lab's one flow is a function of `lab`.

`Jdk → javac/ecj → Program → java → Run → read → DataFrame → plot → claim (verdict) → explanation`

Each name is imported when it is first used: pandas and matplotlib cost more than all the rest, and `safepoint --help`
needs none of it.
"""

import sys
from typing import TYPE_CHECKING, Any

from safepointlab.lazy import lazily

if TYPE_CHECKING:
    from safepointlab import claims, errors, plot, read
    from safepointlab.classroom.pool import pool
    from safepointlab.classroom.share import share
    from safepointlab.commands import doctor
    from safepointlab.jdks.finder import find as installed_jdks
    from safepointlab.jdks.finder import get as jdk
    from safepointlab.late.command import late
    from safepointlab.pages.elsewhere import elsewhere
    from safepointlab.pages.grade import grade
    from safepointlab.pages.panel import panel
    from safepointlab.pages.predict import predict, reveal
    from safepointlab.pages.template import template
    from safepointlab.programs.build import ecj, javac
    from safepointlab.programs.excerpt import excerpt
    from safepointlab.programs.jars import fetch as jar
    from safepointlab.run.jmh import jmh
    from safepointlab.run.launch import java
    from safepointlab.run.load import load
    from safepointlab.run.stops import stops
    from safepointlab.run.sweep import sweep
    from safepointlab.session.expect import expect
    from safepointlab.session.glossary import words
    from safepointlab.session.profile import by_effort, missing_jdks, versions
    from safepointlab.session.stamp import stamp
    from safepointlab.workbench.view import workbench

__version__ = "0.1.0"
__all__ = [
    "by_effort", "claims", "doctor", "ecj", "elsewhere", "errors", "excerpt", "expect", "grade", "installed_jdks",
    "jar", "java", "javac", "jdk", "jmh", "late", "load", "missing_jdks", "panel", "plot", "pool", "predict",
    "read", "reveal", "share", "stamp", "stops", "sweep", "template", "versions", "words", "workbench",
]  # fmt: skip

lazily(
    __name__,
    {
        "by_effort": "session.profile:by_effort",
        "grade": "pages.grade:grade",
        "claims": "claims",
        "doctor": "commands.doctor",
        "ecj": "programs.build:ecj",
        "elsewhere": "pages.elsewhere:elsewhere",
        "errors": "errors",
        "excerpt": "programs.excerpt:excerpt",
        "expect": "session.expect:expect",
        "installed_jdks": "jdks.finder:find",
        "jar": "programs.jars:fetch",
        "java": "run.launch:java",
        "javac": "programs.build:javac",
        "jdk": "jdks.finder:get",
        "jmh": "run.jmh:jmh",
        "late": "late.command:late",
        "load": "run.load:load",
        "missing_jdks": "session.profile:missing_jdks",
        "panel": "pages.panel:panel",
        "plot": "plot",
        "pool": "classroom.pool:pool",
        "predict": "pages.predict:predict",
        "reveal": "pages.predict:reveal",
        "read": "read",
        "share": "classroom.share:share",
        "stamp": "session.stamp:stamp",
        "stops": "run.stops:stops",
        "sweep": "run.sweep:sweep",
        "template": "pages.template:template",
        "versions": "session.profile:versions",
        "words": "session.glossary:words",
        "workbench": "workbench.view:workbench",
    },
)


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext safepointlab`: the cell magic `%%java`, which the import registers in a notebook by itself."""
    from safepointlab.pages import java_hook

    java_hook.register(shell)


if "IPython" in sys.modules:  # a notebook: what goes wrong in a cell is told in a sentence, and a cell may be Java
    from safepointlab.pages import java_hook
    from safepointlab.session import failures

    failures.install()
    java_hook.install()
