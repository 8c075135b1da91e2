"""Notebook 02: which outcome of a prediction a result shows, and whether an answer to an exercise is right.

The texts are in quiz.toml.
"""

import math
from pathlib import Path
from typing import Any

import pandas as pd

from safepointlab.course import exercises, lessons
from safepointlab.course.exercises import Judged
from safepointlab.course.nb02_hang import experiments as hang
from safepointlab.course.predictions import Finding, nothing, one
from safepointlab.errors import BadInput
from safepointlab.phrases import listed
from safepointlab.run import launch
from safepointlab.run.run import Run

TEMPLATES = Path(__file__).parent / "templates"


LATE_MS = 2_000  # what page 02 calls late, in its pictures too
ASKED = {"Serial", "G1"}


def _today(today: pd.DataFrame) -> Finding:
    hung, facts = today["outcome"] == "hung", _fates(today)
    if hung.any():
        return one("never" if hung.all() else "some", facts)
    slowest = today["wall_ms"].max() / 1000
    late = slowest * 1000 > LATE_MS
    return one("late" if late else "soon", f"{facts} The slowest of them took {slowest:.1f} s, its start included.")


def _killer(killer: pd.DataFrame) -> Finding:
    if set(killer["gc"]) != ASKED:  # the reader chose others: there is no outcome to compare, but there are facts
        return nothing(_fates(killer))
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


def _cures(cured: pd.DataFrame, inner: pd.DataFrame) -> Finding:
    tables = pd.concat([cured, inner])
    works = (tables["outcome"] == "exited").groupby(tables["flags"]).all()
    helping = frozenset(key for key, names in _tried(list(works.index)).items() if works[names].all())
    return Finding(helping, f"{len(helping)} of {len(lessons.prediction('02-cures').outcomes)} cures work.")


def _tried(flags: list[str]) -> dict[str, list[str]]:
    """By each cure's key its flags among those that were tried."""
    known = {"interpret": [hang.INTERPRETED, hang.EXCLUDED], "c1": [hang.C1_ONLY], "polls": [hang.KEEP_POLLS]}
    spared = [flag for flag in flags if "dontinline" in flag]
    known |= {"loop": [flag for flag in spared if flag.endswith(".countOdds")]}
    known |= {"called": [flag for flag in spared if flag.endswith(".isOdd")]}
    if not all(names and set(names) <= set(flags) for names in known.values()):
        raise BadInput("not every cure was tried")
    return known


def _fates(runs: pd.DataFrame) -> str:
    """Where it hangs: "With Serial it hangs on JDK 8 and 11, with G1 on no JDK." """
    by_gc = runs.groupby("gc", sort=False)
    hung = {_collector(str(gc)): list(rows.loc[rows["outcome"] == "hung", "jdk"].astype(str)) for gc, rows in by_gc}
    (first, jdks), *others = hung.items()
    rest = "".join(f", with {gc} on {_listed(more)}" for gc, more in others)
    return f"With {first} it hangs on {_listed(jdks)}{rest}."


def _collector(gc: str) -> str:
    return "the JDK's own collector" if gc == "default" else gc


def _listed(jdks: list[str]) -> str:
    """ "JDK 8, 11 and 17", or "no JDK"."""
    return f"JDK {listed(jdks)}" if jdks else "no JDK"


MOST_ITERATIONS = 2**32 - 1  # LoopStripMiningIter takes no more
LATE_EXIT_MS, TOO_LATE_MS = 200, 8_000
UNROLLED = 4  # C2 of 17 unrolls the killer task's inner loop so often: a strip has four times the flag's iterations
MAIN = r"public static void main.*?(?=// How many)"  # what the reader leaves as it is
COUNTED = "500000 odd numbers"  # what countOdds(1000) finds: 1000 times the 500 odd numbers below 1000


def _strips(answer: Any) -> Judged:
    """How late does the killer task exit with strips of that length?"""
    length = exercises.whole(answer, 1, MOST_ITERATIONS, "the number of iterations of a strip")
    usual, late = hang.in_strips(0), hang.in_strips(length)
    flag = f"With `LoopStripMiningIter={length}`"
    if math.isinf(late):
        return Judged(False, f"{flag} the program does not exit in {hang.CURED_S:.0f} s.")
    does = f"{flag} the latest of three JVMs exits {late - usual:,.0f} ms later than usual."
    return Judged(usual + LATE_EXIT_MS < late < TOO_LATE_MS, does + _no_strips(length))


def _no_strips(length: int) -> str:
    """What became of the strips if their length is no int; OuterStripMinedLoopNode::adjust_strip_mined_loop."""
    if length * UNROLLED <= hang.LIMIT:
        return ""
    times = f" But {length:,} times {UNROLLED}, as C2 unrolled the loop, is no `int`: C2 then makes no strips of it"
    return f"{times}, and the thread polls in the outer loop only."


def _cured(answer: Any) -> Judged:
    """Does the edited program still count, and exit soon with Serial on 8, on 17 (nests of loops) and on the newest?"""
    source = str(exercises.java_file(answer, TEMPLATES / "CuredTask.java", MAIN))
    counting = launch.java(source, 17, gc=hang.NO_POLLS, args=[300, 1000], deadline=hang.CURED_S, reuse=True)
    if COUNTED not in counting.output:
        return Judged(False, "With a limit of 1,000 it no longer counts 500,000 odd numbers.")
    for jdk in sorted({8, 17, exercises.newest_jdk()}):
        if complaint := _not_soon(source, jdk):
            return Judged(False, complaint)
    return Judged(True, "It counts as before, and exits soon with Serial on each JDK tried.")


def _not_soon(source: str, jdk: int) -> str:
    """What is wrong with the program's exit on this JDK; "" if it exits as soon as the sample that is cut by hand."""
    first = _exit(source, jdk)
    if first.hung:
        return f"On JDK {jdk} with Serial it hangs."
    if "main returns" not in first.output or "odd numbers" in first.output:
        return f"On JDK {jdk} the counting ends before `main` returns: keep both loops, up to the largest int."
    late, usual = hang.latest_exit_ms(source, jdk), hang.latest_exit_ms(hang.IN_CHUNKS, jdk)
    words = f"On JDK {jdk} with Serial it exits {late - usual:,.0f} ms later than a program that polls often."
    return words if late > usual + hang.SOON_MS else ""


def _exit(source: str, jdk: int) -> Run:
    args, patience = [hang.SLEEP_MS], hang.CURED_S
    return launch.java(source, jdk, gc=hang.NO_POLLS, args=args, deadline=patience, reuse=True)


def _rescuer(answer: Any) -> Judged:
    """Is this the compile whose code the thread of the cold killer task runs when main returns?"""
    number = exercises.whole(answer, 1, 100_000, "the number of a compile in that log")
    log = hang.warmed(17, calls=0).compilations
    compiled = log[(log["event"] == "compiled") & log["method"].str.endswith("KillerTask::countOdds", na=False)]
    rows = compiled[compiled["compile_id"] == number]
    if rows.empty:
        return Judged(False, f"Compile {number} is none of `countOdds` in this run.")
    tier, osr = int(rows["tier"].iloc[0]), bool(rows["osr"].iloc[0])
    made = f"Compile {number} is of tier {tier}, entered {'in mid-loop (OSR)' if osr else 'at the top'}."
    return Judged(tier == 4 and osr, made)


CLASSIFIERS = {
    "02-today": _today,
    "02-killer": _killer,
    "02-cures": _cures,
}
JUDGES = {
    "02-1": _strips,
    "02-2": _cured,
    "02-3": _rescuer,
}
