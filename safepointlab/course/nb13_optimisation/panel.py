"""A JDK, a place for the poll and a flag -> what one pass of eight compiled loops does: what page 13 offers.

One run has all eight loops: copy, equals, sum and fill, each with an int and with a long index. `loop` and `index`
choose what is shown of it. The times in it are of one run: the two indexes of a loop are compared, and no more.
"""

import re
from typing import Any

import pandas as pd

from safepointlab.course.nb13_optimisation import experiments as optimisation
from safepointlab.course.panels import RECORDED_JDKS, Choice, Chosen, Option, Panel, Record, Tile
from safepointlab.errors import RunFailed
from safepointlab.logs.assembly import loop_work
from safepointlab.phrases import counted
from safepointlab.run.run import Run

SAMPLE = "optimisation/OnePass"
APART = "-Xbatch -XX:CompileCommand=dontinline,OnePass::*"  # C2's code of each loop, and that one timed
LOG = "assembly=OnePass.*"
LOOPS = ("copy", "equals", "sum", "fill")
INDEXES = {"int": "Int", "long": "Long"}
TIME = re.compile(r"^(\w+)_ns=(\d+)$", re.MULTILINE)  # copyInt_ns=98
TARGET = re.compile(r"(?<=\s)0x[0-9a-f]{6,}$")  # jae 0x7f8117ef4f7a
LOOKS = {"vector": "good", "stub": "good", "unrolled": "late", "one by one": "bad"}
POLLS = {"each pass": "It polls once per pass", "around": "A loop around it polls", "none": "Nothing polls"}


def measure(run: Run) -> dict[str, Any]:
    """What is kept: for each loop a call's shortest time in ns, the row of `loop_work`, and the pass itself.

    The pass has one instruction per line, a jump without its address; after a tab, what it is there for.

    Raises:
        RunFailed: the log has no code by C2 of one of the loops.
    """
    code, times = run.assembly, {name: int(ns) for name, ns in TIME.findall(run.output)}
    rows = {row["method"].rpartition("::")[2]: row for row in loop_work.standard(code).to_dict("records")}
    names = [f"{loop}{index}" for loop in LOOPS for index in INDEXES.values()]
    if missing := [name for name in names if name not in rows or name not in times]:
        raise RunFailed(f"{run!r}: no code by C2, or no time, of {', '.join(missing)}. Run it again.")
    kept = {}
    for name in names:
        row, lines = rows[name], []
        if row["work"] != "stub":
            body = loop_work.main_loop(code, f"::{name}")
            texts = [TARGET.sub("…", text) for text in body["instruction"]]
            lines = ["\t".join(filter(None, pair)) for pair in zip(texts, loop_work.purposes(body), strict=True)]
        counts = {count: None if pd.isna(row[count]) else int(row[count]) for count in ("per_pass", "range_checks")}
        kept[name] = {"ns": times[name], "work": row["work"], **counts, "poll": row["poll"], "code": "\n".join(lines)}
    return kept


def tile(record: Record, chosen: Chosen) -> Tile:
    """What one pass does, and how long a call takes, compared with the other index."""
    other = next(index for index in INDEXES if index != chosen["index"])
    seen, compared = (record["values"][f"{chosen['loop']}{INDEXES[index]}"] for index in (chosen["index"], other))
    iterations, checks = seen["per_pass"] or 1, seen["range_checks"]
    if seen["work"] == "stub":
        says = "The loop became one call of a routine that is built into the JVM."
    else:
        amount = "1 iteration" if iterations == 1 else f"{iterations} iterations"
        vectors = ", on vectors" if seen["work"] == "vector" else ""
        held = f"with {counted(checks, 'range check')}" if checks else "without a range check"
        says = f"One pass does {amount}{vectors}, {held}."
    word = seen["work"] + (f" ×{iterations}" if iterations > 1 else "")
    took = f"A call took {seen['ns']} ns, with the {other} index {compared['ns']} ns."
    return Tile(LOOKS.get(seen["work"], "none"), word, f"{says} {POLLS[seen['poll']]}. {took}")


def impossible(chosen: Chosen) -> str:
    """The oldest JDKs have no strips."""
    early = chosen["poll"] == "strips" and int(chosen["jdk"]) < 10
    return "strip mining came with JDK 10 (JDK-8186027)" if early else ""


def recorded(chosen: Chosen) -> bool:
    """Every JDK and place of the poll without a flag; a flag with no poll."""
    return chosen["flags"] == "none" or chosen["poll"] == "none"


PASSES = Panel(
    name="13-passes",
    title="What does one pass of the compiled loop do?",
    sample=SAMPLE,
    choices=(
        Choice("loop", "loop", tuple(Option(loop, loop) for loop in LOOPS), "copy", runs=False),
        Choice("index", "index", tuple(Option(index, index) for index in INDEXES), "long", runs=False),
        Choice("jdk", "JDK", tuple(Option(f"{n}", f"{n}", {"jdk": f"{n}"}) for n in RECORDED_JDKS), "25"),
        Choice(
            "poll",
            "poll of a counted loop",
            (
                Option("none", "none (Serial)", {"gc": optimisation.GC}),
                Option("strips", "between strips (G1)", {"gc": optimisation.STRIPS}),
                Option("pass", "each pass (UseCountedLoopSafepoints)", {"gc": "Serial", "flags": optimisation.POLLS}),
            ),
            "none",
        ),
        Choice(
            "flags",
            "taken away",
            (
                Option("none", "nothing"),
                Option("vectors", "vectors: -UseSuperWord", {"flags": "-XX:-UseSuperWord"}),
                Option("fill", "the fill routine: -OptimizeFill", {"flags": "-XX:-OptimizeFill"}),
            ),
            "none",
        ),
    ),
    settings={"flags": APART, "log": LOG},
    deadline_s=60,
    rows="loop",
    columns="jdk",
    measure=measure,
    tile=tile,
    records=recorded,
    impossible=impossible,
    picture="pass",
    drawn=lambda: {"names": INDEXES},
)
