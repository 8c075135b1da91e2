"""One loop in a harness of one's own, behind a call, and under JMH -> how long it takes on each JDK, and what differs.

The harness runs OSR code, the method its standard version. A JVM compiles once and keeps its luck, so several JVMs of
each kind run by turns, and each counts with its best stretch of time: what else the machine does can only add to one.
"""

from collections.abc import Iterable
from typing import Any

import pandas as pd

from safepointlab.course.nb02_hang.experiments import NO_POLLS
from safepointlab.course.nb04_osr.experiments import BODIES, HOME_MADE, INLINE, LONG_ROUNDS, METHOD
from safepointlab.run.jmh import jmh
from safepointlab.run.profile import by_effort
from safepointlab.run.run import Run
from safepointlab.run.sweep import sweep

ADD_ONE = "osr.AddOne"
JMH_OPTIONS = "-f 1 -wi 5 -w 200ms -i 20 -r 20ms"  # iterations about as long as a round of the harness
LONGER, LESS, OPEN = "takes longer", "takes less time", "is not told apart"
JMH = "JMH"
KINDS = {INLINE: "in the harness, by OSR", METHOD: "in a method", JMH: "the method, by JMH"}
NS = {"ns/op": 1.0, "us/op": 1e3, "ms/op": 1e6}
FEWEST_JVMS = 2  # of each kind; of one alone, one of the two is always the faster


def jvms() -> int:
    """How many JVMs of each kind a claim runs: with four, chance alone sets two groups apart once in 35 times."""
    return by_effort(quick=2, standard=4)


def homemade_runs(jdks: Iterable[int]) -> pd.DataFrame:
    """Both harnesses in some JVMs each, by turns: one row a JVM, as `lab.sweep` has it."""
    args = [f"{place} {LONG_ROUNDS} 8" for place in (INLINE, METHOD)]
    settings: dict[str, Any] = {"log": "compilation", "repeat": jvms(), "reuse": True}
    return sweep(HOME_MADE, jdk=list(jdks), gc=NO_POLLS, args=args, **settings)


def jmh_runs(jdks: Iterable[int]) -> pd.DataFrame:
    """The method of the harness as JMH measures it: a row a JVM; best is its best iteration in ns."""
    return jmh(ADD_ONE, list(jdks), options=JMH_OPTIONS, gc=NO_POLLS, repeat=jvms(), reuse=True)


def best_times(homemade: pd.DataFrame) -> pd.DataFrame:
    """Of the rows of a sweep over HomeMadeBenchmark: jdk, place, variant, and best_ns, the best round of that JVM.

    variant names what else differs between the rows (collector, flags, further arguments); "" where nothing does.
    """
    words = homemade["args"].astype(str).str.split(n=1)
    rows = homemade.assign(place=words.str[0], more=words.str[1].fillna(""))
    best = rows.filter(like="ns_in_round").min(axis=1)
    return rows.assign(variant=_variant(rows, ["gc", "flags", "more"]), best_ns=best)[_BEST].dropna(subset="best_ns")


_BEST = ["jdk", "place", "variant", "best_ns"]


def _best_of_jmh(by_jmh: pd.DataFrame) -> pd.DataFrame:
    scores = by_jmh[by_jmh["metric"] == "score"]
    best = scores["best"] * scores["unit"].map(NS)
    rows = scores.assign(place=JMH, variant=_variant(scores, ["gc", "flags"]), best_ns=best)
    return rows[_BEST].dropna(subset="best_ns")


def _variant(rows: pd.DataFrame, names: list[str]) -> "pd.Series[str]":
    different = [rows[name].astype(str) for name in names if rows[name].nunique() > 1]
    return pd.concat(different, axis=1).agg(" ".join, axis=1) if different else pd.Series("", index=rows.index)


def summarize(homemade: pd.DataFrame, by_jmh: pd.DataFrame | None = None) -> pd.DataFrame:
    """The frames of `lab.sweep` and `lab.jmh` -> one row a JDK and kind of code, as plot.scores draws them.

    Of the JVMs' best times in ns, score is the median, low and high are the least and the most; jvms says of how many.
    kind names place and variant (see `best_times`); place is INLINE, METHOD or JMH.
    """
    rows = pd.concat([best_times(homemade), *([] if by_jmh is None else [_best_of_jmh(by_jmh)])])
    order = {place: number for number, place in enumerate(KINDS)}
    best = rows.groupby(["place", "variant", "jdk"], sort=False)["best_ns"]
    table = pd.DataFrame(
        {"score": best.median(), "low": best.min(), "high": best.max(), "best": best.min(), "jvms": best.size()}
    ).reset_index()
    kind = table["place"].map(KINDS).fillna(table["place"]) + (" " + table["variant"]).str.rstrip()
    table = table.assign(kind=kind, metric="score", unit="ns", order=table["place"].map(order))
    return table.sort_values(["order", "variant", "jdk"]).drop(columns="order").reset_index(drop=True)


def comparable(table: pd.DataFrame) -> bool:
    """Whether a table of `summarize` has one kind of each place, and both places of the harness."""
    return {INLINE, METHOD} <= set(table["place"]) and not table["variant"].any()


def sides(table: pd.DataFrame) -> dict[int, str]:
    """How long the harness takes beside the method, on each JDK that has both; OPEN where their ranges overlap."""
    by_place = {place: table[table["place"] == place].set_index("jdk") for place in (INLINE, METHOD)}
    jdks = sorted(by_place[INLINE].index.intersection(by_place[METHOD].index))
    return {int(jdk): _side(by_place[INLINE].loc[jdk], by_place[METHOD].loc[jdk]) for jdk in jdks}


def _side(one: Any, other: Any) -> str:
    if min(one["jvms"], other["jvms"]) < FEWEST_JVMS:
        return OPEN
    if one["low"] > other["high"]:
        return LONGER
    return LESS if one["high"] < other["low"] else OPEN


def by_side(table: pd.DataFrame) -> dict[str, list[int]]:
    """The JDKs on each of the `sides` that has any, the side of the oldest one first."""
    found = sides(table)
    return {side: [jdk for jdk in found if found[jdk] == side] for side in dict.fromkeys(found.values())}


def bodies(jdk: int) -> pd.DataFrame:
    """ThreeBodies in some JVMs each, by turns: one row a JVM, column args (the place) and `add_ns` and the like."""
    return sweep(BODIES, jdk=jdk, gc=NO_POLLS, args=[INLINE, METHOD], repeat=jvms(), reuse=True)


def compare_bodies(times: pd.DataFrame) -> dict[str, str]:
    """By the name of a body in `bodies`, the loop in the harness beside the one in a method: as in `sides`."""
    by_place = {str(place): rows for place, rows in times.groupby("args")}
    names = [name for name in map(str, times) if name.endswith("_ns")]
    ranges = {
        place: pd.DataFrame({"low": rows[names].min(), "high": rows[names].max(), "jvms": rows[names].count()})
        for place, rows in by_place.items()
    }
    return {name: _side(ranges[INLINE].loc[name], ranges[METHOD].loc[name]) for name in names}


def count_sides(jdks: Iterable[int], body: str = "") -> dict[str, int]:
    """How many bodies are on each side on these JDKs, all together; or one of them alone, such as "add_ns"."""
    by_name = [compare_bodies(bodies(jdk)) for jdk in sorted(jdks)]
    found = [side for names in by_name for name, side in names.items() if body in ("", name)]
    return {side: found.count(side) for side in (LONGER, LESS, OPEN)}


def nearer_to_method(table: pd.DataFrame) -> float:
    """The share of the JDKs on which JMH's median is nearer to that of the method than to that of the harness."""
    score = table.pivot(index="jdk", columns="place", values="score")
    away = score.sub(score[JMH], axis=0).abs()
    return float((away[METHOD] < away[INLINE]).mean())


def ends_in_standard(run: Run) -> bool:
    """Whether C2's last version of the loop around the calls, where those stand in a method, is a standard one."""
    log = run.compilations
    own = log[log["method"].str.endswith("::repeatAddOne", na=False) & (log["tier"] == 4)]
    made, gone = (own[own["event"].eq("compiled") == is_made] for is_made in (True, False))
    last = made.iloc[-1]
    return not bool(last["osr"]) and last["compile_id"] not in set(gone["compile_id"])
