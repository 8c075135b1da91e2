"""The runs and frames of page 03 -> the titles of its pictures: whose class hangs, polls or is late, as they show."""

import pandas as pd

from safepointlab.programs.build import Program
from safepointlab.run.run import Run
from safepointlab.topics import compilers
from safepointlab.topics.compilers_page import hung_where, outer_polls

JAVAC, ECLIPSE = compilers.BOTH
NAMES = {JAVAC: "javac's class", ECLIPSE: "Eclipse's class"}
BACK = {"top": "to the test", "bottom": "to the body"}
TESTED = {"top": "tests at the top", "bottom": "tests at the bottom"}
POLL = {True: "keeps its poll", False: "has no poll", None: "was not captured"}


def fates(runs: pd.DataFrame) -> str:
    """ "Only Eclipse's class hangs: with Serial on every JDK, with G1 on JDK 8"."""
    hung = runs[runs["outcome"] == "hung"]
    who = list(hung["compiler"].unique())
    if not who:
        return "Neither class hangs"
    names = f"Only {NAMES[who[0]]} hangs" if len(who) == 1 else "Both classes hang"
    return f"{names}: {hung_where(hung, runs['jdk'].nunique())}"


def shapes(javac: Run | Program, ecj: Run | Program) -> str:
    """ "In javac's class the jump back leads to the test, in ecj's to the body"."""
    first, second = (BACK[_tested(one)] for one in (javac, ecj))
    return f"In javac's class the jump back leads {first},\nin ecj's {second}"


def newest(ecj: Program) -> str:
    """ "ecj 3.46.0 still tests at the bottom"."""
    where = _tested(ecj)
    return f"{ecj.compiler} {'still ' if where == 'bottom' else ''}{TESTED[where]}"


def polls(javac: Run, ecj: Run) -> str:
    """ "javac's loop tests at the top and keeps its poll, ecj's tests at the bottom and has no poll"."""
    first, second = (f"{TESTED[_tested(run)]} and {POLL[outer_polls(run)]}" for run in (javac, ecj))
    return f"javac's loop {first},\necj's {second}"


def _tested(made: Run | Program) -> str:
    return str(compilers.outer_loops(made)["test"].iloc[0])


def late(runs: pd.DataFrame, by: str) -> str:
    """Where each class is late in the median; `by` is a column of `compilers.by_sleep`: "slept" or "place".

    "With Serial, Eclipse's class is late if main sleeps 0.3 s, / by 0.9 s in the median; javac's never", in two lines.
    """
    medians = runs.groupby(["compiler", by], sort=False)["late_ms"].median()
    (where, how), (javacs, _) = (_late(medians[name], by) for name in (ECLIPSE, JAVAC))
    return f"{_with(runs)} Eclipse's class is late {where},\n{f'by {how}; ' if how else ''}javac's {javacs}".replace(
        "\u00a0", " "
    )


def _with(runs: pd.DataFrame) -> str:
    """The collector of all runs, and the JDK if it is one: "With Serial,", "JDK 17, Serial:"."""
    [gc], jdks = runs["gc"].unique(), runs["jdk"].unique()
    return f"JDK {jdks[0]}, {gc}:" if len(jdks) == 1 else f"With {gc},"


def _late(medians: "pd.Series[float]", by: str) -> tuple[str, str]:
    """Where and how late: ("in all 3 variants", "0.7 to 1.0 s"), ("if main sleeps 0.3 s", "0.9 s in the median")."""
    some = medians[medians > compilers.LATE_MS]
    if some.empty:
        return "in none" if by == "place" else "never", ""
    named = f"{'if main ' if by == 'slept' else 'as '}{', '.join(map(str, some.index))}"
    everywhere = f"in all {len(medians)} variants" if by == "place" else "after either sleep"
    low, high = (f"{ms / 1000:.1f}" for ms in (some.min(), some.max()))
    how = f"{low if low == high else f'{low} to {high}'} s{' in the median' if by == 'slept' else ''}"
    return everywhere if len(some) == len(medians) else named, how


def stall(run: Run) -> str:
    """From when until when the first version by C2 lives, in a run of `compilers.logged_stall`, beside main's sleep."""
    begin, end = (f"{ms:,.0f} ms" for ms in compilers.first_version_ms(run))
    sleep = f"main sleeps for {int(run.request.args[-1]):,} ms only"
    return f"No poll from {begin} to the end of the inner loop\nat {end}; {sleep}"
