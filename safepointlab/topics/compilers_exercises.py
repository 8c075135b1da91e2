"""Notebook 03 -> its three exercises: cure Eclipse's class by a flag, cure it in its source, find the code that polls.

The page says `lab.check("03-1", answer)`; what is right stands here.
"""

from typing import Any

from safepointlab import jdks
from safepointlab.errors import BadInput
from safepointlab.session import exercises
from safepointlab.session.exercises import Exercise, Judged
from safepointlab.topics import compilers

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
    source = str(exercises.java_file(answer, CURED.template, MAIN))
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


FLAG = Exercise(
    "03-1",
    "one flag as text",
    _flag,
    "There are several: ask for polls, choose a collector that asks for them, or keep C2 away from the loop.",
    (
        "Which compiler left the poll out, and which collectors ask for polls? Compare with the cures of notebook 02.",
        "A flag with `Safepoints` in its name keeps polls in counted loops, one with `GC` chooses a collector.",
    ),
)
CURED = Exercise(
    "03-2",
    "the file that `lab.template` wrote and you edited",
    _cured,
    "A loop that C2 does not count, or that is left often, has its poll back whoever compiles it.",
    (
        "Eclipse's compiler takes the test of a `for`, a `while` or a `do` for the end of the loop. Where does a test "
        "stand that is a statement of the body? `lab.plot.loop_shape` shows it for your class.",
        "Write a `for` without a condition, and leave it by a `break` in its first line.",
    ),
    template="EclipseExits.java",
    timed=True,
)
SECOND = Exercise(
    "03-3",
    "the number of a compile, such as 42",
    _second_version,
    "C2's second OSR version has both loops, and both jump back to one place, the OSR entry in the body of the inner "
    "loop. There `j` has gone up by one, or begins at 0 again. So `j` is no plain counter, and the poll stays.",
    (
        "When does the inner loop end for the first time, and which code is made after that? "
        '`lab.plot.tiers(outlived, "countOdds")` shows all compiles of the method.',
        "When `main` returns, after 5 s, one OSR version by C2 (`%`, tier 4) is left that is not made not entrant.",
    ),
)
EXERCISES = (FLAG, CURED, SECOND)
