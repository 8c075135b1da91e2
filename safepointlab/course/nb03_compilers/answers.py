"""Notebook 03: which outcome of a prediction a result shows, and whether an answer to an exercise is right.

The texts are in quiz.toml.
"""

from pathlib import Path
from typing import Any

import pandas as pd

from safepointlab import jdks
from safepointlab.course import exercises
from safepointlab.course.exercises import Judged
from safepointlab.course.nb03_compilers import experiments as compilers
from safepointlab.course.nb04_osr import experiments as osr
from safepointlab.course.predictions import Came, one
from safepointlab.errors import BadInput
from safepointlab.phrases import listed
from safepointlab.run.run import Run

TEMPLATES = Path(__file__).parent / "templates"


JAVAC, ECLIPSE = compilers.BOTH


def _fate(fates: pd.DataFrame) -> Came:
    hung, by_javac = fates["outcome"] == "hung", fates["compiler"] == JAVAC
    serial, old = fates["gc"] == compilers.NO_POLLS, fates["jdk"] <= 8
    facts = f"{_where(fates[by_javac & hung], 'javac')}; {_where(fates[~by_javac & hung], 'Eclipse')}."
    if (hung & by_javac).any():
        return one("both", facts)
    rules = {"neither": serial & ~serial, "eclipse": serial | ~serial, "serial": serial | old, "old": old}
    keys = [key for key, rule in rules.items() if (hung == (rule & ~by_javac)).all()]
    return Came(frozenset(keys[:1]), facts)


def _where(hung: pd.DataFrame, name: str) -> str:
    """ "Eclipse's class hangs with Serial on JDK 8, 11 and with G1 on JDK 8"."""
    return f"{name}'s class hangs {hung_where(hung).replace(', with', ' and with') or 'nowhere'}"


def hung_where(hung: pd.DataFrame, of_jdks: int = 0) -> str:
    """ "with Serial on JDK 8, 11, with G1 on JDK 8"; "on every JDK" if there are as many as `of_jdks`."""
    jdks = {str(gc): list(map(str, some["jdk"].unique())) for gc, some in hung.groupby("gc", sort=False)}
    named = {gc: "every JDK" if len(some) == of_jdks else f"JDK {', '.join(some)}" for gc, some in jdks.items()}
    return ", ".join(f"with {gc} on {where}" for gc, where in named.items())


LEADS = {"top": "leads to the test", "bottom": "is the test"}


def _shape(first: pd.DataFrame, second: pd.DataFrame) -> Came:
    if len(first) != len(second):
        return one("number", f"Jumps back: {len(first)} by javac, {len(second)} by Eclipse.")
    tests = [str(edges["test"].iloc[0]) for edges in (first, second)]
    told = [LEADS.get(test, "has no test") for test in tests]
    count = "One jump" if len(first) == 1 else f"{len(first)} jumps"
    facts = f"{count} back in each: javac's {told[0]}, Eclipse's {told[1]}."
    return one("same" if tests[0] == tests[1] else "test", facts)


def _poll(javac: Run, ecj: Run) -> Came:
    polled = [outer_polls(run) for run in (javac, ecj)]
    if None in polled:
        return Came(frozenset(), "The machine code of an OSR version was not captured.")
    keys = {(True, True): "both", (True, False): "javac", (False, True): "ecj", (False, False): "neither"}
    words = ["a poll" if has else "no poll" for has in polled]
    return one(keys[bool(polled[0]), bool(polled[1])], f"javac's has {words[0]}, Eclipse's {words[1]}.")


def outer_polls(run: Run) -> bool | None:
    """Does the outer loop of C2's OSR version poll in all its parts? None: no such version was seen."""
    outer = osr.osr_loops(run).query("depth == 1")["polled"]
    return None if outer.empty else bool(outer.all())


def _post(stalls: pd.DataFrame) -> Came:
    ours = stalls[stalls["compiler"] == ECLIPSE]
    if (ours["outcome"] == "hung").any():
        hung = (ours["outcome"] == "hung").sum()
        return Came(frozenset(["hangs"] if hung == len(ours) else []), f"{hung} of {len(ours)} runs hang.")
    lates = ours.groupby("sleep_s")["late_ms"].median().sort_index()
    told = listed(f"{ms:,.0f} ms beyond a sleep of {sleep_s:g} s" for sleep_s, ms in lates.items())
    facts = f"Eclipse's JVMs live, in the median, {told}."
    short, long = (ms > compilers.LATE_MS for ms in (lates.iloc[0], lates.iloc[-1]))
    keys = {(True, True): "both-late", (True, False): "short-late", (False, True): "long-late"}
    return one(keys.get((bool(short), bool(long)), "never-late"), facts)


MAIN = r"public static void main.*?(?=// How many)"  # what the reader leaves as it is
COUNTED = "5000 odd numbers"  # what outer(10, 1000) finds
FEW = (compilers.STALLS_MS, 10, 1000)  # a run that counts to its end
MOST_COMPILES = 100_000
SOON_MS = 700  # what a busy machine may add to an exit; a loop without a poll keeps the JVM for minutes
NOT_ALLOWED = ("-XX:Flags", "-cp", "-jar", "-version", "-agent")


def _flag(answer: Any) -> Judged:
    """Does Eclipse's class exit with this flag, as soon as main returns?"""
    flag = exercises.word(answer, "one flag as text, such as '-Xmx100m'")
    if not flag.startswith("-") or flag.startswith(NOT_ALLOWED):
        raise BadInput(f"{flag!r} is no flag for this exercise. Give one that begins with -X.")
    run = compilers.with_flag(17, flag)
    if run.hung:
        return Judged(False, f"With `{flag}` Eclipse's class hangs.")
    if "main returns" not in run.output:
        return Judged(False, f"With `{flag}` the program does not come to its end.")
    return Judged(True, f"With `{flag}` Eclipse's class exits.")


def _cured(answer: Any) -> Judged:
    """Does the edited program still count, and does Eclipse's class of it exit soon on 8, on 17 and on the newest?"""
    source = str(exercises.java_file(answer, TEMPLATES / "EclipseExits.java", MAIN))
    if COUNTED not in compilers.exits(source, 17, args=FEW).output:
        return Judged(False, "With a limit of 10 it no longer counts 5,000 odd numbers.", by_time=False)
    for jdk in sorted({8, 17, max(jdk.major for jdk in jdks.find())}):
        if complaint := _not_soon(source, jdk):
            return Judged(False, complaint)
    return Judged(True, "It counts as before, and Eclipse's class exits soon with Serial on each JDK tried.")


def _not_soon(source: str, jdk: int) -> str:
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
    number = exercises.whole(answer, 1, MOST_COMPILES, "the number of a compile in that log")
    log = compilers.outlived(17).compilations
    own = log[(log["event"] == "compiled") & log["method"].str.endswith("EclipseStalls::countOdds", na=False)]
    if number not in set(own["compile_id"]):
        return Judged(False, f"Compile {number} is none of `countOdds` in this run.")
    last = own[(own["tier"] == 4) & own["osr"]]["compile_id"].iloc[-1]
    tier, uptime_ms = own.loc[own["compile_id"] == number, ["tier", "uptime_ms"]].iloc[0]
    return Judged(bool(number == last), f"Compile {number} is of tier {tier:.0f}, and begins at {uptime_ms:,.0f} ms.")


CLASSIFIERS = {
    "03-fate": _fate,
    "03-shape": _shape,
    "03-poll": _poll,
    "03-post": _post,
}
JUDGES = {
    "03-1": _flag,
    "03-2": _cured,
    "03-3": _second_version,
}
