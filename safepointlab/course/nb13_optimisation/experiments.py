"""The loops of the benchmark IntAgainstLong: their forks on a JDK and with flags, and what C2 made of each loop.

The methods are copyInt, copyLong, equalsInt, and so on. Serial stands for the collectors whose counted loops have no
poll, G1 for those with strip mining. Each method is timed in several forks: two JVMs may compile the same loop
differently. The forks of all methods take turns, so that a busy minute affects all of them alike.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from safepointlab.run import jmh, profile
from safepointlab.run.load import load

if TYPE_CHECKING:
    from pandas import DataFrame

BENCHMARK = "optimisation.IntAgainstLong"
GC, STRIPS = "Serial", "G1"
OPTIONS = "-f 1 -wi 5 -w 40ms -i 6 -r 30ms"  # short iterations: on a busy machine some of them are left in peace
BRIEF = "-f 1 -wi 3 -w 100ms -i 1 -r 30ms"  # long enough for C2; of a time it says nothing
LOG = f"assembly={BENCHMARK}.*"
POLLS = "-XX:+UseCountedLoopSafepoints"
READ = ("work", "per_pass", "range_checks", "poll")


def each_fork(
    methods: str, jdk: object, flags: object = "", options: str = OPTIONS, repeat: int | None = None, gc: str = GC
) -> "DataFrame":
    """The methods whose whole name matches, such as "copy(Int|Long)": the rows of lab.jmh, one per fork.

    Equal runs of one session are shared.

    Args:
        jdk, flags: one value, or a list of values to combine.
        repeat: how many forks each method has; by default three, in the quick profile two.
    """
    repeat = repeat or profile.by_effort(quick=2, standard=3)
    return jmh.jmh(f"{BENCHMARK}.({methods})$", jdk, flags, options, 60, gc=gc, repeat=repeat, log=LOG, reuse=True)


def work(frame: "DataFrame") -> "DataFrame":
    """What one pass of each loop does: of each combination in rows of lab.jmh the first fork's code is read.

    Returns:
        The columns jdk, gc, flags, method and run of the frame, loop ("copy") and index ("int", "long"), which are
        missing for the copy in batches, and of logs.assembly.loop_work those in READ.
    """
    import pandas as pd

    labels = ["jdk", "gc", "flags", "method", "run"]
    measured = frame[frame["score"].notna()] if "score" in frame else frame
    rows = measured.drop_duplicates(labels[:-1])[labels].to_dict("records")
    found = pd.DataFrame([{**row, **did} for row in rows if (did := _work(row["run"]))], columns=[*labels, *READ])
    parts = found["method"].astype("string").str.extract("^(?P<loop>[a-z]+)(?P<index>Int|Long)$")
    numbers = found.astype({"per_pass": "Int64", "range_checks": "Int64"})
    return numbers.assign(loop=parts["loop"], index=parts["index"].str.lower())


@lru_cache(maxsize=256)
def _work(run: str) -> Mapping[str, Any]:
    """What C2's last version of the only method in this run's code does; empty without one."""
    from safepointlab.logs.assembly import loop_work

    rows = loop_work.standard(load(run).assembly)
    return {name: rows[name].iloc[0] for name in READ} if len(rows) else {}
