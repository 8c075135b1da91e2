"""A benchmark made at home measures code that came by OSR: claims 003e-12 and 003e-19, each run again on one JDK.

Several JVMs of each kind run by turns, as a JVM compiles once and keeps its luck. Two kinds are told apart only where
all JVMs of one kind were faster than all of the other.
"""

from typing import TYPE_CHECKING

from safepointlab.claims.base import Claim, Evidence, Judgement, fails, holds, unclear
from safepointlab.course.nb04_osr import benchmark
from safepointlab.course.nb04_osr import experiments as osr

if TYPE_CHECKING:
    from pandas import DataFrame, Series

TOLD_APART = 2  # bodies, of three: one alone does not make a "mostly"


def _harness(jdk: int) -> Evidence:
    homemade, jmh = benchmark.best_times(benchmark.homemade_runs([jdk])), benchmark.jmh_runs([jdk])
    places = {place: homemade.loc[homemade["place"] == place, "best_ns"] for place in (osr.INLINE, osr.METHOD)}
    ranges = {f"{place}, {end}, ns": float(found) for place in places for end, found in _ends(places[place]).items()}
    return {"C2 versions by OSR": _by_osr(jdk), **ranges, "JMH, best iteration, ns": float(jmh["best"].median())}


def _by_osr(jdk: int) -> int:
    """How many versions of the harness C2 made to be entered in mid-loop."""
    log = osr.harness(jdk).compilations
    own = log["method"].str.endswith("::measureInline", na=False) & (log["event"] == "compiled")
    return int((own & log["osr"].fillna(False).astype(bool) & (log["tier"] == 4)).sum())


def _ends(values: "Series[float]") -> dict[str, float]:
    return {"least": values.min(), "most": values.max()}


def _measures_osr(measured: Evidence, jdk: int) -> Judgement:
    if not measured["C2 versions by OSR"]:
        return fails("C2 made no OSR version of the harness")
    inline, method = ([measured[f"{place}, {end}, ns"] for end in ("least", "most")] for place in ("inline", "method"))
    if inline[0] > method[1] or inline[1] < method[0]:
        which = "longer" if inline[0] > method[1] else "less"
        return holds(f"only OSR versions run, and they take {which} than the same loop in a method{_jmh(measured)}")
    return unclear(f"only OSR versions run, but their times are not told apart from those in a method{_jmh(measured)}")


def _jmh(measured: Evidence) -> str:
    """To which of the two JMH's best iteration is nearer, as a ratio; nothing if one is missing."""
    score, *nearest = (measured[f"{name}, ns"] for name in ("JMH, best iteration", "inline, least", "method, least"))
    if not min(score, *nearest) > 0:
        return ""
    by_inline, by_method = (max(score / each, each / score) for each in nearest)
    return f"; JMH's best is nearer to {'the method' if by_method < by_inline else 'the home-made one'}'s"


def _bodies(jdk: int) -> Evidence:
    times = benchmark.bodies(jdk)
    by_name = benchmark.compare_bodies(times)
    sides = list(by_name.values())
    slower, faster = sides.count(benchmark.LONGER), sides.count(benchmark.LESS)
    counts = {"bodies": len(by_name), "slower by OSR": slower, "faster by OSR": faster}
    return {**counts, **{f"{name.removesuffix('_ns')}, times": _ratio(times, name) for name in by_name}}


def _ratio(times: "DataFrame", name: str) -> float:
    """The median by OSR over the median in a method."""
    medians = times.groupby("args")[name].median()
    return float(medians[osr.INLINE] / medians[osr.METHOD])


def _mostly_worse(measured: Evidence, jdk: int) -> Judgement:
    slower, faster = measured["slower by OSR"], measured["faster by OSR"]
    alike = measured["bodies"] - slower - faster
    medians = [float(value) for name, value in measured.items() if name.endswith(", times")]
    told = f"of {measured['bodies']} bodies {slower} slower by OSR, {faster} faster, {alike} not told apart"
    told += f"; medians from {min(medians):.2g} to {max(medians):.2g} times those in a method"
    if slower + faster < TOLD_APART:
        return unclear(told)
    return holds(told) if slower > faster else fails(told)


CLAIMS = [
    Claim(
        "003e-12",
        "A home-made benchmark, a loop around the code, measures OSR code, and so another time than the usual",
        as_published="said, without numbers: OSR code, 'different from the code they will be running normally'",
        measure=_harness,
        judge=_measures_osr,
        refuted_by=(
            {
                "C2 versions by OSR": 0,
                "inline, least, ns": 76.0,
                "inline, most, ns": 80.0,
                "method, least, ns": 40.0,
                "method, most, ns": 44.0,
                "JMH, best iteration, ns": 42.0,
            },
            8,
        ),
    ),
    Claim(
        "003e-19",
        "Where OSR code differs in speed from standard code it is mostly slower (tried on three bodies of a loop)",
        as_published="'for better or worse, mostly worse'; without numbers",
        measure=_bodies,
        judge=_mostly_worse,
        refuted_by=(
            {
                "bodies": 3,
                "slower by OSR": 1,
                "faster by OSR": 2,
                "add, times": 0.7,
                "odds, times": 1.5,
                "hash, times": 0.8,
            },
            8,
        ),
    ),
]
