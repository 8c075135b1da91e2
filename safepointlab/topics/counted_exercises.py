"""Notebook 05 -> its three exercises: change a flag, build a loop in disguise, explain a surprise.

The page says `lab.check("05-1", answer)`; what is right stands here.
"""

import re
from typing import Any

from safepointlab import jdks
from safepointlab.errors import BadInput
from safepointlab.run import launch
from safepointlab.run.run import Run
from safepointlab.session import exercises
from safepointlab.session.exercises import Exercise, Judged
from safepointlab.topics import counted, counted_output

COLLECTOR = re.compile(r"-XX:[+-]Use\w*GC")
BARE = "intParameter strideTwo whilePostfix longIndex"  # without a poll in time, with Serial on 17
CANDIDATES = "intParameter strideTwo whilePostfix intToLongLimit"
KEPT = r"// From here on it is as in LoopShapes.*"  # what the reader leaves as it is
ROOT = "root 32.110665"  # what disguised(1000) returns, as the template does it
METHOD = re.compile(r"static double disguised\(.*?\n    \}\n", re.DOTALL)
DEADLINE_S = 30


def _flag(answer: Any) -> Judged:
    """Are all of these loops stopped in the middle, on 17 with Serial and this flag?"""
    flag = exercises.word(answer, 'one flag of the JVM as text, such as "-XX:+PrintCompilation"')
    if COLLECTOR.fullmatch(flag):
        raise BadInput(f"{flag} chooses a collector, and the exercise has chosen one: Serial. Give another flag.")
    clock = counted.clocked(counted.shapes(17, BARE, flag)).dropna()
    stopped, names = int(clock["polled"].sum()), BARE.split()
    if len(clock) < len(names):
        return Judged(False, f"With {flag} some of the loops end too soon to tell.")
    return Judged(stopped == len(names), f"With {flag} {stopped} of {len(names)} loops are stopped in the middle.")


def _deaf(answer: Any) -> Judged:
    """Is the edited loop one that no request stops, on 8, on 17 and on the newest JDK, and still `while (true)`?"""
    path = exercises.java_file(answer, DEAF.template, KEPT)
    loops = _loops(path.read_text("utf-8"))
    if loops != ["while (true)"]:
        return Judged(False, f"The loops of disguised() are: {', '.join(loops) or 'none'}. Keep `while (true)` alone.")
    for jdk in sorted({8, 17, max(jdk.major for jdk in jdks.find())}):
        run = launch.java(str(path), jdk, counted.BATCH, gc=counted.NO_POLLS, deadline=DEADLINE_S, reuse=True)
        if complaint := _complaint(run):
            return Judged(False, f"On JDK {jdk} {complaint}")
    return Judged(True, "No request stops it in mid-loop, on any of the JDKs tried.")


def _loops(source: str) -> list[str]:
    """The headers of all loops in disguised(), without comments."""
    method = METHOD.search(re.sub(r"//[^\n]*|/\*.*?\*/", "", source, flags=re.DOTALL))
    found = re.findall(r"\b(?:for|while|do)\s*[({][^){]*\)?", method[0]) if method else []
    return [" ".join(header.split()) for header in found]


def _complaint(run: Run) -> str:
    """What is wrong with the edited loop in this run; "" if the request had to wait for its end."""
    clock = counted_output.read(run.output.splitlines())
    if run.hung or ROOT not in run.output:
        return "it no longer does its square roots: disguised(1000) has to return the same number as before."
    if clock["polled"].isna().any():
        return "the loop ends too soon to tell."
    return "it is still stopped in mid-loop." if clock["polled"].all() else ""


def _cold(answer: Any) -> Judged:
    """Is this a loop that is stopped on 17 if nobody has warmed it up, and not if somebody has?"""
    name = exercises.word(answer, "the name of one of the four loops as text")
    if name not in CANDIDATES.split():
        raise BadInput(f"{name[:60]!r} is none of the four: {', '.join(CANDIDATES.split())}.")
    row = counted.compiles(17, CANDIDATES).loc[name]
    said = {True: "is stopped in mid-loop", False: "is not"}
    does = f"{name} warmed up {said[bool(row['standard'])]}, cold it {said[bool(row['osr'])]}."
    return Judged(bool(row["osr"] and not row["standard"]), does)


FLAG = Exercise(
    "05-1",
    'one flag of the JVM as text, such as "-XX:+PrintCompilation"',
    _flag,
    "With Serial `UseCountedLoopSafepoints` alone makes strips of a single iteration of the compiled loop, where G1 "
    "has 1,000. (C1 and the interpreter do not count loops at all: to do without C2 works as well, and is slow.)",
    (
        "You met it in notebook 02, as a cure for the killer task.",
        "Part 3 names two flags that G1 sets and Serial does not. One of them is a switch.",
    ),
)
DEAF = Exercise(
    "05-2",
    "the file that `lab.template` wrote and you edited",
    _deaf,
    "C2 does not care how a loop is written. It wants one index, one constant step, one limit that stays the same.",
    (
        "Which of the four words is missing: index, constant step, limit that stays, exit by a comparison of the two?",
        "The limit `right` changes in each iteration. The roots need only `left`: let it run to a limit that stays.",
    ),
    template="DisguisedLoop.java",
)
COLD = Exercise(
    "05-3",
    "the name of one of the four loops as text",
    _cold,
    "C2 counts a step of two, and `i++` in the test, only behind a check of the limit. OSR starts the loop with any "
    "value of `i`, and C2 leaves its test at the top, until a later pass turns the loop round. The source suggests the "
    "rest, and no log says it: behind that turn `i++` is tested after the step and needs no check; the step of two "
    "still needs one, and there is no place for it any more. So that loop is not counted, and polls.",
    (
        "Cold, the thread runs OSR code, which is entered in the middle of the loop. Which of the four need something "
        "to be checked before the first iteration?",
        "Two of the four need a check before the loop: a step of two, and `i++` in the test. In OSR code one of them "
        "no longer needs it. (C2 never counts an int index against a `long`.)",
    ),
)
EXERCISES = (FLAG, DEAF, COLD)
