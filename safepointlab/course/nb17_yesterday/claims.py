"""What no post says, as AOT caches are younger: claims 003e-21 to -23, the lab's own, each run on one JDK."""

from collections.abc import Sequence
from functools import partial

from safepointlab.claims.base import Claim, Evidence, Judgement, decide, differs, holds, unclear
from safepointlab.course.nb02_hang.experiments import in_short
from safepointlab.course.nb17_yesterday import experiments
from safepointlab.course.nb17_yesterday.experiments import BUSY, EDGE, FIRST_JDK, IDLE, LIVELY, NO_CACHE, QUIET

JVMS = 3  # of each setting
WITHOUT, WITH = "outcomes without a cache", "outcomes with the cache"
BEFORE, AT = f"versions by C2 after {EDGE - 1:,} calls", f"versions by C2 after {EDGE:,} calls"
AT_WITHOUT = f"without a cache after {EDGE:,} calls"


def _outcomes(jdk: int, today: str, yesterday: str) -> Evidence:
    """How some JVMs end on this day without a cache, and how as many end with that of this yesterday, by turns.

    Those with the cache begin: a JDK that has none is not asked for more.
    """
    ends: dict[str, list[str]] = {WITHOUT: [], WITH: []}
    for number in range(JVMS):
        for name, cache in ((WITH, yesterday), (WITHOUT, NO_CACHE)):
            run = in_short(partial(experiments.one_day, jdk, today, cache, repeat=number))
            ends[name].append(run.outcome)
    return ends


def _ends(measured: Evidence, without: str, with_cache: str) -> Judgement:
    """Whether each JVM ended as told, without the cache and with it."""
    plain, trained = measured[WITHOUT], measured[WITH]
    told = f"hung: {_hung(plain)} without a cache, {_hung(trained)} with it"
    return decide(
        (set(plain) == {without} and set(trained) == {with_cache}, holds(told)),
        (set(plain) == set(trained) and len(set(plain)) == 1, differs(told)),
        otherwise=unclear(told),
    )


def _hung(outcomes: Sequence[str]) -> str:
    return f"{list(outcomes).count('hung')} of {len(outcomes)}"


def _edge(jdk: int, yesterday: str = BUSY) -> Evidence:
    """How many standard versions C2 has made of the method when that many empty calls have waited for the compilers."""
    points = {BEFORE: (EDGE - 1, yesterday), AT: (EDGE, yesterday), AT_WITHOUT: (EDGE, NO_CACHE)}
    return {
        name: experiments.by_c2(experiments.one_day(jdk, f"{calls}x0", cache, "-Xbatch", "compilation"))
        for name, (calls, cache) in points.items()
    }


def _at_the_edge(measured: Evidence) -> Judgement:
    before, at, without = (measured[name] for name in (BEFORE, AT, AT_WITHOUT))
    told = f"after {EDGE - 1:,} calls {before} versions by C2, after {EDGE:,} calls {at}, without a cache {without}"
    return decide(
        (before == 0 and at == 1 and without == 0, holds(told)),
        (at == 0 or before > 0, differs(told)),
        otherwise=unclear(told),
    )


NOT_THERE = "no AOT cache in 2016"
TRAINING = (
    "The lab's own program OneDay with Serial. Before each run with a cache, a training run with -XX:AOTCacheOutput "
    "makes the cache, and the run itself reads it with -XX:AOTCache. The table has the arguments of the runs that are "
    "judged; those in training are `{}`"
)
STORED = (
    "A method that C2 compiled in training, and whose profile is in the cache, is compiled at tier 2 and then by C2, "
    "from that profile (trained_transition in compilationPolicy.cpp, JDK-8355003, JEP 515)."
)
CLAIMS = [
    Claim(
        "003e-21",
        "With Serial and the AOT cache of a busy training run, a program hangs that exits without a cache",
        as_published=NOT_THERE,
        measure=lambda jdk: _outcomes(jdk, QUIET, BUSY),
        judge=lambda measured: _ends(measured, "exited", "hung"),
        rule="each of three JVMs exits without a cache, and each of three hangs with it",
        mechanism=(
            f"{STORED} That profile knows the loops, so C2 compiles them without a poll. Without a cache, C2 finds "
            "that the loops have never run and leaves an uncommon trap in their place; the thread runs into it, and "
            "gets from the interpreter into an OSR version, which has a poll."
        ),
        setup=f"{TRAINING.format(BUSY)}: the loops run; today they don't before the long call.",
        refuted_by=lambda jdk: _outcomes(max(jdk, FIRST_JDK), QUIET, IDLE),
        ours=True,
        version=2,
    ),
    Claim(
        "003e-22",
        "With Serial and the AOT cache of an idle training run, a program exits that hangs without a cache",
        as_published=NOT_THERE,
        measure=lambda jdk: _outcomes(jdk, LIVELY, IDLE),
        judge=lambda measured: _ends(measured, "hung", "exited"),
        rule="each of three JVMs hangs without a cache, and each of three exits with it",
        mechanism=(
            f"{STORED} Code of tier 2 counts calls and iterations, but keeps no profile. So today's loops, which run "
            "in it, aren't in the profile that C2 uses, and C2 leaves a trap in their place."
        ),
        setup=f"{TRAINING.format(IDLE)}: the method is called, but its loops don't run; today they do.",
        refuted_by=lambda jdk: _outcomes(max(jdk, FIRST_JDK), LIVELY, BUSY),
        ours=True,
        version=2,
    ),
    Claim(
        "003e-23",
        f"With -Xbatch and an AOT cache's profile, C2 compiles a method without iterations at its {EDGE:,}th call",
        as_published=NOT_THERE,
        measure=_edge,
        judge=_at_the_edge,
        rule=f"C2 has made no version after {EDGE - 1:,} calls, and one after {EDGE:,}, but none without a cache",
        mechanism=(
            f"{STORED} There is no threshold: code of tier 2 reports each {EDGE:,}th call to the VM "
            "(Tier2InvokeNotifyFreqLog=11), and the first such report is enough. If the loops run, a report of "
            "iterations comes sooner (each 16,384th, Tier2BackedgeNotifyFreqLog=14); without -Xbatch, the calls that "
            "are made until the code of tier 2 is ready count elsewhere. Without a cache it takes 5,000 empty calls in "
            "the profile (Tier4InvocationThreshold)."
        ),
        setup=f"{TRAINING.format(BUSY)}. Today's calls are empty, and with -Xbatch they wait for each compilation.",
        refuted_by=lambda jdk: _edge(max(jdk, FIRST_JDK), NO_CACHE),
        ours=True,
        version=2,
    ),
]
