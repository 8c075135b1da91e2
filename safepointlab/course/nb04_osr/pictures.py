"""The picture of page 04 alone: one loop in a harness, in a method and under JMH, by JDK."""

import pandas as pd
from matplotlib.axes import Axes

from safepointlab.course.nb04_osr import benchmark
from safepointlab.course.nb04_osr.benchmark import OPEN
from safepointlab.course.nb04_osr.experiments import INLINE, METHOD
from safepointlab.phrases import listed
from safepointlab.plot._picture import picture
from safepointlab.plot.scores import scores


@picture("a sweep over osr/HomeMadeBenchmark", "jdk", "args", "gc", "flags", "ns_in_round_1")
def best_rounds(homemade: pd.DataFrame, by_jmh: pd.DataFrame | None = None, ax: Axes | None = None) -> Axes:
    """Draw the best rounds of the sweep, and beside them the best iterations of `lab.jmh`, where it is given.

    A mark is the median of the JVMs' best, a bar their range.
    """
    table = benchmark.summarize(homemade, by_jmh)
    sides = benchmark.by_side(table)
    title = _finding(table, sides) if sides else None
    return scores(table, ax, by="kind", what="best pass over the array", title=title)


def _finding(table: pd.DataFrame, sides: dict[str, list[int]]) -> str:
    """ "The loop in the harness (OSR) takes 0.7 times as long as / in a method on JDK 8, and 1.4 to 1.6 times on …"."""
    score, jdks = table.set_index(["place", "jdk"])["score"], sorted(jdk for own in sides.values() for jdk in own)
    told: list[str] = []
    for own in (own for side, own in sides.items() if side != OPEN):
        ratios = [f"{score[INLINE, jdk] / score[METHOD, jdk]:.1f}" for jdk in own]
        times = " to ".join(dict.fromkeys((min(ratios, key=float), max(ratios, key=float))))
        between = [jdk for jdk in jdks if own[0] <= jdk <= own[-1]]
        where = f"{own[0]} to {own[-1]}" if between == own and len(own) > 2 else listed(own)
        told.append(f"{times} times {'on' if told else 'as long as' + chr(10) + 'in a method on JDK'} {where}")
    if not told:
        return "The loop that OSR enters is not told apart from the one in a method"
    return f"The loop in the harness (OSR) takes {', and '.join(told)}"
