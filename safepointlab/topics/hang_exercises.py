"""Notebook 02 -> its three exercises: change a flag, cure the killer task in its source, explain a surprise.

The page says `lab.check("02-1", answer)`; what is right stands here.
"""

import math
from typing import Any

from safepointlab import jdks
from safepointlab.run import launch
from safepointlab.run.run import Run
from safepointlab.session import exercises
from safepointlab.session.exercises import Exercise, Judged
from safepointlab.topics import hang

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
    source = str(exercises.java_file(answer, CURED.template, MAIN))
    counting = launch.java(source, 17, gc=hang.NO_POLLS, args=[300, 1000], deadline=hang.CURED_S, reuse=True)
    if COUNTED not in counting.output:
        return Judged(False, "With a limit of 1,000 it no longer counts 500,000 odd numbers.")
    for jdk in sorted({8, 17, max(jdk.major for jdk in jdks.find())}):
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


STRIPS = Exercise(
    "02-1",
    "a number of iterations, such as 1000",
    _strips,
    "The longest way to a poll is one strip: the request falls somewhere in it. A strip has four times the flag's "
    "number of iterations here, since C2 unrolls the loop by four. If that product is no `int`, C2 removes the strips "
    "and their poll.",
    (
        "The request comes in the middle of a strip, and waits for its end. The loop of 2³¹ iterations takes about a "
        "second: how long does one of 4,000 take?",
        "A strip of 4,000 iterations takes some microseconds. One strip should take at least twice as long as the "
        "delay that is wanted: more than half of the loop's 2³¹ iterations, and so more than an eighth of 2³¹ in the "
        "flag. Four times the flag must still be an `int`.",
    ),
)
CURED = Exercise(
    "02-2",
    "the file that `lab.template` wrote and you edited",
    _cured,
    "A loop that C2 does not count, or that is left often enough, brings the poll back without a flag.",
    (
        "The thread must come by a poll often. Which kinds of loop keep theirs in C2's code on every JDK, and "
        "which does a `long` index make since 16?",
        "Do by hand what strip mining does: a short counted loop inside, and around it a loop that C2 can't "
        "count, such as one whose step is computed again in each iteration.",
    ),
    template="CuredTask.java",
)
RESCUER = Exercise(
    "02-3",
    "the number of a compile, such as 42",
    _rescuer,
    "The method is called once, so nobody ever enters a standard version. The thread moves from the interpreter"
    " into C1's OSR code, then into this: C2's OSR code, which polls. A warm-up takes this rescue away.",
    (
        'Which code can a thread enter that is in the middle of a loop? `lab.plot.tiers(cold, "countOdds")` '
        "shows all compiles of the method.",
        "It leaves C1's code as soon as C2 has made better code for the place where it is: the compiles of tier"
        " 4, and of these the one that was made by OSR.",
    ),
)
EXERCISES = (STRIPS, CURED, RESCUER)
