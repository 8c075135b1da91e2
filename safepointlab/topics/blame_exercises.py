"""Notebook 20 -> its three exercises: change a flag, build a scapegoat, explain a surprise.

The page says `lab.check("20-1", answer)`; what is right stands here.
"""

import re
from typing import Any

from safepointlab import jdks
from safepointlab.errors import BadInput
from safepointlab.programs import build
from safepointlab.run import launch
from safepointlab.run.run import Run
from safepointlab.session import exercises
from safepointlab.session.exercises import Exercise, Judged
from safepointlab.topics import blame, blame_output

COLLECTOR = re.compile(r"-XX:[+-]Use\w*GC")
MOST, LITTLE = 0.5, 0.1  # of the dumps that name innocent(), and of the time that it takes
AS_WITH_SERIAL = "level9"  # whom the dumps of farAway blame where the loop has no poll
KEPT = r"// The hot loop.*"  # what the reader leaves as it is
BLAMED = re.compile(r"^blamed ([\w$<>]+) (\d+)$", re.MULTILINE)


def _flag(answer: Any) -> Judged:
    """Do the dumps of `farAway` miss the loop, on 17 with G1 and this flag, as they do with Serial?"""
    flag = exercises.flag(answer, FLAG.wants)
    if COLLECTOR.fullmatch(flag):
        raise BadInput(f"{flag} chooses a collector, and the exercise has chosen one: G1. Give another flag.")
    most = blame_output.most(blame.dumps(17, "G1", flag)).set_index("case")
    if "farAway" not in most.index:
        return Judged(False, f"With {flag} no dump shows farAway.")
    whom = str(most["method"]["farAway"])
    return Judged(whom == AS_WITH_SERIAL, f"With {flag} most dumps of farAway blame {whom}().")


def _scapegoat(answer: Any) -> Judged:
    """Do most dumps blame innocent(), which takes little time, on 8, on 17 and on the newest JDK?"""
    source = str(exercises.java_file(answer, SCAPEGOAT.template, KEPT))
    for jdk in sorted({8, 17, max(jdk.major for jdk in jdks.find())}):
        run = launch.java(source, jdk, gc=blame.GC, deadline=blame.DEADLINE_S, reuse=True)
        if complaint := _not_blamed(run):
            return Judged(False, f"On JDK {jdk} {complaint}")
    return Judged(True, "Most dumps blame innocent() on each JDK tried.")


def _not_blamed(run: Run) -> str:
    """What is wrong with the scapegoat in this run; "" if most dumps blame it, and without reason."""
    dumps = {method: int(times) for method, times in BLAMED.findall(run.output)}
    share, total = run.values.get("innocent_share"), sum(dumps.values())
    if not isinstance(share, float) or total < blame.FEW_SAMPLES:
        return "the program ends before it was looked at often enough."
    if not share <= LITTLE:
        return f"innocent() takes {share:.0%} of the time: it is not innocent."
    named, first = dumps.get("innocent", 0), max(dumps, key=lambda method: dumps[method])
    return "" if named > MOST * total else f"{dumps[first]} of {total} dumps blame {first}()."


def _whom(answer: Any) -> Judged:
    """Is this the method that plain JFR blames on 17 for the loop of `farAway`, where all is inlined?"""
    name = exercises.word(answer, "the name of a method as text").rpartition(".")[2].removesuffix("()")
    source = build.find_sample(blame.SAMPLE).read_text("utf-8")
    if not re.search(rf"static \S+ {re.escape(name)}\(", source):
        raise BadInput(f"KnownAnswer has no method {name[:60]!r}. Give the name of one of its methods.")
    samples = blame.all_inlined(17).jfr(blame.EVENTS["JFR"])
    whole = blame_output.most(blame_output.of_jfr(samples)).set_index("case")
    return Judged(name == whole["method"]["farAway"], f"You say {name}().")


FLAG = Exercise(
    "20-1",
    'one flag of the JVM as text, such as "-XX:+PrintCompilation"',
    _flag,
    "G1 sets UseCountedLoopSafepoints, and with it LoopStripMiningIter=1000. Without the first the JVM sets the second "
    "to 0: C2 makes the same code of the loop as for Serial, and the dumps are as wrong. (Strips too long for an int "
    "do it, too: C2 then drops the outer loop, and its poll.)",
    (
        "With G1 the dumps are right because the loop has a poll. Who gave it that poll? Part 2 has the word.",
        "Compare what `java -XX:+UseG1GC -XX:+PrintFlagsFinal -version` lists with the list of `-XX:+UseSerialGC`: "
        "a flag with *Safepoints* in its name differs. (`LoopStripMiningIter=0` is no way out: while polls in counted "
        "loops are on, the JVM makes it 1.)",
    ),
)
SCAPEGOAT = Exercise(
    "20-2",
    "the file that `lab.template` wrote and you edited",
    _scapegoat,
    "The dump sees the thread at the first poll after the hot loop, and that poll is yours now.",
    (
        "A dump sees the thread at its next poll. innocent() is inlined and has none. What gets a poll in C2's code?",
        "A loop keeps its poll if C2 can't know how many iterations it will have. A few of them are enough: "
        "look at what the setter of the first part does.",
    ),
    template="Scapegoat.java",
)
WHOM = Exercise(
    "20-3",
    "the name of a method as text",
    _whom,
    "There is no call any more between the hot loop and the list. The next entry of C2's table is probably the "
    "poll of the short loop that walks the list, nine levels away.",
    (
        "Plain JFR takes the next place that C2's table has an entry for. Calls have one; but all calls are "
        "inlined now. What else has one?",
        "Polls have one. Go through `farAway` from the hot loop on: which is the first method with a loop that "
        "C2 does not count?",
    ),
)
EXERCISES = (FLAG, SCAPEGOAT, WHOM)
