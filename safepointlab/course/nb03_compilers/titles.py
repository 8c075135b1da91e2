"""The runs and frames of page 03 -> the titles of its pictures: whose class hangs, polls or is late, as they show."""

import pandas as pd

from safepointlab.course.nb03_compilers import experiments as compilers
from safepointlab.course.nb03_compilers.answers import hung_where, outer_polls
from safepointlab.programs.build import Program
from safepointlab.run.run import Run

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
    first, second = (BACK[compilers.where_tested(one)] for one in (javac, ecj))
    return f"In javac's class the jump back leads {first},\nin ecj's {second}"


def polls(javac: Run, ecj: Run) -> str:
    """ "javac's loop tests at the top and keeps its poll, ecj's tests at the bottom and has no poll"."""
    first, second = (f"{TESTED[compilers.where_tested(run)]} and {POLL[outer_polls(run)]}" for run in (javac, ecj))
    return f"javac's loop {first},\necj's {second}"


def late(runs: pd.DataFrame) -> str:
    """After which of main's sleeps each class is late, and by how much, by the medians of `compilers.by_sleep`.

    "With Serial, Eclipse's class is late if main sleeps 0.3 s, / by 0.9 s in the median; javac's never", in two lines.
    """
    medians = runs.groupby(["compiler", "slept"], sort=False)["late_ms"].median()
    (when, how), (javacs, _) = (_late(medians[name]) for name in (ECLIPSE, JAVAC))
    return f"{_with(runs)} Eclipse's class is late {when},\n{f'by {how}; ' if how else ''}javac's {javacs}".replace(
        "\u00a0", " "
    )


def _with(runs: pd.DataFrame) -> str:
    """The collector of all runs, and the JDK if it is one: "With Serial,", "JDK 17, Serial:"."""
    [gc], jdks = runs["gc"].unique(), runs["jdk"].unique()
    return f"JDK {jdks[0]}, {gc}:" if len(jdks) == 1 else f"With {gc},"


def _late(medians: "pd.Series[float]") -> tuple[str, str]:
    """When and how late: ("if main sleeps 0.3 s", "0.9 s in the median")."""
    some = medians[medians > compilers.LATE_MS]
    if some.empty:
        return "never", ""
    when = "after either sleep" if len(some) == len(medians) else f"if main {', '.join(map(str, some.index))}"
    low, high = (f"{ms / 1000:.1f}" for ms in (some.min(), some.max()))
    return when, f"{low if low == high else f'{low} to {high}'} s in the median"


def stall(run: Run) -> str:
    """From when until when the version lives in which main returns, in a run of `logged_stall`, beside main's sleep."""
    begin, returns, end = compilers.version_at_return_ms(run)
    if not begin < returns < end:
        return "Here main does not return while the thread is in a version by C2"
    sleep = f"main sleeps for {int(run.request.args[-1]):,} ms only"
    return f"No poll from {begin:,.0f} ms to the end of the inner loop\nat {end:,.0f} ms; {sleep}"
