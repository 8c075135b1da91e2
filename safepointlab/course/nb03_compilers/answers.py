"""Notebook 03: which outcome of a prediction a result shows, and whether an answer to an exercise is right."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from safepointlab.course import exercises, lessons
from safepointlab.course.exercises import Judged
from safepointlab.course.nb02_hang.experiments import NO_POLLS, compile_log
from safepointlab.course.nb03_compilers import experiments as compilers
from safepointlab.course.nb04_osr import experiments as osr
from safepointlab.course.predictions import Finding, jdks_by_collector, nothing, one
from safepointlab.errors import BadInput
from safepointlab.phrases import listed
from safepointlab.run.build import Program
from safepointlab.run.run import Run

LEADS = {"top": "leads to the test", "bottom": "is the test"}
POLL = {True: "a poll", False: "no poll", None: "no captured loop"}
MAIN = r"public static void main.*?(?=// How many)"  # what the reader leaves as it is
COUNTED = "5000 odd numbers"  # what outer(10, 1001) finds
SOON_MS = 700  # what a busy machine may add to an exit; a loop without a poll keeps the JVM for minutes
NOT_ALLOWED = ("-XX:Flags", "-cp", "-jar", "-version", "-agent")


def _fate(fates: pd.DataFrame) -> Finding:
    ended = fates[fates["outcome"].isin(["exited", "hung"])]
    hung, by_ecj = ended["outcome"] == "hung", ended["compiler"].str.startswith("ecj")
    told = []
    for compiler, rows in ended.groupby("compiler", sort=False):
        jdks = jdks_by_collector(rows, rows["outcome"] == "hung")
        places = " and ".join(f"with {gc} on {own}" for gc, own in jdks.items() if own != "no JDK")
        told.append(f"{compiler}'s class hangs {places or 'on no JDK'}")
    facts = "; ".join(told) + "."
    if set(ended["gc"]) != {"Serial", "G1"} or by_ecj.all() or not by_ecj.any():
        return nothing(facts)
    if (hung & ~by_ecj).any():
        return one("both", facts)
    serial, old = ended["gc"] == NO_POLLS, ended["jdk"] <= 8
    rules = {"neither": serial & ~serial, "eclipse": serial | ~serial, "serial": serial | old, "old": old}
    keys = [key for key, rule in rules.items() if (hung == (rule & by_ecj)).all()]
    return Finding(frozenset(keys[:1]), facts)


def _shape(classes: Mapping[str, Run | Program]) -> Finding:
    pair = _pair(classes)
    programs = {name: made.program if isinstance(made, Run) else made for name, made in classes.items()}
    tests = {name: compilers.outer_loops(program)["test"].tolist() for name, program in programs.items()}
    told = [
        f"{name}'s {LEADS.get(own[0], 'has no test') if len(own) == 1 else f'class has {len(own)}'}"
        for name, own in tests.items()
    ]
    facts = f"Backward jumps in `outer`: {', '.join(told)}."
    if pair is None:
        return nothing(facts)
    first, second = (tests[name] for name in pair)
    return one("number" if len(first) != len(second) else "same" if first == second else "test", facts)


def _pair(made: Mapping[str, Any]) -> list[str] | None:
    """The names of javac's class and of Eclipse's; None unless there is one of each.

    Raises:
        BadInput: these are no classes or runs by name.
    """
    if not isinstance(made, Mapping) or not made:
        raise BadInput("no classes by name")
    by_ecj = {name: getattr(each, "program", each).compiler.startswith("ecj") for name, each in made.items()}
    return sorted(by_ecj, key=lambda name: by_ecj[name]) if sorted(by_ecj.values()) == [False, True] else None


def _poll(runs: Mapping[str, Run]) -> Finding:
    pair, polls = _pair(runs), dict[str, bool | None]()
    for name, run in runs.items():  # does the outer loop of C2's OSR version poll in all its parts?
        outer = osr.osr_loops(run).query("depth == 1")["polled"]
        polls[name] = None if outer.empty else bool(outer.all())
    told = listed(f"{name}'s class has {POLL[polled]}" for name, polled in polls.items())
    facts = f"In C2's OSR version, {told}."
    if pair is None or None in polls.values() or any(run.request.gc != NO_POLLS for run in runs.values()):
        return nothing(facts)
    keys = {(True, True): "both", (True, False): "javac", (False, True): "ecj", (False, False): "neither"}
    return one(keys[bool(polls[pair[0]]), bool(polls[pair[1]])], facts)


def _flag(answer: Any) -> Judged:
    """Does Eclipse's class exit with this flag, as soon as main returns?"""
    flag = exercises.word(answer, "one flag as text, such as '-Xmx100m'")
    if not flag.startswith("-") or flag.startswith(NOT_ALLOWED):
        raise BadInput(f"{flag!r} isn't a flag for this exercise. Give one that begins with -X.")
    run = compilers.with_flag(17, flag)
    if run.hung:
        return Judged(False, f"With `{flag}` Eclipse's class hangs.")
    if run.overdue or "main returns" not in run.output:
        return Judged(False, f"With `{flag}` the program doesn't run to its end.")
    return Judged(True, f"With `{flag}` Eclipse's class exits.")


def _cured(answer: Any) -> Judged:
    """Does the edited program still count, and does Eclipse's class exit soon on JDK 8, JDK 17 and the newest one?"""
    source = str(exercises.java_file(answer, lessons.exercise("03-2"), MAIN))
    few = (
        compilers.STALLS_MS,
        10,
        1001,
    )  # a run that counts to its end; below 1001 are fewer odd numbers than even ones
    if COUNTED not in compilers.exits(source, 17, args=few).output:
        return Judged(False, "With a limit of 10 it no longer counts 5,000 odd numbers.", by_time=False)
    for jdk in sorted({8, 17, exercises.newest_jdk()}):
        if complaint := complaint_about_exit(source, jdk):
            return Judged(False, complaint)
    return Judged(True, "It counts as before, and Eclipse's class exits soon with Serial on each JDK tried.")


def complaint_about_exit(source: str, jdk: int) -> str:
    """What is wrong with the exit of Eclipse's class on this JDK; "" if it is as soon as that of javac's."""
    run, usual = compilers.exits(source, jdk), compilers.exits(compilers.HANGS, jdk, "javac")
    if run.hung:
        return f"On JDK {jdk} Eclipse's class hangs."
    if "main returns" not in run.output or "odd numbers" in run.output:
        return f"On JDK {jdk} the counting ends before `main` returns: keep both loops, up to the largest int."
    later = run.wall_ms - usual.wall_ms
    return f"On JDK {jdk} it exits {later:,.0f} ms later than javac's class of the sample." if later > SOON_MS else ""


def _second_version(answer: Any) -> Judged:
    """Is this C2's second OSR version of the post's program, in which the thread is after the first inner loop?"""
    number = exercises.whole(answer, 1, 100_000, "the number of a compilation in that log")
    own = compile_log(compilers.outlived(17), "EclipseStalls::countOdds$").query("event == 'compiled'")
    if number not in set(own["compile_id"]):
        return Judged(False, f"Compile {number} isn't one of `countOdds` in this run.")
    last = own[(own["tier"] == 4) & own["osr"]]["compile_id"].iloc[-1]
    tier, uptime_ms = own.loc[own["compile_id"] == number, ["tier", "uptime_ms"]].iloc[0]
    return Judged(bool(number == last), f"Compile {number} is at tier {tier:.0f}, logged at {uptime_ms:,.0f} ms.")


CLASSIFIERS = {"03-fate": _fate, "03-shape": _shape, "03-poll": _poll}
JUDGES = {"03-1": _flag, "03-2": _cured, "03-3": _second_version}
