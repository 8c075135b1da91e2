"""A loop with an int or a long index, on a JDK and with flags -> its JMH scores, and what C2 made of it.

The loops are methods of the benchmark IntAgainstLong: copyInt, copyLong, equalsInt, and so on. Serial stands for the
collectors whose counted loops have no poll, G1 for those with strip mining. Each function runs what it needs once a
session and finds it again after that.
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from safepointlab.run import jmh
from safepointlab.run.load import load

if TYPE_CHECKING:
    from pandas import DataFrame

BENCHMARK = "optimisation.IntAgainstLong"
GC, STRIPS = "Serial", "G1"
OPTIONS = "-f 1 -wi 5 -w 40ms -i 10 -r 30ms"  # many short iterations: a narrow interval, and a best one left in peace
BRIEF = "-f 1 -wi 3 -w 100ms -i 1 -r 30ms"  # long enough for C2; of a time it says nothing
LOG = f"assembly={BENCHMARK}.*"
DEADLINE_S = 60
POLLS = "-XX:+UseCountedLoopSafepoints"
STEPS = {  # what is taken away from the int loop, one thing after the other
    "nothing": "",
    "fill routine": "-XX:-OptimizeFill",
    "+ vectors": "-XX:-OptimizeFill -XX:-UseSuperWord",
    "+ unrolling": "-XX:-OptimizeFill -XX:-UseSuperWord -XX:LoopUnrollLimit=0",
}
IN_2015 = {"copy": (76.9, 796.6), "equals": (367, 806), "fill": (84, 568), "sum": (338, 586)}  # ns: int, long index


def scores(
    methods: str = "",
    jdk: object = 25,
    flags: object = "",
    gc: str = GC,
    params: Mapping[str, object] | None = None,
    options: str = OPTIONS,
) -> "DataFrame":
    """The benchmark's methods whose whole name matches, such as "copy(Int|Long)"; all of them by default.

    Args:
        jdk, flags: one value, or a list of values to combine.
        params: {"batch": [16, 64]} for copyLongInBatches.

    Returns:
        The rows of lab.jmh in ns per operation, with the columns method ("copyInt"), loop ("copy"; missing for the
        copy in batches) and index ("Int" or "Long").
    """
    pattern = f"{BENCHMARK}.({methods or '.*'})$"
    frame = jmh.jmh(pattern, jdk, flags, options, DEADLINE_S, gc=gc, params=params, log=LOG, reuse=True)
    return named(frame)


def named(frame: "DataFrame") -> "DataFrame":
    """Scores of this benchmark, with the columns method, loop and index."""
    method = frame["benchmark"].str.rpartition(".")[2]
    parts = method.str.extract("^(?P<loop>[a-z]+)(?P<index>Int|Long)$")
    return frame.assign(method=method, **parts)


def work(frame: "DataFrame") -> "DataFrame":
    """What the main loop of each of these runs does in an iteration: rows of read.assembly.loop_work, and the JDK.

    The column `where` of `beside_polls` comes along.
    """
    import pandas as pd

    from safepointlab.read.assembly import loop_work

    labels = [name for name in ("jdk", "where") if name in frame]
    tables = [
        loop_work.standard(load(row["run"]).assembly).assign(**{name: row[name] for name in labels})
        for row in frame.dropna(subset="score").to_dict("records")
    ]
    code = pd.concat(tables, ignore_index=True)
    return code.assign(method=code["method"].str.rpartition("::")[2])


def main_loop(frame: "DataFrame", jdk: int, method: str) -> "DataFrame":
    """The instructions of the method's main loop in this JDK's run, one row each."""
    from safepointlab.read.assembly import loop_work

    return loop_work.main_loop(load(run_of(frame, jdk, method)).assembly)


def run_of(frame: "DataFrame", jdk: int, method: str) -> str:
    """The id of the run of this method on this JDK, for lab.load."""
    return str(frame.loc[(frame["jdk"] == jdk) & (frame["method"] == method), "run"].iloc[0])


def taken_away(methods: str, jdk: int, steps: Iterable[str] = STEPS) -> "DataFrame":
    """Scores of int loops without what STEPS take away; the column `without` says how far."""
    frame = scores(methods, jdk, [STEPS[step] for step in steps])
    return frame.assign(without=frame["flags"].map({flags: step for step, flags in STEPS.items()}))


def polled(jdk: object, flags: str = "") -> "DataFrame":
    """Scores of copyInt with a poll in its counted loop, though the collector is Serial."""
    return scores("copyInt", jdk, f"{POLLS} {flags}".strip())


def beside_polls(jdks: Iterable[int]) -> "DataFrame":
    """Scores of copyInt with its poll in three places; the column `where` says which. 8 has no strips."""
    import pandas as pd

    jdks = list(jdks)
    frames = {
        "no poll": scores("copyInt", jdks),
        "between strips (G1)": scores("copyInt", [jdk for jdk in jdks if jdk > 8], gc=STRIPS),
        "in every turn": polled(jdks),
    }
    return pd.concat([frame.assign(where=where) for where, frame in frames.items()], ignore_index=True)
