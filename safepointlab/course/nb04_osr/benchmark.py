"""One loop in a harness of one's own, behind a call, and under JMH -> how long it takes on each JDK, and what differs.

The harness runs OSR code, the method its standard version. A JVM compiles once and keeps its luck, so several JVMs of
each kind run by turns, and each counts with its best stretch of time: what else the machine does can only add to one.
"""

from typing import Any

import pandas as pd

from safepointlab.course.nb02_hang.experiments import NO_POLLS, compile_log
from safepointlab.course.nb04_osr.experiments import BODIES, INLINE, METHOD, NINE
from safepointlab.run.profile import by_effort
from safepointlab.run.run import Run
from safepointlab.run.sweep import sweep

LONGER, LESS, OPEN = "takes longer", "takes less time", "shows no measurable difference"
JMH = "JMH"
KINDS = {INLINE: "in the harness (OSR)", METHOD: "in a method", JMH: "the method, under JMH"}
NS = {"ns/op": 1.0, "us/op": 1e3, "ms/op": 1e6}
FEWEST_JVMS = 2  # of each kind; of one alone, one of the two is always the faster
CLEARLY = 1.1  # times as long: four JVMs beat four others by chance alone in 1 of 35 comparisons, but not by so much


def jvms() -> int:
    """How many JVMs of each kind a claim runs: with four, chance alone sets two groups apart once in 35 times."""
    return by_effort(quick=2, standard=4)


def best_times(homemade: pd.DataFrame) -> pd.DataFrame:
    """Of the rows of a sweep over HomeMadeBenchmark: jdk, place, variant, and best_ns, the best round of that JVM.

    variant names what else differs between the rows (collector, flags, further arguments); "" where nothing does.
    """
    words = homemade["args"].astype(str).str.split(n=1)
    best = homemade.filter(like="ns_in_round").min(axis=1)
    rows = homemade.assign(place=words.str[0], more=words.str[1].fillna(""), best_ns=best)
    return _with_variant(rows, ["gc", "flags", "more"])


def _with_variant(rows: pd.DataFrame, names: list[str]) -> pd.DataFrame:
    different = [rows[name].astype(str) for name in names if rows[name].nunique() > 1]
    variant = pd.concat(different, axis=1).agg(" ".join, axis=1) if different else ""
    return rows.assign(variant=variant)[["jdk", "place", "variant", "best_ns"]].dropna(subset="best_ns")


def summarize(homemade: pd.DataFrame, by_jmh: pd.DataFrame | None = None) -> pd.DataFrame:
    """The frames of `lab.sweep` and `lab.jmh` -> one row per JDK and kind of code, as plot.scores draws them.

    Of the JVMs' best times in ns, score is the median, low and high are the least and the most; jvms says of how many.
    kind names place and variant (see `best_times`); place is INLINE, METHOD or JMH.
    """
    rows = best_times(homemade)
    if by_jmh is not None:
        scores = by_jmh[by_jmh["metric"] == "score"]
        scores = scores.assign(place=JMH, best_ns=scores["best"] * scores["unit"].map(NS))
        rows = pd.concat([rows, _with_variant(scores, ["gc", "flags"])])
    best = rows.groupby(["place", "variant", "jdk"], sort=False)["best_ns"]
    table = best.agg(score="median", low="min", high="max", best="min", jvms="size").reset_index()
    kind = table["place"].map(KINDS).fillna(table["place"]) + (" " + table["variant"]).str.rstrip()
    order = table["place"].map({place: number for number, place in enumerate(KINDS)})
    table = table.assign(kind=kind, metric="score", unit="ns", order=order)
    return table.sort_values(["order", "variant", "jdk"]).drop(columns="order").reset_index(drop=True)


def by_side(table: pd.DataFrame) -> dict[str, list[int]]:
    """How the harness compares with the method -> the JDKs on which it does, the side of the oldest one first.

    {} unless the table of `summarize` has one kind of each of the two places. OPEN unless their ranges are clearly
    apart: all JVMs of one kind take at least CLEARLY times as long as all JVMs of the other.
    """
    if not {INLINE, METHOD} <= set(table["place"]) or table["variant"].any():
        return {}
    inline, method = (table[table["place"] == place].set_index("jdk") for place in (INLINE, METHOD))
    jdks: dict[str, list[int]] = {}
    for jdk in sorted(inline.index.intersection(method.index)):
        jdks.setdefault(_side(inline.loc[jdk], method.loc[jdk]), []).append(int(jdk))
    return jdks


def _side(one: Any, other: Any) -> str:
    if min(one["jvms"], other["jvms"]) < FEWEST_JVMS:
        return OPEN
    if one["low"] > CLEARLY * other["high"]:
        return LONGER
    return LESS if CLEARLY * one["high"] < other["low"] else OPEN


def bodies(jdk: int) -> pd.DataFrame:
    """ThreeBodies in some JVMs each, by turns: one row per JVM, column args (the place) and `add_ns` and the like."""
    return sweep(BODIES, jdk=jdk, gc=NO_POLLS, args=[INLINE, METHOD], repeat=jvms(), reuse=True)


def compare_bodies(times: pd.DataFrame) -> dict[str, str]:
    """By the name of a body in `bodies`, how the harness compares with the method, as in `by_side`."""
    ranges = times.filter(like="_ns").groupby(times["args"].astype(str)).agg(["min", "max", "count"])
    renamed = ranges.rename(columns={"min": "low", "max": "high", "count": "jvms"})
    names = list(dict.fromkeys(renamed.columns.get_level_values(0)))
    return {name: _side(renamed.loc[INLINE, name], renamed.loc[METHOD, name]) for name in names}


def nine_bodies(jdk: int) -> pd.DataFrame:
    """NineBodies by turns, twice as often with methods: column place, and per body the ns of each JVM, `add_ns`.

    The methods run in two groups of JVMs, which show how much of a difference is chance.
    """
    args = [f"{INLINE} 5000 16", f"{METHOD} 5000 16", f"{METHOD} 5000 16 1000"]
    frame = sweep(NINE, jdk=jdk, gc=NO_POLLS, args=args, repeat=jvms(), reuse=True)
    return frame.assign(place=frame["args"].astype(str).str.split().str[0]).set_index("place").filter(like="_ns")


def nearer_to_method(table: pd.DataFrame) -> float:
    """The share of the JDKs on which JMH's median is nearer to that of the method than to that of the harness."""
    score = table.pivot(index="jdk", columns="place", values="score")
    away = score.sub(score[JMH], axis=0).abs()
    return float((away[METHOD] < away[INLINE]).mean())


def ends_in_standard(run: Run) -> bool:
    """Whether C2's last version of the loop around the calls of a method is a standard one."""
    own = compile_log(run, "::repeatAddOne$").query("tier == 4")
    last = own[own["event"] == "compiled"].iloc[-1]
    return not last["osr"] and last["compile_id"] not in set(own[own["event"] != "compiled"]["compile_id"])
