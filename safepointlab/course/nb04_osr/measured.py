"""One loop in a harness of one's own, behind a call, and under JMH -> how long it takes on each JDK, and what differs.

The harness runs OSR code, the method its standard version. A JVM compiles once and keeps its luck, so several JVMs of
each kind run by turns, and each counts with its best stretch of time: what else the machine does can only add to one.
"""

from collections.abc import Iterable
from typing import Any

import pandas as pd

from safepointlab.course.nb02_hang.experiments import NO_POLLS
from safepointlab.course.nb04_osr.experiments import BODIES, HOME_MADE, INLINE, LONG_ROUNDS, METHOD
from safepointlab.phrases import listed
from safepointlab.run.jmh import jmh
from safepointlab.run.sweep import sweep
from safepointlab.session.profile import by_effort

JMH = "osr.AddOne"
JMH_OPTIONS = "-f 1 -wi 5 -w 200ms -i 20 -r 20ms"  # iterations about as long as a round of the harness
LONGER, LESS, OPEN = "takes longer", "takes less time", "is not told apart"
FIRST = "as long as\nin a method on JDK"  # behind the first factor of the title
KINDS = {INLINE: "in the harness, by OSR", METHOD: "in a method", "JMH": "the method, by JMH"}


def jvms() -> int:
    """How many JVMs of each kind run, by turns: with four, chance alone sets two groups apart once in 35 times."""
    return by_effort(quick=2, standard=4)


def forks(jdks: Iterable[int]) -> pd.DataFrame:
    """Both harnesses in some JVMs each, by turns: jdk, place, repeat, and best_ns, the best round of that JVM."""
    args = [f"{place} {LONG_ROUNDS} 8" for place in (INLINE, METHOD)]
    settings: dict[str, Any] = {"log": "compilation", "repeat": jvms(), "reuse": True}
    rounds = sweep(HOME_MADE, jdk=list(jdks), gc=NO_POLLS, args=args, **settings)
    best = rounds.filter(like="ns_in_round").min(axis=1)
    return rounds[["jdk", "repeat"]].assign(place=rounds["args"].str.split().str[0], best_ns=best)


def benchmark(jdks: Iterable[int]) -> pd.DataFrame:
    """The method of the harness as JMH measures it: a row a JVM; best is its best iteration in ns."""
    return jmh(JMH, list(jdks), options=JMH_OPTIONS, gc=NO_POLLS, repeat=jvms(), reuse=True)


def measured(jdks: Iterable[int]) -> pd.DataFrame:
    """`forks` and `benchmark` for plot.scores: one row a JDK and kind (INLINE, METHOD, "JMH"), named in `kind`.

    score is the median of the JVMs' best, low and high are the least and the most of them; ns for 1000 ints.
    """
    by_jmh = benchmark(jdks)[["jdk", "best"]].rename(columns={"best": "best_ns"}).assign(place="JMH")
    rows = pd.concat([forks(jdks), by_jmh]).astype({"jdk": int})
    best = rows.groupby(["jdk", "place"])["best_ns"]
    table = pd.DataFrame({"score": best.median(), "low": best.min(), "high": best.max(), "best": best.min()})
    order = {place: number for number, place in enumerate(KINDS)}
    table = table.reset_index().sort_values(["place", "jdk"], key=lambda column: column.replace(order))
    return table.assign(kind=table["place"].map(KINDS), metric="score", unit="ns").reset_index(drop=True)


def sides(table: pd.DataFrame, place: str = INLINE) -> dict[int, str]:
    """On each JDK, beside the method: LONGER or LESS if all JVMs of one kind beat all of the other, else OPEN."""
    by_place = {str(name): rows.set_index("jdk") for name, rows in table.groupby("place")}
    one, other = by_place[place], by_place[METHOD]
    return {int(jdk): _side(one.loc[jdk], other.loc[jdk]) for jdk in sorted(one.index)}


def _side(one: Any, other: Any) -> str:
    if one["low"] > other["high"]:
        return LONGER
    return LESS if one["high"] < other["low"] else OPEN


def finding(table: pd.DataFrame) -> str:
    """ "The loop in the harness (OSR) takes 0.7 times as long as in a method on JDK 8, / and 1.4 to 1.6 times on …"."""
    score, jdks = table.set_index(["place", "jdk"])["score"], sorted(sides(table))
    told: list[str] = []
    for own in (own for side, own in by_side(table).items() if side != OPEN):
        times = _spread([score[INLINE, jdk] / score[METHOD, jdk] for jdk in own])
        told.append(f"{times} {'on' if told else FIRST} {_span(own, jdks)}")
    if not told:
        return "The loop that OSR enters is not told apart from the one in a method"
    return f"The loop in the harness (OSR) takes {', and '.join(told)}"


def by_side(table: pd.DataFrame) -> dict[str, list[int]]:
    """The JDKs on each of the `sides` that has any, the side of the oldest one first."""
    found = sides(table)
    return {side: [jdk for jdk in found if found[jdk] == side] for side in dict.fromkeys(found.values())}


def _span(some: list[int], jdks: list[int]) -> str:
    """ "11 to 25" where the JDKs are neighbours among all, else "8 and 17"."""
    between = [jdk for jdk in jdks if some[0] <= jdk <= some[-1]]
    return f"{some[0]} to {some[-1]}" if between == some and len(some) > 2 else listed(some)


def _spread(ratios: list[float]) -> str:
    """ "1.4 to 1.6 times"."""
    return " to ".join(dict.fromkeys((f"{min(ratios):.1f}", f"{max(ratios):.1f}"))) + " times"


def bodies(jdk: int) -> pd.DataFrame:
    """ThreeBodies in some JVMs each, by turns: one row a JVM, column args (the place) and `add_ns` and the like."""
    return sweep(BODIES, jdk=jdk, gc=NO_POLLS, args=[INLINE, METHOD], repeat=jvms(), reuse=True)


def compared(times: pd.DataFrame) -> dict[str, str]:
    """By the name of a body in `bodies`, the loop in the harness beside the one in a method: as in `sides`."""
    by_place = {str(place): rows for place, rows in times.groupby("args")}
    names = [name for name in map(str, times) if name.endswith("_ns")]
    ranges = {place: rows[names].agg(["min", "max"]).T for place, rows in by_place.items()}
    named = {place: rows.rename(columns={"min": "low", "max": "high"}) for place, rows in ranges.items()}
    return {name: _side(named[INLINE].loc[name], named[METHOD].loc[name]) for name in names}


def pairs(jdks: Iterable[int], body: str = "") -> dict[str, int]:
    """How many bodies are on each side on these JDKs, all together; or one of them alone, such as "add_ns"."""
    by_name = [compared(bodies(jdk)) for jdk in sorted(jdks)]
    found = [side for names in by_name for name, side in names.items() if body in ("", name)]
    return {side: found.count(side) for side in (LONGER, LESS, OPEN)}


def nearer_to_method(table: pd.DataFrame) -> float:
    """The share of the JDKs on which JMH's median is nearer to that of the method than to that of the harness."""
    score = table.pivot(index="jdk", columns="place", values="score")
    away = score.sub(score["JMH"], axis=0).abs()
    return float((away[METHOD] < away[INLINE]).mean())
