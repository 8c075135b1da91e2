"""Notebook 02: which outcome of a prediction a result shows, and whether an answer to an exercise is right."""

import math
from typing import Any

import pandas as pd

from safepointlab.course import exercises, lessons
from safepointlab.course.exercises import Judged
from safepointlab.course.nb02_hang import experiments as hang
from safepointlab.course.predictions import Finding, jdks_by_collector, nothing
from safepointlab.errors import BadInput
from safepointlab.run import launch
from safepointlab.run.run import Run

LATE_EXIT_MS, TOO_LATE_MS = 200, 8_000
NO_STRIPS = (
    "But not because of a strip: C2 unrolls this loop by {unrolled}, and {length} times {unrolled} doesn't fit into an "
    "`int`, so C2 makes no strips at all. The thread polls in the outer loop only, and is late by at most one pass of "
    "the inner loop, whichever larger value the flag has."
)
TOO_SHORT = 50  # a fiftieth of the inner loop takes some 20 ms: that no machine makes 200 of it is no chance
UNROLLED = 4  # C2 of 17 unrolls the killer task's inner loop so often: a strip has four times the flag's iterations
MAIN = r"public static void main.*?(?=// How many)"  # what the reader leaves as it is
ODD, PATIENCE_MS = "odd numbers", 5_000
ODD_LIMIT = 1_001  # below it are 500 odd numbers and 501 even ones
COUNT = ODD_LIMIT * 500  # what countOdds finds
COUNTED = f"{COUNT} {ODD}"
KEEP = "Keep both loops, each up to the limit, and count when `j` is odd: only the way to loop is yours to change."
TOO_SLOW = "It may be right, but it's too slow. Pay for the way to a poll once in a thousand iterations, not in each."
SOON_MS = 300  # what a busy machine may add to an exit; a stall of 2^31 iterations is longer in most of its JVMs


def _killer(killer: pd.DataFrame) -> Finding:
    if set(killer["gc"]) != {"Serial", "G1"}:  # the reader chose others: no outcome to compare, but there are facts
        return nothing(f"{_fates(killer)} The outcomes are about Serial and G1 together.")
    hung, serial, old = killer["outcome"] == "hung", killer["gc"] == hang.NO_POLLS, killer["jdk"] <= 8
    rules = {
        "none": ~serial & serial,
        "all": serial | ~serial,
        "serial": serial,
        "old": old,
        "not-new-g1": serial | old,
    }
    keys = [key for key, rule in rules.items() if (hung == rule).all()]  # without an 8, two rules may be one
    return Finding(frozenset(keys[:1]), _fates(killer))


def _fates(runs: pd.DataFrame) -> str:
    """Where it hangs: "With Serial it hangs on JDK 8, and with G1 on no JDK." """
    (first, jdks), *others = jdks_by_collector(runs, runs["outcome"] == "hung").items()
    return f"With {first} it hangs on {jdks}{''.join(f', and with {gc} on {more}' for gc, more in others)}."


def _cures(cured: pd.DataFrame, inner: pd.DataFrame) -> Finding:
    tables = pd.concat([cured, inner])
    tables = tables[tables["gc"] == hang.NO_POLLS]
    if tables.empty:
        raise BadInput("in none of these runs was the collector Serial, so what helped may be the collector")
    works = (tables["outcome"] == "exited").groupby(tables["flags"]).all()
    spared = [flag for flag in works.index if "dontinline" in flag]
    flags = {
        "interpret": [hang.INTERPRETED],
        "c1": [hang.C1_ONLY],
        "polls": [hang.KEEP_POLLS],
        "loop": [flag for flag in spared if flag.endswith(".countOdds")],
        "called": [flag for flag in spared if flag.endswith(".isOdd")],
    }
    if not all(own and set(own) <= set(works.index) for own in flags.values()):
        raise BadInput("not every cure was tried")
    helping = frozenset(key for key, own in flags.items() if works[own].all())
    return Finding(helping, f"With Serial, {len(helping)} of {len(flags)} cures work.")


def _strips(answer: Any) -> Judged:
    """How late does the killer task exit with strips of that length?"""
    most = 2**32 - 1  # the flag takes no more
    length = exercises.whole(answer, 1, most, "the number of iterations of a strip")
    usual, late = hang.in_strips(0), hang.in_strips(length)
    flag = f"With `LoopStripMiningIter={length}`"
    if math.isinf(late):
        return Judged(False, f"{flag} the program does not exit in {hang.CURED_S:.0f} s.")
    later = f"{late - usual:,.0f} ms later" if late > usual else "no later"
    does = f"{flag} the latest of three JVMs exits {later} than usual."
    holds, strip = usual + LATE_EXIT_MS < late < TOO_LATE_MS, length * UNROLLED
    if strip > hang.LIMIT:  # OuterStripMinedLoopNode::adjust_strip_mined_loop
        return Judged(holds, does, explanation=NO_STRIPS.format(unrolled=UNROLLED, length=f"{length:,}"))
    return Judged(holds, does, by_time=strip * TOO_SHORT > hang.LIMIT)


def _cured(answer: Any) -> Judged:
    """Does the edited program still count, and exit promptly with Serial on JDK 8, 17 and the newest?"""
    source = str(exercises.java_file(answer, lessons.exercise("02-2"), MAIN))
    counting = _exit(source, 17, 300, ODD_LIMIT)
    if slow := ODD not in counting.output:  # a cure may make each iteration dear: it gets more time
        counting = _exit(source, 17, PATIENCE_MS, ODD_LIMIT)
    if ODD not in counting.output:
        does = f"In {hang.CURED_S:.0f} s it doesn't get through its warm-up and a count to {ODD_LIMIT:,}."
        return Judged(False, does, explanation=TOO_SLOW)
    if COUNTED not in counting.output:
        does = f"With a limit of {ODD_LIMIT:,} it no longer counts {COUNT:,} odd numbers."
        return Judged(False, does, by_time=False, explanation=KEEP)
    for jdk in sorted({8, 17, exercises.newest_jdk()}):
        if complaint := complaint_about_exit(source, jdk, slow):
            return complaint
    return Judged(True, "It still counts correctly, and it exits promptly with Serial on every JDK we tried.")


def complaint_about_exit(source: str, jdk: int, slow: bool = False) -> Judged | None:
    """What is wrong with the program's exit on this JDK; None if it exits as soon as the sample that is cut by hand.

    Of a `slow` program the warm-up takes long, and that makes its exit as late as a missing poll would.
    """
    first = _exit(source, jdk, hang.SLEEP_MS)
    if first.overdue:
        return Judged(False, f"On JDK {jdk} with Serial it {'hangs' if first.hung else 'does not end'}.")
    if "main returns" not in first.output or ODD in first.output:
        return Judged(False, f"On JDK {jdk} it finishes counting before `main` returns.", False, KEEP)
    late, usual = (hang.latest_exit_ms(program, jdk) for program in (source, "hang/KillerTaskInChunks"))
    if math.isinf(late):
        always = f"one of three ran for {hang.CURED_S:.0f} s and more"
        return Judged(False, f"On JDK {jdk} with Serial it does not always exit: {always}.")
    words = f"On JDK {jdk} with Serial it exits {late - usual:,.0f} ms later than a program that polls often."
    return Judged(False, words, explanation=TOO_SLOW * slow) if late > usual + SOON_MS else None


def _exit(source: str, jdk: int, *args: int) -> Run:
    return launch.java(source, jdk, gc=hang.NO_POLLS, args=args, deadline=hang.CURED_S, reuse=True)


def _rescuer(answer: Any) -> Judged:
    """Is this the compilation whose code the thread of the cold killer task runs when main returns?"""
    number = exercises.whole(answer, 1, 100_000, "the number of a compilation in that log")
    rows = hang.compile_log(hang.warmed(17, calls=0), "KillerTask::countOdds$")
    rows = rows[(rows["event"] == "compiled") & (rows["compile_id"] == number)]
    if rows.empty:
        return Judged(False, f"In this run, compilation {number} isn't one of `countOdds`.")
    tier, osr = int(rows["tier"].iloc[0]), bool(rows["osr"].iloc[0])
    entered = "in the middle of the loop (OSR)" if osr else "at the top"
    made = f"Compilation {number} is of tier {tier}, and it's entered {entered}."
    return Judged(tier == 4 and osr, made)


CLASSIFIERS = {"02-killer": _killer, "02-cures": _cures}
JUDGES = {"02-1": _strips, "02-2": _cured, "02-3": _rescuer}
