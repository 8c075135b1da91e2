"""Notebook 13 -> its three exercises: change a flag, write a sum that gets vectors, explain a surprise.

The page says `lab.check("13-1", answer)`; what is right stands here.
"""

import re
from typing import Any

from safepointlab import jdks
from safepointlab.errors import BadInput
from safepointlab.read.assembly import loop_work
from safepointlab.run import launch
from safepointlab.run.run import Run
from safepointlab.session import exercises
from safepointlab.session.exercises import Exercise, Judged
from safepointlab.topics import optimisation

COLLECTOR = re.compile(r"-XX:[+-]Use\w*GC")
KEPT = r"// From here on it stays as it is.*"  # what the reader leaves as it is
SUM = f"sum {(999 * 1000 // 2 * 0x9E3779B9 + 2**31) % 2**32 - 2**31}"  # what the template prints
JDKS, DEADLINE_S = (21, 25), 30
MOST = 2**32


def _flag(answer: Any) -> Judged:
    """Has the copy on 17, with Serial and a poll in its counted loop, its vectors back, and the poll around them?"""
    flag = exercises.flag(answer, 'one flag of the JVM as text, such as "-XX:+PrintCompilation"')
    if COLLECTOR.fullmatch(flag):
        raise BadInput(f"{flag} chooses a collector, and the exercise has chosen one: Serial. Give another flag.")
    [row] = optimisation.work(optimisation.polled(17, flag)).to_dict("records")
    where = {"each pass": "in each pass", "around": "in a loop around it", "none": "nowhere"}[row["poll"]]
    works = {"vector": "on vectors", "unrolled": "unrolled, without vectors"}.get(row["work"], row["work"])
    does = f"With {flag} the main loop works {works}, and its poll is {where}."
    return Judged((row["work"], row["poll"]) == ("vector", "around"), does)


def _sum(answer: Any) -> Judged:
    """Does C2 add with vectors on 21 and 25, and is the sum the same?"""
    source = str(exercises.java_file(answer, FAST.template, KEPT))
    here = [jdk for jdk in JDKS if jdk in {jdk.major for jdk in jdks.find()}]
    if not here:
        raise BadInput("Neither JDK 21 nor 25 is installed here. Get one with: safepoint jdks install 25")
    for jdk in here:
        settings: dict[str, Any] = {"log": "assembly=FastSum.sum", "deadline": DEADLINE_S, "reuse": True}
        run = launch.java(source, jdk, "-Xbatch", gc=optimisation.GC, **settings)
        if complaint := _no_vectors(run):
            return Judged(False, f"On JDK {jdk} {complaint}")
    return Judged(True, f"The sum is the same, on vectors on JDK {' and '.join(map(str, here))}.")


def _no_vectors(run: Run) -> str:
    """What is wrong with the edited sum in this run; "" if its main loop works on vectors."""
    if SUM not in run.output.splitlines():
        return "the sum is another one than before."
    rows = loop_work.standard(run.assembly)["work"]
    if rows.empty:
        return "no machine code of sum() was logged."
    return "" if rows.iloc[0] == "vector" else f"the main loop has no vectors: it is `{rows.iloc[0]}`."


def _longest(answer: Any) -> Judged:
    """Is this how many iterations the inner loop of copyLong may take on 25?"""
    number = exercises.whole(answer, 1, MOST, "a number of iterations")
    here = optimisation.limits(optimisation.scores("copyLong", 25), 25, "copyLong")
    if not here:
        return Judged(False, "In this run's code there is no such limit: run the page again.")
    return Judged(number in here, f"You say {number:,} iterations.")


FLAG = Exercise(
    "13-1",
    'one flag of the JVM as text, such as "-XX:+PrintCompilation"',
    _flag,
    "Vectors and polls, without G1. One poll is enough for a thousand passes.",
    (
        "With Serial a strip has one pass here. Which flag says how many it has? G1 sets it by itself.",
        "It is named after what the strips are mined from, and what they are counted in: `LoopStripMining`…, with a "
        "number behind `=`.",
    ),
)
FAST = Exercise(
    "13-2",
    "the file that `lab.template` wrote and you edited",
    _sum,
    "There is one more vector operation for each addition now, and C2 finds the vectors worth their while.",
    (
        "C2 refuses vectors if the additions of the sum are all that there is to do on the loaded ints. "
        "Give it something more to do that changes no number.",
        "`zero` is 0, but C2 can't know that. Which operation with 0 leaves an int as it is?",
    ),
    template="FastSum.java",
)
LONGEST = Exercise(
    "13-3",
    "a number of iterations, such as 1000",
    _longest,
    "Two billion: at an int an iteration, about half a second or more before the outer loop polls.",
    (
        "The inner loop counts with an int. How many iterations can it have at most? C2 stays a little below.",
        'Look for a `cmp` with a constant that begins with `$0x7f` in `lab.plot.code(nest, "copyLong")`. '
        "`int('0x2a', 16)` is 42.",
    ),
)
EXERCISES = (FLAG, FAST, LONGEST)
