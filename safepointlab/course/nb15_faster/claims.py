"""Safepoints before and after JDK 13 made them faster, and the way out of one: claims 004-01 to -12, and 000-52.

Each JDK is compared with JDK 11. The post compared two builds that differed in one change, on 16 hardware threads.
Here 11 stands for before, and what it is compared with has years of other changes in it. What a few cores cannot decide
is `unclear`, with what was measured.
"""

from collections.abc import Callable
from math import isfinite, isnan, nan

from safepointlab import jdks
from safepointlab.claims.base import Claim, Evidence, Judgement, differs, holds, not_applicable, unclear
from safepointlab.course.nb15_faster import experiments as faster
from safepointlab.course.nb15_faster.experiments import BEFORE, GROSS, NET
from safepointlab.errors import RunFailed
from safepointlab.jdks import flags
from safepointlab.process.machine import cores
from safepointlab.run import jmh, profile, sweep
from safepointlab.run.jmh_run import BenchRun
from safepointlab.run.load import load

STRANDS = 16  # hardware threads of the post's machine
SIDES, ENDS = (str(BEFORE), "this"), ("lowest", "highest")  # of the JVMs of each JDK
CROWDED = [f"{side}, {end} JVM, ms" for side in SIDES for end in ("quickest", "slowest")]
ITSELF = "JDK 11 is what the others are compared with"
ANOTHER = "another JDK than 11"
ALONE = "the builds differ in this change alone"
NEIGHBOURS = (12, 13)  # without the change, and with it
NOT_LOGGED = (
    "this JDK's log does not tell how long it takes to let the threads go (JDK-8350313: 25, late updates of 21)"
)
ABOUT_100_US, BEFORE_US = 250, 400  # "~100us"; the post's shorter half before the change
ONE_THREAD, CROWD = "leaving with Serial, 1 thread, us", "leaving with Serial, 8 threads a core, us"
REST = "gross less net less TTSP, us"

Value = Callable[[BenchRun], float]
Judge = Callable[[Evidence], Judgement]


def _pairs(jdk: int, gc: str) -> dict[str, list[BenchRun]]:
    """The post's benchmark on 11 and on this JDK, so many times each and in turn; runs of 11 are used again.

    Raises:
        FlagRejected: this JDK lacks the collector.
    """
    flags.check(flags.gc_flag(gc, jdks.get(jdk)), jdks.get(jdk))
    options = profile.by_effort(quick="-f 1 -wi 1 -w 400ms -i 4 -r 400ms", standard="-f 1 -wi 3 -w 800ms -i 5 -r 600ms")
    benchmark, heap = "faster.Serialise", "-Xmx300m"  # small, so that there are many collections in a second
    majors, log, repeat = list(dict.fromkeys([BEFORE, jdk])), "safepoint gc", profile.by_effort(quick=1, standard=2)
    frame = jmh.jmh(benchmark, majors, heap, options, gc=gc, threads=2 * cores(), log=log, repeat=repeat, reuse=True)
    measured = frame[frame["outcome"] == "measured"].drop_duplicates("run")
    runs = {major: map(load, measured.loc[measured["jdk"] == major, "run"]) for major in majors}
    found = {major: [run for run in those if isinstance(run, BenchRun)] for major, those in runs.items()}
    return dict(zip(SIDES, (found[BEFORE], found[jdk]), strict=True))


def _against_11(*compared: tuple[str, str, Value], alone: bool = False) -> Callable[[int], Evidence]:
    """Measure values, each with its collector and its name: the lowest and highest of the JVMs of 11 and of this JDK.

    With `alone`: and whether the change is all that lies between the two builds; else on how many cores.
    """

    def measure(jdk: int) -> Evidence:
        evidence: dict[str, float] = {ALONE: (BEFORE, jdk) == NEIGHBOURS} if alone else {"cores": cores()}
        evidence[ANOTHER] = jdk != BEFORE
        for gc, what, value in compared:
            runs = _pairs(jdk, gc) if jdk != BEFORE else {}
            for side in SIDES:
                values = [value(run) for run in runs.get(side, [])]
                lowest, highest = min(values, default=nan), max(values, default=nan)
                evidence |= {f"{side}, lowest, {what}": lowest, f"{side}, highest, {what}": highest}
        return evidence

    return measure


def _average(column: str) -> Value:
    """The average over the collector's stops of one JVM."""

    def average(run: BenchRun) -> float:
        stops = faster.collector_stops(run.safepoints)
        if len(stops) < 5:
            raise RunFailed(f"{run!r} logged {len(stops)} stops: too few to compare")
        return float(stops[column].mean())

    return average


def _score(run: BenchRun) -> float:
    return float(run.score()["score"])


def _gross(run: BenchRun) -> float:
    return float(faster.pauses(run, GROSS).mean())


def _net(run: BenchRun) -> float:
    return float(faster.pauses(run, NET).mean())


def _ends(measured: Evidence, what: str) -> tuple[float, float, float, float]:
    before_least, before_most, least, most = (
        float(measured[f"{side}, {end}, {what}"]) for side in SIDES for end in ENDS
    )
    return before_least, before_most, least, most


def _by_one_change(what: str, judge: Callable[[float, float, float, float], Judgement]) -> Judge:
    """A judge of 11's lowest and highest and this JDK's; where builds differ in more, a difference decides nothing."""

    def judge_builds(measured: Evidence) -> Judgement:
        if not measured[ANOTHER]:
            return not_applicable(ITSELF)
        judged = judge(*_ends(measured, what))
        if measured[ALONE] or judged.answer not in ("holds", "differs"):
            return judged
        return unclear(f"{judged.why}; no two builds differ in this change alone")

    return judge_builds


def _no_loss(before_least: float, before_most: float, least: float, most: float) -> Judgement:
    loss = f"each JVM is slower, by {_percent(before_least, most)} to {_percent(before_most, least)} %"
    if most < 0.8 * before_least:
        return differs(loss)
    if least > 0.95 * before_most:
        return holds("no JVM loses more than 5 % against those of 11")
    return unclear(loss if most < before_least else "not told apart: the scores of the JVMs overlap")


def _percent(before: float, this: float) -> str:
    """How much less this is than the one before, in whole percent.

    >>> _percent(17193.0, 13280.0), _percent(0.0, 1.0)
    ('23', '?')
    """
    return f"{100 * (1 - this / before):.0f}" if before > 0 and isfinite(this) else "?"


def _times_shorter(times: float, unit: str) -> Judge:
    """Judges a ratio of which the post had more than `times`, where there are cores enough for it to appear."""

    def judge(measured: Evidence) -> Judgement:
        if not measured[ANOTHER]:
            return not_applicable(ITSELF)
        before_least, before_most, least, most = _ends(measured, unit)
        before, this = before_least + before_most, least + most
        how = "no ratio"
        if before > 0 and this > 0:
            ratio = before / this
            times_as = f"{ratio:.1f} times as short" if ratio >= 1 else f"{1 / ratio:.1f} times as long"
            how = f"{times_as} as on {BEFORE}"
        if measured["cores"] < STRANDS // 2:
            return unclear(f"{how}; {measured['cores']} cores cannot queue {STRANDS} threads for one lock")
        if before_least >= times * most:
            return holds(how)
        return differs(f"{how}; {times:g} times as short was expected") if before_most < times * least else unclear(how)

    return judge


def _unchanged(before_least: float, before_most: float, least: float, most: float) -> Judgement:
    if most < before_least / 1.5:
        return differs("shorter than on 11")
    if least > 1.5 * before_most:
        return differs("longer than on 11")
    if before_most <= 1.5 * least and most <= 1.5 * before_least:
        return holds("the work in the pause is the same")
    if most < before_least:
        lost = _percent(before_least, most)
        return unclear(f"shorter in each JVM, by {lost} % or more: too near the limit of a third to say")
    if least > before_most:
        lost = _percent(least, before_most)
        return unclear(f"longer in each JVM; 11's are {lost} % shorter or more: too near the limit to say")
    return unclear("not told apart: the averages of the JVMs overlap")


def _upper_falls(measured: Evidence) -> Judgement:
    upper = _times_shorter(4, "us")(measured)
    if upper.answer != "holds":
        return upper
    before_least, _, _, most = _ends(measured, "maximum, us")
    return differs("the longest one fell as well") if most < before_least / 1.5 else upper


def _both_shorter(measured: Evidence) -> Judgement:
    if not measured[ANOTHER]:
        return not_applicable(ITSELF)
    judged = {gc: _times_shorter(2, f"{gc}, ms")(measured) for gc in ("Z", "Shenandoah")}
    why = "; ".join(f"{gc}: {judgement.why}" for gc, judgement in judged.items())
    states = {judgement.answer for judgement in judged.values()}
    return holds(why) if states == {"holds"} else differs(why) if "differs" in states else unclear(why)


def _halves(jdk: int) -> Evidence:
    stops = faster.collector_stops(faster.scan(jdk, threads=cores()).safepoints)
    medians = 1000 * stops[["ttsp_ms", "leaving_ms"]].astype("float64").median()
    return {"threads": cores(), "stopping_us": float(medians["ttsp_ms"]), "leaving_us": float(medians["leaving_ms"])}


def _both_about_100_us(measured: Evidence) -> Judgement:
    stopping, leaving = measured["stopping_us"], measured["leaving_us"]
    if isnan(leaving):
        return not_applicable(NOT_LOGGED)
    where = f"with {measured['threads']} running threads, one for each core; the post's had 16"
    if max(stopping, leaving) <= ABOUT_100_US:
        return holds(where)
    return differs(where) if max(stopping, leaving) > BEFORE_US else unclear(f"between the post's two builds, {where}")


def _crowded(jdk: int) -> Evidence:
    """Eight scanning threads a core on 11 and on this JDK, in turn: how long a collection took its caller."""
    if jdk == BEFORE:
        return {ANOTHER: False, **dict.fromkeys(CROWDED, nan)}
    program, majors, gc = faster.PROGRAM, [BEFORE, jdk], "Shenandoah"
    flags.check(flags.gc_flag(gc, jdks.get(jdk)), jdks.get(jdk))
    args = f"{faster.MANY * cores()} {faster.CYCLES}"
    rows = sweep.sweep(program, jdk=majors, gc=gc, args=args, repeat=2, log=faster.LOG, deadline=60, reuse=True)
    waits = [rows.loc[rows["jdk"] == major, "gc_ms"].dropna() for major in (BEFORE, jdk)]
    ends = [float(end(waited, default=nan)) for waited in waits for end in (min, max)]
    return {ANOTHER: True, **dict(zip(CROWDED, ends, strict=True))}


def _several_times_later(measured: Evidence) -> Judgement:
    if not measured[ANOTHER]:
        return not_applicable(ITSELF)
    before_least, before_most, least, most = (measured[name] for name in CROWDED)
    if least > 2 * before_most:
        return holds("several running threads a core: each JVM answers later than twice what any of 11 took")
    return differs("not twice as late") if most < 2 * before_least else unclear("not told apart by this measurement")


def _rest_of_the_pause(jdk: int) -> Evidence:
    run = _pairs(jdk, "Shenandoah")["this"][0]
    stops = faster.collector_stops(run.safepoints)
    ttsp_us, leaving_us = (1000 * float(stops[name].astype("float64").mean()) for name in ("ttsp_ms", "leaving_ms"))
    return {REST: _gross(run) - _net(run) - ttsp_us, "leaving_us": leaving_us}


def _is_leaving(measured: Evidence) -> Judgement:
    rest, leaving = measured[REST], measured["leaving_us"]
    if isnan(leaving):
        return not_applicable(NOT_LOGGED)
    if not rest > 0:
        return unclear("nothing is left of the gross pause")
    share = leaving / rest
    said = f"leaving is {100 * share:.0f} % of the rest"
    if 2 / 3 < share < 1.5:
        return holds(said)
    if share < 1 / 3:
        return differs(said)
    return unclear(f"{said}: about half of it" if share < 1 else f"{said}: more than there is")


def _leaving_us(jdk: int, threads: int) -> float:
    stops = faster.collector_stops(faster.scan(jdk, threads, gc="Serial").safepoints)
    return 1000 * float(stops["leaving_ms"].astype("float64").median())


def _grows(measured: Evidence) -> Judgement:
    alone, crowd = measured[ONE_THREAD], measured[CROWD]
    if isnan(alone) or isnan(crowd):
        return not_applicable(NOT_LOGGED)
    if crowd > 2 * alone > 0:
        return holds("it is in each safepoint, and more with more threads")
    return differs("it does not grow") if crowd < 1.2 * alone else unclear("it grows a little")


def _no(what: str, *ends: float, cores: int | None = 16) -> Evidence:
    """Evidence of another JDK with these lowest and highest values, of 11 and of its own."""
    names = [f"{side}, {end}, {what}" for side in SIDES for end in ENDS]
    return {**({"cores": cores} if cores else {}), ANOTHER: True, **dict(zip(names, ends, strict=True))}


CLAIMS = [
    Claim(
        "004-01",
        "Faster safepoints cost no throughput: ZGC",
        as_published="19779 ± 79 -> 19858 ± 89 ops/s",
        measure=_against_11(("Z", "score, per_s", _score), alone=True),
        judge=_by_one_change("score, per_s", _no_loss),
        refuted_by={ALONE: True, **_no("score, per_s", 19700.0, 19900.0, 15000.0, 15100.0, cores=None)},
    ),
    Claim(
        "004-02",
        "Faster safepoints cost no throughput: Shenandoah",
        as_published="19929 ± 57 -> 19932 ± 49 ops/s",
        measure=_against_11(("Shenandoah", "score, per_s", _score), alone=True),
        judge=_by_one_change("score, per_s", _no_loss),
        refuted_by={ALONE: True, **_no("score, per_s", 19900.0, 19950.0, 15000.0, 15100.0, cores=None)},
    ),
    Claim(
        "004-03",
        "Shenandoah's gross pauses, from the request on, get half as long on average",
        as_published="1139 -> 500 us on average, of 416 and 414",
        measure=_against_11(("Shenandoah", "us", _gross)),
        judge=_times_shorter(1.7, "us"),
        refuted_by=_no("us", 1100.0, 1200.0, 1100.0, 1200.0),
    ),
    Claim(
        "004-04",
        "Shenandoah's net pauses, its own work, stay the same on average",
        as_published="216 -> 229 us on average, of 416 and 414",
        measure=_against_11(("Shenandoah", "us", _net), alone=True),
        judge=_by_one_change("us", _unchanged),
        refuted_by={ALONE: True, **_no("us", 200.0, 220.0, 800.0, 900.0, cores=None)},
    ),
    Claim(
        "004-05",
        "With ZGC the average time to safepoint gets many times shorter",
        as_published="0.836 -> 0.072 ms on average, “11.6x lower”",
        measure=_against_11(("Z", "ms", _average("ttsp_ms"))),
        judge=_times_shorter(5, "ms"),
        refuted_by=_no("ms", 0.80, 0.84, 0.5, 0.6),
    ),
    Claim(
        "004-06",
        "With Shenandoah the average time to safepoint gets many times shorter",
        as_published="0.803 -> 0.108 ms on average, “7.4x lower”",
        measure=_against_11(("Shenandoah", "ms", _average("ttsp_ms"))),
        judge=_times_shorter(5, "ms"),
        refuted_by=_no("ms", 0.80, 0.84, 0.5, 0.6),
    ),
    Claim(
        "004-10",
        "What Shenandoah's pauses cost beside its own work (gross less net) falls to a third",
        as_published="1139 - 216 us -> 500 - 229 us on average: “~3/4 ms in safepoint infra”, then “~1/4 ms”",
        measure=_against_11(("Shenandoah", "us", lambda run: _gross(run) - _net(run))),
        judge=_times_shorter(2.5, "us"),
        refuted_by=_no("us", 900.0, 950.0, 900.0, 950.0),
    ),
    Claim(
        "004-11",
        "The upper quartile of the gross pauses falls to a fifth, and the longest one does not get shorter",
        as_published="levels 203, 381, 426, 2324, 4705 -> 191, 398, 418, 443, 8992 us",
        measure=_against_11(
            ("Shenandoah", "us", lambda run: float(faster.pauses(run, GROSS).quantile(0.75))),
            ("Shenandoah", "maximum, us", lambda run: float(faster.pauses(run, GROSS).max())),
        ),
        judge=_upper_falls,
        refuted_by={
            **_no("us", 2300.0, 2400.0, 2200.0, 2300.0),
            **_no("maximum, us", 4700.0, 4800.0, 4600.0, 4700.0, cores=None),
        },
    ),
    Claim(
        "004-12",
        "The average pause gets shorter with both collectors, by more than half",
        as_published="1.040 -> 0.229 ms (ZGC), 1.094 -> 0.412 ms (Shenandoah)",
        measure=_against_11(
            ("Z", "Z, ms", _average("total_ms")), ("Shenandoah", "Shenandoah, ms", _average("total_ms"))
        ),
        judge=_both_shorter,
        refuted_by={**_no("Z, ms", 1.0, 1.1, 0.9, 1.0), **_no("Shenandoah, ms", 1.0, 1.1, 0.9, 1.0)},
    ),
    Claim(
        "000-52",
        "Resuming the threads is a part of a safepoint's cost, and grows with their number",
        as_published="the third component of the cost; no number",
        measure=lambda jdk: {ONE_THREAD: _leaving_us(jdk, 1), CROWD: _leaving_us(jdk, faster.MANY * cores())},
        judge=_grows,
        refuted_by={ONE_THREAD: 40.0, CROWD: 42.0},
    ),
    Claim(
        "004-07",
        "With a running thread for each hardware thread, stopping them and letting them go take about 100 us each",
        as_published="16 strands: about 600 -> 100 us to stop, 400 -> 100 us to start, by perf",
        measure=_halves,
        judge=_both_about_100_us,
        refuted_by={"threads": 2, "stopping_us": 600.0, "leaving_us": 400.0},
    ),
    Claim(
        "004-08",
        "Beside eight running threads a core System.gc() takes several times as long as on 11 (Shenandoah)",
        as_published="the lab's own; the post has as many threads as hardware threads",
        measure=_crowded,
        judge=_several_times_later,
        refuted_by={ANOTHER: True, **dict.fromkeys(CROWDED, 30.0)},
    ),
    Claim(
        "004-09",
        "What Shenandoah's gross pause has beside its own work and the time to safepoint is the leaving latency",
        as_published="“quite probably”: 500 - 229 - 108 us; not logged then",
        measure=_rest_of_the_pause,
        judge=_is_leaving,
        refuted_by={REST: 160.0, "leaving_us": 20.0},
    ),
]
