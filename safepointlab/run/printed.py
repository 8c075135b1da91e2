"""A run, or a sweep's frame -> what the programs printed, as a cell of `%%java` and `safepoint run` show it."""

import re
from typing import TYPE_CHECKING

from safepointlab.process import home
from safepointlab.run.load import load
from safepointlab.run.run import Run

if TYPE_CHECKING:
    from pandas import DataFrame

MOST_LINES = 40  # of the program's output, from the end
MOST_STACKS = 3  # of the threads of a program that is still running
# What a JVM that hangs prints when the lab examines it: "2026-11-22 15:32:39\nFull thread dump OpenJDK 64-Bit ..."
THREAD_DUMP = re.compile(r"(?:^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\n)?^Full thread dump [\s\S]*", re.MULTILINE)
OWN_FRAME = re.compile(r"^\s+at (?!java\.|javax\.|jdk\.|sun\.)", re.MULTILINE)  # not the JDK's


def of_run(run: Run, whole: str = "run.output") -> str:
    """What the program printed: of much the end; of one that failed, what it complained about, too.

    Args:
        whole: what a reader types to see the lines that were left out.
    """
    lines = (THREAD_DUMP.sub("", run.output) if run.overdue else run.output).splitlines()
    if len(lines) > MOST_LINES:
        lines = [f"… {len(lines) - MOST_LINES:,} lines before: see {whole}", *lines[-MOST_LINES:]]
    complaint = run.complaint().splitlines() if run.outcome == "exited" and run.exit_code else []
    return "".join(f"{line}\n" for line in [*lines, *(line for line in complaint if line not in lines)])


def of_overdue(run: Run) -> str:
    """What the program printed by itself, and the stacks of the threads that were in its own code, and where all are.

    A JVM that still answers prints a thread dump for each tool that attaches to it: all its threads, several times.
    """
    before, dumps = THREAD_DUMP.sub("", run.output), THREAD_DUMP.search(run.output)
    if not dumps:
        return before
    stacks = [stack.strip() for stack in re.split(r"\n\s*\n", dumps[0]) if OWN_FRAME.search(stack)]
    last = {re.sub(r"[\s\S]* tid=(\S+)[\s\S]*", r"\1", stack): stack for stack in stacks if stack.startswith('"')}
    told = f"All threads, and what it printed later: {home.shown(run.finished.stdout)}"
    return before + "".join(f"{words}\n" for words in (*list(last.values())[:MOST_STACKS], told))


def table(frame: "DataFrame") -> "DataFrame":
    """A sweep's rows as text to look at: rounded, "" for what is missing, without what is said elsewhere.

    How often a run was made until others left it undisturbed is only in the frame itself.
    """
    shown = frame.drop(columns=["flags", "args", "attempts", "reason"], errors="ignore").round(1).convert_dtypes()
    return shown.astype("string").fillna("")


def of_frame(frame: "DataFrame", quiet: bool = False) -> str:
    """What each run printed, below its JDK and all else that distinguishes it; equal outputs are shown once.

    In place of a run that could not be made, why; with `quiet` that alone.
    """
    axes = [axis for axis in ("compiler", "gc", "repeat") if frame[axis].nunique() > 1]
    printed: dict[str, list[str]] = {}
    for row in frame.to_dict("records"):
        made = isinstance(row.get("run"), str)
        if made and quiet:
            continue
        label = " ".join([f"JDK {row['jdk']}", *(f"{axis} {row[axis]}" for axis in axes)])
        words = of_run(load(row["run"]), "lab.load(RUN).output") if made else f"{row['reason'].rstrip()}\n"
        printed.setdefault(words, []).append(label)
    return "".join(f"{', '.join(labels)}:\n{words}" for words, labels in printed.items())
