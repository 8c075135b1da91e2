"""Notebook 23 -> its three exercises: another cure, a late thread without a loop, a loop that nobody can poll.

The page says `lab.check("23-1", answer)`; what is right stands here.
"""

import re
from typing import Any

from safepointlab import jdks
from safepointlab.errors import BadInput
from safepointlab.late.command import late as watched
from safepointlab.late.report import Late
from safepointlab.process import home
from safepointlab.programs import build
from safepointlab.session import exercises
from safepointlab.session.exercises import Exercise, Judged
from safepointlab.topics import late

JDK, AFTER_MS, EVERY_MS = 17, 30, 200  # as on the page
WAITS_MS, OFTEN = 10, 0.2  # what the reader's own thread is to be late by, and for which part of the stops
LOOPS = re.compile(r"\b(for|while|do|work|stream|IntStream|LongStream)\b|->|::")
KEPT = r"// The worker:.*"  # what the reader leaves as it is
WORK = re.compile(r"static void work\(\) \{(.*?)\n    \}\n", re.DOTALL)
RHYTHMS_MS = (50, 35)  # of the stops: where a call lasts about as long as the one, each stop meets the end of a call
CAUSES = ("counted loop", "stub")  # of code without a poll, as the report has them


def _flag(answer: Any) -> Judged:
    """Does SciMark on 17 have no late thread with this one flag in the place of Serial, or beside it?"""
    flag = exercises.word(answer, 'one flag of the JVM as text, such as "-XX:+UseParallelGC"')
    if not flag.startswith("-X"):
        raise BadInput(f"{flag[:60]!r} is no flag of the JVM. Give {FLAG.wants}.")
    serial = "" if re.fullmatch(r"-XX:\+Use\w+GC", flag) else "-XX:+UseSerialGC "
    report = watched(late.command(serial + flag), jdk=JDK, after=AFTER_MS, every=EVERY_MS)
    if report.all_stops.empty:
        return Judged(False, f"With {flag} no stop was logged. Does a JVM start with it?")
    guilty = report.culprits["cause"].isin(CAUSES).sum() if len(report.stops) else 0
    return Judged(not guilty, f"With {flag} {_late(report, guilty)}.")


def _late(report: Late, guilty: int) -> str:
    stops = f"{len(report.stops)} of {len(report.all_stops)} stops waited for a late thread"
    return f"{stops}, in {guilty} places without a poll" if guilty else stops


def _without_loop(answer: Any) -> Judged:
    """Is the template's worker late for a stop, although its method has no loop?"""
    path = exercises.java_file(answer, OWN.template, KEPT)
    body = WORK.search(re.sub(r"//[^\n]*", "", path.read_text("utf-8", "replace")))
    if not body:
        raise BadInput(
            f"{path.name} has no method work() any more. lab.template writes it again if you delete the file."
        )
    if loop := LOOPS.search(body[1]):
        return Judged(False, f"work() has {loop[0]!r} in it, and is to do without.")
    for every in RHYTHMS_MS:
        judged = _waits(watching(path, every))
        if judged.holds:
            break
    return judged


def watching(path: Any, every: int = RHYTHMS_MS[0]) -> Late:
    """The reader's program on 17 with Serial, compiled, and asked for a stop each `every` ms."""
    classes = home.shown(build.javac(str(path), jdks.get(JDK)).classes)
    line = f"java -XX:+UseSerialGC -Xmx1g -cp {classes} {path.stem}"
    return watched(line, jdk=JDK, after=WAITS_MS, every=every)


def _waits(report: Late) -> Judged:
    mine = report.stops[report.stops["thread"] == "worker"]
    if len(mine) < OFTEN * len(report.all_stops) or mine.empty:  # a thread without a core is late now and then
        return Judged(False, f"`worker` was {WAITS_MS} ms late in {len(mine)} of {len(report.all_stops)} stops.")
    worst = mine.sort_values("waited_ms").iloc[-1]
    return Judged(
        True, f"`worker` was late {len(mine)} times, by {worst['waited_ms']:,.0f} ms at most, in {worst['where']}."
    )


def _cause(answer: Any) -> Judged:
    """The word of the column `cause` for CRC32, which is a stub on each JDK of the lab's."""
    name = exercises.word(answer.strip().replace(" ", "-") if isinstance(answer, str) else answer, CAUSE.wants)
    return Judged(name.lower().strip("'\"") == "stub", f"You say {answer!r}.")


FLAG = Exercise(
    "23-1",
    'one flag of the JVM as text, such as "-XX:+UseParallelGC"',
    _flag,
    "The thread finds a poll in time: in the loops, or in code that C2 never touched.",
    (
        "C2 leaves out the poll for some collectors, and C1 never does. Which flag changes the collector, or does "
        "without C2?",
        "Notebook 02 has them as cures: another collector, the interpreter alone, or C1 alone. One of the two flags of "
        "part 2 does it, too.",
    ),
)
OWN = Exercise(
    "23-2",
    "the file that `lab.template` wrote and you edited",
    _without_loop,
    "The loop is in code that you called: the JDK's own loops are compiled without polls as well, and the code by "
    "which the VM copies an array has none on any JDK.",
    (
        "Which method of the JDK goes through a whole array at once? The array `data` has 500 million bytes.",
        "`java.util.Arrays` and `System` have such methods: to fill, to copy, to compare.",
    ),
    template="LateWithoutLoop.java",
)
CAUSE = Exercise(
    "23-3",
    "one of the causes of part 1, as text",
    _cause,
    "CRC32 is a stub: machine code that the JVM generates as it starts. No flag gives it a poll, so the flags of "
    "part 2 do not "
    "help. What helps is a smaller array for each call.",
    (
        "`crc.culprits` has a row for each method and place in it. Look at those of CRC32, not at the array's filling.",
        "No bytecode was running, and no compiler made this code: look for that in the list of causes in part 1.",
    ),
)
EXERCISES = (FLAG, OWN, CAUSE)
