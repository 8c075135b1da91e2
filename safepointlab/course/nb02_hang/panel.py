"""A JDK, a collector, a cure, a compiler and a warm-up -> whether the killer task's JVM exits: what page 02 offers.

The default is what the page speaks of: JDK 17, Serial, no flag, javac's class, 100,000 calls before the long one.
"""

from typing import Any

from safepointlab.course.nb02_hang import experiments as hang
from safepointlab.course.panels import RECORDED_JDKS, Choice, Chosen, Option, Panel, Record, Tile
from safepointlab.run.run import Run

COLLECTORS = {"Serial": "Serial", "Parallel": "Parallel", "G1": "G1", "Z": "ZGC"}
FLAGS = {
    "none": ("none", ""),
    "interpreter": ("interpreter only: -Xint", hang.INTERPRETED),
    "excluded": ("this method is not compiled: CompileCommand=exclude", hang.EXCLUDED),
    "c1": ("C1 only: TieredStopAtLevel=1", hang.C1_ONLY),
    "polls": ("C2 keeps polls: +UseCountedLoopSafepoints", hang.KEEP_POLLS),
}
COMPILERS = (Option("javac", "javac"), Option("ecj", hang.ECJ, {"compiler": hang.ECJ}))
CALLS = (Option("warm", f"{hang.WARM_UP:,}"), Option("cold", "none", {"args": f"{hang.LIMIT} 0"}))


def measure(run: Run) -> dict[str, Any]:
    """What is kept: whether main returned, the longest time to safepoint in ms, and who holds a hung JVM up.

    Raises:
        RunFailed: it was still there at its deadline, and nobody held it up.
    """
    hang.fate(run)
    longest_ms = float(run.safepoints["ttsp_ms"].max())
    return {
        "main_returned": "main returns" in run.output,
        "ttsp_ms": None if longest_ms != longest_ms else round(longest_ms, 1),
        "holdup": run.forensics.holdup if run.overdue else None,
    }


def tile(record: Record, _: Chosen) -> Tile:
    """The outcome in words."""
    seconds, values = record["wall_ms"] / 1000, record["values"]
    if record["outcome"] == "hung":
        after = f"Still running after {seconds:.1f} s"
        returned = "main has returned" if values["main_returned"] else "main has not returned"
        who = f"The thread {values['holdup']} holds up the JVM's last safepoint." if values["holdup"] else ""
        return Tile("bad", "HUNG", f"{after}, when the lab ended it; {returned}. {who}")
    late, ttsp_ms = record["wall_ms"] > hang.LATE_MS, values["ttsp_ms"]
    says = f"The JVM lived for {seconds:.2f} s, of which main slept {hang.SLEEP_MS / 1000:g} s."
    if ttsp_ms is not None:
        says += f" The longest time to safepoint was {f'{ttsp_ms:g}' if ttsp_ms >= 1 else 'less than 1'} ms."
    return Tile("late" if late else "good", "late" if late else "exits", says)


def recorded(chosen: Chosen) -> bool:
    """Every JDK, collector and flag with javac and a warm-up; ecj, and no warm-up, without a flag."""
    usual = [chosen["compiler"] == "javac", chosen["calls"] == "warm", chosen["flags"] == "none"]
    return sum(usual) >= 2 and (chosen["flags"] == "none" or usual[0] and usual[1])


KILLER = Panel(
    name="02-killer",
    title="Does the killer task's JVM exit when main returns?",
    sample=hang.KILLER,
    choices=(
        Choice("jdk", "JDK", tuple(Option(f"{n}", f"{n}", {"jdk": f"{n}"}) for n in RECORDED_JDKS), "17"),
        Choice("gc", "collector", tuple(Option(gc, name, {"gc": gc}) for gc, name in COLLECTORS.items()), "Serial"),
        Choice(
            "flags",
            "flag",
            tuple(
                Option(value, label, {"flags": flags} if flags else {}, hang.CURED_S if flags else 0)
                for value, (label, flags) in FLAGS.items()
            ),
            "none",
        ),
        Choice("compiler", "compiled by", COMPILERS, "javac"),
        Choice("calls", "calls before the long one", CALLS, "warm"),
    ),
    settings={"args": f"{hang.SLEEP_MS}", "log": hang.LOG},
    deadline_s=hang.HANGS_S,
    rows="jdk",
    columns="gc",
    measure=measure,
    tile=tile,
    records=recorded,
    drawn=lambda: {"sleep_ms": hang.SLEEP_MS},
)
