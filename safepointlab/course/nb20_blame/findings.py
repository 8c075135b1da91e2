"""The tables of page 20 -> what its pictures show beside them, and titles that say what was found.

blame_findings.beside(dumps)        the dumps, and beside them where the time of each case goes
blame_findings.dumped(dumps, run)   "JDK 8, Serial: 0 of 91 thread dumps show the hot loop ..."
blame_findings.with_dumps(between, polls)   the profilers that need no poll, and the dumps beside them
"""

import re
from typing import TYPE_CHECKING

import pandas as pd

from safepointlab.course.nb20_blame import experiments as blame
from safepointlab.course.nb20_blame import output as blame_output
from safepointlab.programs.excerpt import excerpt
from safepointlab.run.run import Run

if TYPE_CHECKING:
    from pandas import DataFrame

HOT = {case: "sumApart" if case == "notInlined" else "sum" for case in blame_output.CASES[:4]}
TRUTH = "where\N{NO-BREAK SPACE}the time\N{NO-BREAK SPACE}goes"  # the name of a column, in two lines
BURNS = re.compile(r"hash = 31 \* hash")  # the line that takes the time


def beside(dumps: "DataFrame") -> "DataFrame":
    """The dumps as one profiler, and the place in which all of the time goes, without samples or a share."""
    places = [(case, method, hot_line(method)) for case, method in HOT.items()]
    known = pd.DataFrame(places, columns=["case", "method", "line"])
    known = known.assign(samples=0, share=float("nan"), right=True, profiler=TRUTH)
    return pd.concat([dumps.assign(profiler="thread dumps"), known.astype(blame_output.COLUMNS)], ignore_index=True)


def hot_line(method: str) -> int:
    """The line of KnownAnswer's method that takes the time."""
    lines = excerpt(blame.SAMPLE, rf"static int {method}\(").lines
    return next(number for number, text in lines if BURNS.search(text))


def dumped(dumps: "DataFrame", run: Run) -> str:
    """How many of a run's dumps show the hot loop, and how many dumps a case has."""
    counts = dumps.groupby("case")["samples"].sum()
    seen = int(dumps.loc[dumps["right"], "samples"].sum())
    of_all = f"JDK {run.jdk.major}, {run.request.gc}: {seen} of {counts.sum()} thread dumps"
    return f"{of_all}\nshow the hot loop ({counts.min()} to {counts.max()} dumps a case)"


def with_dumps(between: "DataFrame", polls: "DataFrame") -> "DataFrame":
    """The dumps with Serial as one more profiler, the first, on the JDKs on which the others were asked.

    `between` is the table of `blame.between_polls`, `polls` that of `blame.dumps_over`.
    """
    asked = polls[(polls["gc"] == blame.GC) & polls["jdk"].isin(between["jdk"])]
    return pd.concat([asked.drop(columns="gc").assign(profiler="dumps"), between], ignore_index=True)
