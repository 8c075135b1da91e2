"""The way out of a safepoint, as JDKs log it that say so: claims 004-07 to -09, and 000-52."""

from math import isnan, nan

from safepointlab.claims.base import Claim, Evidence, Judgement, fails, holds, not_asked, unclear
from safepointlab.course.nb15_faster import experiments as faster
from safepointlab.course.nb15_faster.experiments import BEFORE
from safepointlab.process.machine import cores

NOT_LOGGED = (
    "this JDK's log does not tell how long it takes to let the threads go (JDK-8350313: 25, late updates of 21)"
)
ABOUT_100_US, BEFORE_US = 250, 400  # "~100us"; the post's shorter half before the change
ALONE, CROWD = "leaving with Serial, 1 thread, us", "leaving with Serial, 8 threads a core, us"
ENDS = [f"{side}, {end}, ms" for side in ("11", "this") for end in ("quickest JVM", "slowest JVM")]
ITSELF = "JDK 11 is what the others are compared with"


def _halves(jdk: int) -> Evidence:
    stops = faster.collector_stops(faster.scan(jdk, threads=cores()).safepoints)
    medians = 1000 * stops[["ttsp_ms", "leaving_ms"]].astype("float64").median()
    return {"threads": cores(), "stopping_us": float(medians["ttsp_ms"]), "leaving_us": float(medians["leaving_ms"])}


def _both_about_100_us(measured: Evidence, jdk: int) -> Judgement:
    stopping, leaving = measured["stopping_us"], measured["leaving_us"]
    if isnan(leaving):
        return not_asked(NOT_LOGGED)
    where = f"with {measured['threads']} running threads, one for each core; the post's had 16"
    if max(stopping, leaving) <= ABOUT_100_US:
        return holds(where)
    return fails(where) if max(stopping, leaving) > BEFORE_US else unclear(f"between the post's two builds, {where}")


def _crowded(jdk: int) -> Evidence:
    if jdk == BEFORE:
        return {"another JDK than 11": False, **dict.fromkeys(ENDS, nan)}
    rows = faster.crowded(jdk)
    waits = [rows.loc[rows["jdk"] == major, "gc_ms"].dropna() for major in (BEFORE, jdk)]
    ends = [float(end(waited)) for waited in waits for end in (min, max)]
    return {"another JDK than 11": True, **dict(zip(ENDS, ends, strict=True))}


def _several_times_later(measured: Evidence, jdk: int) -> Judgement:
    if not measured["another JDK than 11"]:
        return not_asked(ITSELF)
    before_least, before_most, least, most = (measured[name] for name in ENDS)
    if least > 2 * before_most:
        return holds("several running threads a core: each JVM answers later than twice what any of 11 took")
    return fails("not twice as late") if most < 2 * before_least else unclear("not told apart by this measurement")


def _rest_of_the_pause(jdk: int) -> Evidence:
    run = faster.pairs(jdk, "Shenandoah")["this"][0]
    stops = faster.collector_stops(run.safepoints)
    ttsp, leaving = (1000 * float(stops[column].astype("float64").mean()) for column in ("ttsp_ms", "leaving_ms"))
    gross, net = (float(faster.pauses_of(run, kind).mean()) for kind in (faster.GROSS, faster.NET))
    return {"gross less net less TTSP, us": gross - net - ttsp, "leaving_us": leaving}


def _is_leaving(measured: Evidence, jdk: int) -> Judgement:
    rest, leaving = measured["gross less net less TTSP, us"], measured["leaving_us"]
    if isnan(leaving):
        return not_asked(NOT_LOGGED)
    if not rest > 0:
        return unclear("nothing is left of the gross pause")
    share = leaving / rest
    said = f"leaving is {100 * share:.0f} % of the rest"
    if 2 / 3 < share < 1.5:
        return holds(said)
    if share < 1 / 3:
        return fails(said)
    return unclear(f"{said}: about half of it" if share < 1 else f"{said}: more than there is")


def _resumed(jdk: int) -> Evidence:
    return {ALONE: _leaving_us(jdk, 1), CROWD: _leaving_us(jdk, 8 * cores())}


def _leaving_us(jdk: int, threads: int) -> float:
    stops = faster.collector_stops(faster.scan(jdk, threads, gc="Serial").safepoints)
    return 1000 * float(stops["leaving_ms"].astype("float64").median())


def _grows(measured: Evidence, jdk: int) -> Judgement:
    alone, crowd = measured[ALONE], measured[CROWD]
    if isnan(alone) or isnan(crowd):
        return not_asked(NOT_LOGGED)
    if crowd > 2 * alone > 0:
        return holds("it is in each safepoint, and more with more threads")
    return fails("it does not grow") if crowd < 1.2 * alone else unclear("it grows a little")


CLAIMS: list[Claim] = [
    Claim(
        "000-52",
        "Resuming the threads is a part of a safepoint's cost, and grows with their number",
        as_published="the third component of the cost; no number",
        measure=_resumed,
        judge=_grows,
        refuted_by=({ALONE: 40.0, CROWD: 42.0}, 25),
    ),
    Claim(
        "004-07",
        "With a running thread for each hardware thread, stopping them and letting them go take about 100 us each",
        as_published="16 strands: about 600 -> 100 us to stop, 400 -> 100 us to start, by perf",
        measure=_halves,
        judge=_both_about_100_us,
        refuted_by=({"threads": 2, "stopping_us": 600.0, "leaving_us": 400.0}, 25),
    ),
    Claim(
        "004-08",
        "Beside eight running threads a core System.gc() takes several times as long as on 11 (Shenandoah)",
        as_published="the lab's own; the post has as many threads as hardware threads",
        measure=_crowded,
        judge=_several_times_later,
        refuted_by=({"another JDK than 11": True, **dict.fromkeys(ENDS, 30.0)}, 17),
    ),
    Claim(
        "004-09",
        "What Shenandoah's gross pause has beside its own work and the time to safepoint is the leaving latency",
        as_published="“quite probably”: 500 - 229 - 108 us; not logged then",
        measure=_rest_of_the_pause,
        judge=_is_leaving,
        refuted_by=({"gross less net less TTSP, us": 160.0, "leaving_us": 20.0}, 25),
    ),
]
