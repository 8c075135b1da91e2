"""What page 23, its answers and its demo share: the command line of SciMark 2, and how its speeds are compared."""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from safepointlab.errors import BadInput
from safepointlab.jdks import jars
from safepointlab.process import home

if TYPE_CHECKING:
    import pandas as pd

    from safepointlab.culprit.report import Late

SCIMARK = "gov.nist.math:scimark:2.0"
POLLS = "-XX:+UseCountedLoopSafepoints -XX:LoopStripMiningIter=1000"  # what the report advises on JDK 17 with Serial
# FFT (1024): 1964.2359843939278
SCORE = re.compile(r"^(\w[\w ]*?)(?: \(.*\))?\s*:\s+(\d+\.\d+)$", re.MULTILINE)
COMPOSITE = "Composite Score"  # the mean of the others


def command(flags: str, length_s: float = 0.4) -> str:
    """The command line that runs SciMark with these flags, each of its computations for so many seconds.

    Raises:
        InstallFailed: its jar could not be fetched.
    """
    return f"java {flags} -cp {home.shown(jars.fetch(SCIMARK))} jnt.scimark2.commandline {length_s}"


def write_script(text: str) -> str:
    """A file with these lines for jshell; the path as a command line takes it."""
    script = home.ready(home.cache() / "late") / "crc.jsh"
    script.write_text(text.lstrip())
    return home.shown(script)


def scores(report: "Late") -> dict[str, float]:
    """What SciMark printed, by computation, in its Mflops: more is faster.

    Raises:
        BadInput: this isn't a report of `lab.late`.
    """
    output = getattr(report, "output", None)
    if not isinstance(output, str):
        raise BadInput(f"{type(report).__name__} isn't a report of lab.late. Give two lists of reports.")
    return {name: float(number) for name, number in SCORE.findall(output) if name != COMPOSITE}


def changes(before: "Iterable[Late]", after: "Iterable[Late]") -> "pd.DataFrame":
    """By how many per cent the speed of each of SciMark's computations has changed from one setting to another.

    Returns:
        One row per computation that both have: name, percent (of the medians), low_percent (the slowest run after
        against the fastest before) and high_percent (the reverse). The range is missing if all runs of a setting have
        one score: there was one run, or a replay has played one again and again.

    Raises:
        BadInput: not two lists of reports.
    """
    import pandas as pd

    first, second = (pd.DataFrame([scores(report) for report in reports]) for reports in (before, after))
    several = (first.nunique() > 1) & (second.nunique() > 1)
    ratios = {
        "percent": second.median() / first.median(),
        "low_percent": (second.min() / first.max()).where(several),
        "high_percent": (second.max() / first.min()).where(several),
    }
    table = pd.DataFrame({name: 100 * (ratio - 1) for name, ratio in ratios.items()}, dtype="float64")
    known = [name for name in first if name in second]
    return table.reindex(known).rename_axis("name").reset_index()


def clear(changes: "pd.DataFrame") -> dict[str, float]:
    """The computations whose range leaves out 0, so that these runs can tell a change: each with its percentage."""
    rows = changes[(changes["low_percent"] > 0) | (changes["high_percent"] < 0)]
    return dict(zip(rows["name"], rows["percent"], strict=True))


def added_flags(before: "Late", after: "Late") -> set[str]:
    """The flags of the second command line that the first does not have."""
    return {word for word in set(after.plan.words) - set(before.plan.words) if word.startswith("-X")}
