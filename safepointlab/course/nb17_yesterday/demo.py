"""Demo: a program that exits, and the same program with the AOT cache of a busy yesterday, which doesn't."""

from safepointlab.course import demo_code
from safepointlab.course.demo_script import Demo, Facts, Measured, Page, Step, ended, facts_of, fate, still
from safepointlab.course.nb17_yesterday import experiments
from safepointlab.course.nb17_yesterday.experiments import BUSY, DAY, NO_CACHE, QUIET

JDK = 25


def _fate_and_tiers(yesterday: str) -> Facts:
    run = experiments.one_day(JDK, QUIET, yesterday, log="compilation")
    return facts_of(run) | {"tiers": experiments.tiers(run)}


def _today(measured: Measured) -> Page:
    facts = measured["today"]
    return Page(ended(facts), (fate(facts), "The short calls never entered the loops."))


def _yesterday(measured: Measured) -> Page:
    before, after = measured["today"], measured["yesterday"]
    lines = (f"No cache: {fate(before)}", f"Busy yesterday: {fate(after)}", "Same jar, same arguments, same JDK.")
    return Page(ended(after), lines)


def _tiers(measured: Measured) -> Page:
    without, with_cache = (" → ".join(measured[name]["tiers"]) for name in ("today", "yesterday"))
    lines = (f"No cache: {without}", f"Busy yesterday: {with_cache}", "%: entered in mid-loop (OSR).")
    return Page("WHICH CODE?", lines)


DEMO = Demo(
    "yesterday",
    "Same jar, same arguments: can yesterday decide whether it exits?",
    "17-yesterdays-profile",
    (
        Step(
            "question",
            ("Who starts a service with an AOT cache?", "It brings the profiles of a training run (JEP 515)."),
            still("YESTERDAY", "JDK 25 and later: a training run leaves a cache.", "Can it decide whether we exit?"),
        ),
        Step(
            "code",
            ("7,000 calls with a limit of 0, then one that lasts for decades.", "So the loops don't run before it."),
            lambda _: Page("THE LOOP", code=demo_code.lines(DAY, "static long oddSums")),
        ),
        Step(
            "today",
            ("No cache. Ask for hands: will it exit?", "main returns after 0.7 s."),
            _today,
            lambda: _fate_and_tiers(NO_CACHE),
            12,
            "java -XX:+UseSerialGC OneDay",
            experiments.DEADLINE_S,
        ),
        Step(
            "yesterday",
            ("First the training run, in which the loops are busy. It takes a second or two.", "Then count aloud."),
            _yesterday,
            lambda: _fate_and_tiers(BUSY),
            25,
            "java -XX:+UseSerialGC -XX:AOTCache=busy.aot OneDay",
            experiments.DEADLINE_S,
        ),
        Step(
            "code-made",
            ("Tier 3 keeps a profile, tier 2 only counts, tier 4 is C2.", "Where is today's profile, with the cache?"),
            _tiers,
        ),
        Step(
            "why",
            ("It's no defect of the cache. It's another profile.", "The training run is a part of the release."),
            still(
                "THE PROFILE",
                "Today's: the loops never ran, so C2 left a trap there.",
                "Yesterday's: they did, so C2 compiled them, without a poll.",
                "-XX:+UseCountedLoopSafepoints keeps the polls.",
            ),
        ),
    ),
)
