"""The tables of page 20 -> what its pictures show beside them, and titles that say what was found.

blame_findings.beside(dumps)        the dumps, and beside them where the time of each case goes
blame_findings.dumped(dumps, run)   "JDK 8, Serial: 0 of 91 thread dumps show the hot loop ..."
blame_findings.stacked(jmh)         in how many cases JMH's own profiler names the hot loop
blame_findings.longer(stops)        how long a look at some threads stops all, and a look at all
"""

import re
from typing import TYPE_CHECKING

import pandas as pd

from safepointlab.programs.excerpt import excerpt
from safepointlab.run.run import Run
from safepointlab.topics import blame, blame_output

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


def stacked(jmh: "DataFrame") -> str:
    """In how many cases JMH's own profiler names the hot loop."""
    named = blame_output.most(jmh)["right"]
    return f"JDK 8, Serial: JMH's stack profiler names\nthe hot loop in {int(named.sum())} of {len(named)} cases"


def stops_ms(stops: "DataFrame") -> "DataFrame":
    """The median stop of one JDK, in ms: a row for "all" stacks and one for "20", all of them deep; a column a size."""
    ms = stops.groupby(["look", "threads"])["total_ms"].median().unstack()
    return ms.loc[[f"{look}, {blame.DEEP} deep" for look in ("all", "20")]].set_axis(["all", "20"])


def longer(stops: "DataFrame") -> str:
    """The median stops of one JDK among the most threads: for 20 stacks, and for all."""
    ms, jdk = stops_ms(stops)[blame.MANY], stops["jdk"].iloc[0]
    some = f"JDK {jdk}: a look at 20 of {blame.MANY} threads stops all for {ms['20']:.2g} ms"
    return f"{some},\na look at all {blame.MANY} for {ms['all']:.2g} ms"
