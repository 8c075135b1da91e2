"""One loop in a harness of one's own, behind a call, and under JMH -> how long it takes on each JDK, and what differs.

The harness runs OSR code, the method its standard version. A JVM compiles once and keeps its luck, so several JVMs of
each kind run by turns, and each counts with its best stretch of time: what else the machine does can only add to one.
"""

from collections.abc import Iterable
from typing import Any

import pandas as pd

from safepointlab.run.jmh import jmh
from safepointlab.run.sweep import sweep
from safepointlab.session.profile import by_effort
from safepointlab.topics.hang import NO_POLLS
from safepointlab.topics.osr import BODIES, HOME_MADE, INLINE, LONG_ROUNDS, METHOD

JMH = "osr.AddOne"
JMH_OPTIONS = "-f 1 -wi 5 -w 200ms -i 20 -r 20ms"  # iterations about as long as a round of the harness
LONGER, LESS, OPEN = "takes longer", "takes less", "is not told apart"
KINDS = {INLINE: "in the harness (OSR)", METHOD: "in a method", "JMH": "the method, by JMH"}


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
    """ "The loop that OSR entered takes longer on JDK 11 and 25, is not told apart on JDK 17"."""
    by_jdk = sides(table)
    found = {side: [str(jdk) for jdk in by_jdk if by_jdk[jdk] == side] for side in (LONGER, LESS, OPEN)}
    told = [f"{side} on JDK {_listed(jdks)}" for side, jdks in found.items() if jdks]
    return "The loop that OSR entered, beside the method:\n" + ", ".join(told)


def _listed(words: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def bodies(jdk: int) -> pd.DataFrame:
    """ThreeBodies in some JVMs each, by turns: one row a JVM, column args (the place) and `add_ns` and the like."""
    return sweep(BODIES, jdk=jdk, gc=NO_POLLS, args=[INLINE, METHOD], repeat=jvms(), reuse=True)
