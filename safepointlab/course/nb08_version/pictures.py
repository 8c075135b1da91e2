"""The picture of page 08 alone: one loop in a harness, in a method and under JMH, by JDK."""

import pandas as pd
from matplotlib.axes import Axes

from safepointlab.course.nb04_osr import benchmark
from safepointlab.course.nb04_osr.benchmark import LESS, OPEN
from safepointlab.phrases import listed
from safepointlab.plot import style
from safepointlab.plot._picture import picture
from safepointlab.plot.scores import scores


@picture("a sweep over osr/HomeMadeBenchmark", "jdk", "args", "gc", "flags", "ns_in_round_1")
def best_rounds(homemade: pd.DataFrame, by_jmh: pd.DataFrame | None = None) -> Axes:
    """Draw the best rounds of the sweep and, if it is given, the best iterations of `lab.jmh`.

    A mark is the median of the JVMs' best, a bar their range.
    """
    table = benchmark.summarize(homemade, by_jmh)
    sides = benchmark.by_side(table)
    title = _finding(sides) if sides else None
    # the best is the bar's lower end, which needs no mark of its own
    ax = scores(table.drop(columns="best"), by="kind", what="best pass over the array", title=title)
    if len(table):
        jvms = " or ".join(str(count) for count in sorted(set(table["jvms"])))
        style.note(ax, f"mark: the median of {jvms} JVMs · bar: from the fastest to the slowest of them")
    return ax


def _finding(sides: dict[str, list[int]]) -> str:
    """ "In the harness, the loop takes less time on JDK 8 / and more on JDK 11 and 17 than in the method".

    It names no factor: the same loop shows another one in another harness.
    """
    jdks, parts = sorted(jdk for own in sides.values() for jdk in own), list[str]()
    for side, own in sides.items():
        if side == OPEN:
            continue
        between = [jdk for jdk in jdks if own[0] <= jdk <= own[-1]]
        where = f"JDK {own[0]} to {own[-1]}" if between == own and len(own) > 2 else f"JDK {listed(own)}"
        parts.append(f"{'less' if side == LESS else 'more'} {'' if parts else 'time '}on {where}")
    if not parts:
        return "The harness and the method take about the same time"
    told = "\nand ".join(parts) + ("\n" if len(parts) == 1 else " ") + "than in the method"
    alike = f",\nand there's no measurable difference on JDK {listed(sides[OPEN])}" if OPEN in sides else ""
    return f"In the harness, the loop takes {told}{alike}"
