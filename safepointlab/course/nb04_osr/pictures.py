"""The picture of page 04 alone: one loop in a harness, in a method and under JMH, by JDK."""

import pandas as pd
from matplotlib.axes import Axes

from safepointlab.course.nb04_osr import benchmark
from safepointlab.course.nb04_osr.benchmark import OPEN
from safepointlab.course.nb04_osr.experiments import INLINE, METHOD
from safepointlab.phrases import listed
from safepointlab.plot._picture import picture
from safepointlab.plot.scores import scores

FIRST = "as long as\nin a method on JDK"  # behind the first factor of the title


@picture("a sweep over osr/HomeMadeBenchmark", "jdk", "args", "gc", "flags", "ns_in_round_1")
def best_rounds(homemade: pd.DataFrame, by_jmh: pd.DataFrame | None = None, ax: Axes | None = None) -> Axes:
    """Draw the best rounds of the sweep, and beside them the best iterations of `lab.jmh`, where it is given.

    A mark is the median of the JVMs' best, a bar their range.
    """
    table = benchmark.summarize(homemade, by_jmh)
    title = _finding(table) if benchmark.comparable(table) else None
    return scores(table, ax, by="kind", what="best pass over the array", title=title)


def _finding(table: pd.DataFrame) -> str:
    """ "The loop in the harness (OSR) takes 0.7 times as long as in a method on JDK 8, / and 1.4 to 1.6 times on …"."""
    score, jdks = table.set_index(["place", "jdk"])["score"], sorted(benchmark.sides(table))
    told: list[str] = []
    for own in (own for side, own in benchmark.by_side(table).items() if side != OPEN):
        times = _spread([score[INLINE, jdk] / score[METHOD, jdk] for jdk in own])
        told.append(f"{times} {'on' if told else FIRST} {_span(own, jdks)}")
    if not told:
        return "The loop that OSR enters is not told apart from the one in a method"
    return f"The loop in the harness (OSR) takes {', and '.join(told)}"


def _span(some: list[int], jdks: list[int]) -> str:
    """ "11 to 25" where the JDKs are neighbours among all, else "8 and 17"."""
    between = [jdk for jdk in jdks if some[0] <= jdk <= some[-1]]
    return f"{some[0]} to {some[-1]}" if between == some and len(some) > 2 else listed(some)


def _spread(ratios: list[float]) -> str:
    """ "1.4 to 1.6 times"."""
    return " to ".join(dict.fromkeys((f"{min(ratios):.1f}", f"{max(ratios):.1f}"))) + " times"
