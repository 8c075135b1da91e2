"""A JVM that cannot reach a safepoint -> the Java stacks of its threads, by the serviceability agent.

`jhsdb jstack --pid` (8: `jstack -F`) stops the process, reads its memory by the VM's own description of it, and resumes
it. It needs no answer of the JVM, and so works where jstack and jcmd hang: on all of 8 to 28. In compiled code it knows
the bytecode index of the nearest place with debug information: that is why it says "may be imprecise".
"""

import re
import tempfile
from pathlib import Path

from safepointlab.errors import LabError
from safepointlab.jdks import Jdk
from safepointlab.process import shell
from safepointlab.process.files import bounded_text
from safepointlab.process.shell import Plan
from safepointlab.run.forensics import questions

PATIENCE_S = 20.0  # the tool starts a JVM, reads all of ours, and on a crowded machine waits for a CPU as well

Frame = tuple[str, int, int | None, str]  # method, bci, line, kind: Compiled or Interpreted

# '"killer" #13 daemon prio=5 tid=0x00007f53ac13ab40 nid=13409 runnable', on 8 'Thread 13033: (state = IN_JAVA)'
THREAD = re.compile(r'^(?:".*" #.* nid=(?P<nid>0x[0-9a-f]+|\d+) |Thread (?P<tid>\d+): )', re.MULTILINE)
# ' - KillerTask.countOdds(int) @bci=18, line=49 (Compiled frame; information may be imprecise)'
FRAME = re.compile(r"^ - ([\w.$<>/+]+)\.([\w$<>]+)\(.*?\) @bci=(-?\d+)(?:, line=(\d+))?.*?\((\w+) frame", re.MULTILINE)


def stacks(pid: int, jdk: Jdk) -> tuple[dict[int, tuple[Frame, ...]], str]:
    """The stacks by native thread id, and "" or the reason why there are none."""
    words = ["jstack", "-F", str(pid)] if jdk.major < 9 else ["jhsdb", "jstack", "--pid", str(pid)]
    tool = jdk.tool(words[0])
    if not tool:
        return {}, f"{jdk.label} has no {words[0]}: a JRE brings no tools"
    try:
        with tempfile.TemporaryDirectory(prefix="safepointlab-") as folder:
            finished = shell.execute(
                Plan([str(tool), *words[1:]], folder=Path(folder), limit_mib=16), deadline=PATIENCE_S
            )
            output = finished.text() + bounded_text(finished.stderr)
    except (LabError, OSError) as error:
        return {}, str(error).partition("\n")[0]
    if frames := parse(output):
        return frames, ""
    return {}, f"{' '.join(words[:2])}: {questions.gist(output, answered=False) or finished.outcome}"


def parse(text: str) -> dict[int, tuple[Frame, ...]]:
    """The Java frames of each thread, by its native id, the innermost first.

    >>> parse("Thread 7: (state = IN_JAVA)\\n - Odd.count(int) @bci=18, line=49 (Compiled frame; ...)\\n")
    {7: (('Odd::count', 18, 49, 'Compiled'),)}
    """
    heads = list(THREAD.finditer(text))
    ends = [head.start() for head in heads[1:]] + [len(text)]
    parts = zip(heads, ends, strict=True)
    return {int(head["tid"] or head["nid"], 0): _frames(text[head.end() : end]) for head, end in parts}


def _frames(text: str) -> tuple[Frame, ...]:
    matches = FRAME.findall(text)
    return tuple(
        (f"{owner}::{name}", int(bci), int(line) if line else None, kind) for owner, name, bci, line, kind in matches
    )
