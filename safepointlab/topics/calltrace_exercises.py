"""Notebook 21 -> its three exercises: make a stub visible by a flag, copy visibly, explain where JFR's samples are.

The page says `lab.check("21-1", answer)`; what is right stands here.
"""

from typing import Any

from safepointlab.session import exercises
from safepointlab.session.exercises import Exercise, Judged
from safepointlab.topics import calltrace

JDK, NEW, BOTH = 17, 25, (8, 17)
SEEN, HIDDEN = 0.5, 0.2  # of the samples
KEPT = r"// Calls copy\(\).*"  # what the reader leaves as it is


def _flag(answer: Any) -> Judged:
    """Does AsyncGetCallTrace see CRC32's method on 17 with this flag?"""
    flag = exercises.flag(answer, FLAG.wants)
    seen = calltrace.share(calltrace.stub("crc32", JDK, flags=flag), r"CRC32\.updateBytes", thread=calltrace.MAIN)
    return Judged(seen > SEEN, f"With {flag} {seen:.0%} of the samples name a method of CRC32.")


def _visible(answer: Any) -> Judged:
    """Does the reader's program copy as it should, and keep its samples, on 8 and on 17?"""
    source = str(exercises.java_file(answer, VISIBLE.template, KEPT))
    for jdk in BOTH:
        run = calltrace.own(source, jdk).demand_success()
        if "same=true" not in run.output:
            return Judged(False, f"On JDK {jdk} the copy differs from the original.")
        lost = calltrace.share(run, "^unknown_Java$", "lost", calltrace.MAIN)
        seen = calltrace.share(run, r"\.copy(?:;|$)", thread=calltrace.MAIN)
        if not (lost < HIDDEN and seen > SEEN):
            return Judged(False, f"On JDK {jdk} {lost:.0%} of the samples are lost, and {seen:.0%} show copy().")
    return Judged(True, "Most samples show copy() on 8 and on 17.")


def _line(answer: Any) -> Judged:
    """Is this the line of StubTime at which most of JFR's samples of the copy are, on 25?"""
    number = exercises.whole(answer, 1, 1_000, "a line of StubTime.java")
    samples = calltrace.by_jfr("copy", NEW).jfr("ExecutionSample")
    lines = samples[samples["method"].str.startswith("StubTime::").fillna(False)].groupby("line").size()
    if lines.empty:
        return Judged(False, "JFR took no sample of this program here, on a machine this busy.")
    return Judged(
        bool(lines.get(number, 0) == lines.max()), f"At line {number} there are {lines.get(number, 0)} samples."
    )


FLAG = Exercise(
    "21-1",
    'one flag of the JVM as text, such as "-XX:+PrintCompilation"',
    _flag,
    "Without the intrinsic it is a native method, and a call of one leaves a note of the last Java frame.",
    (
        "The stub is there because C2 has code of its own for this method. Which flags tell it to have none? Look at "
        "the names in PrintFlagsFinal that end with Intrinsics.",
        "The flag is switched on by default and has the name of the checksum in it. Switch it off.",
    ),
)
VISIBLE = Exercise(
    "21-2",
    "the file that `lab.template` wrote and you edited",
    _visible,
    "Code that C2 compiled from a method of yours has tables. Each sample in it has a stack.",
    (
        "System.arraycopy is a stub, and so are clone() and Arrays.copyOf. Which code has the tables that stubs lack?",
        "Code that C2 makes of bytecode has them. Copy byte by byte.",
    ),
    template="VisibleCopy.java",
)
LINE = Exercise(
    "21-3",
    "the number of a line of StubTime.java",
    _line,
    "The thread samples itself at its next poll. That is in a loop of `main`, where the loop begins again, as far as "
    "the lines tell.",
    (
        "`events` has a row for each sample. Take those of the copy on 25, and count them by line.",
        "The next poll after a copy is in the method that calls it in a loop, where the loop begins again.",
    ),
)
EXERCISES = (FLAG, VISIBLE, LINE)
