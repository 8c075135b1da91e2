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
PLAIN = "intParameter"  # with G1 cut into strips from 11 on
CANDIDATES = "intParameter strideTwo whilePostfix intToLongLimit"
KEPT = r"// From here on it is as in LoopShapes.*"  # what the reader leaves as it is
ROOT = "root 32.110665"  # what disguised(1000) returns, as the template does it
METHOD = re.compile(r"static double disguised\(.*?\n    \}\n", re.DOTALL)
DEADLINE_S = 30


def _flag(answer: Any) -> Judged:
    """Does a plain loop wait for its end again, on 17 with G1 and this flag?"""
    flag = exercises.word(answer, 'one flag of the JVM as text, such as "-XX:MaxHeapSize=100m"')
    if COLLECTOR.fullmatch(flag):
        raise BadInput(f"{flag} chooses a collector, and the exercise has chosen one: G1. Give another flag.")
    clock = counted.clocked(counted.shapes(17, PLAIN, flag, gc=counted.STRIPS)).dropna()
    if clock.empty:
        return Judged(False, f"With {flag} the loop ends too soon to tell.")
    polled, ms = bool(clock["polled"].iloc[0]), int(clock["ms"].iloc[0])
    return Judged(not polled, f"With {flag} the stop {'comes in mid-loop' if polled else 'waits'}: it takes {ms} ms.")


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
    said = {True: "is stopped in mid-loop", False: "is not stopped in mid-loop"}
    does = f"Warmed up, {name} {said[bool(row['standard'])]}; cold, it {said[bool(row['osr'])]}."
    return Judged(bool(row["osr"] and not row["standard"]), does)


FLAG = Exercise(
    "05-1",
    'one flag of the JVM as text, such as "-XX:MaxHeapSize=100m"',
    _flag,
    "G1 sets two flags for its strips, and either undoes them: the switch `UseCountedLoopSafepoints`, or a "
    "`LoopStripMiningIter` so large that the loop is a single strip.",
    (
        "Part 3 names two flags that G1 sets and Serial does not.",
        "One is a switch: turn it off. The other is the length of a strip: make a strip as long as the loop, which has "
        "30 million iterations.",
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
    "Its count needs the check before the loop. Once a later pass has turned the OSR loop round, there is no place for "
    "it. The same turn leaves `i++` tested after its step, so that loop needs no check. (Inferred from the source; no "
    "log says it.)",
    (
        "Which of the four can miss its limit, and which compares with a limit plus one? Those two need the check.",
        "The two are the step of two, and `i++` in the test. Turned round, a loop is tested after its step. For which "
        "of them is that what the check was for? Try both with `cold`.",
    ),
)
EXERCISES = (FLAG, DEAF, COLD)
