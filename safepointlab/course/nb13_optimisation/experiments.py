"""A loop with an int or a long index, on a JDK and with flags -> its JMH scores, and what C2 made of it.

The loops are methods of the benchmark IntAgainstLong: copyInt, copyLong, equalsInt, and so on. Serial stands for the
collectors whose counted loops have no poll, G1 for those with strip mining. Each method is timed in several forks: two
JVMs may compile the same loop differently. The forks of all methods run by turns, so that a busy minute hits all alike.
Each function runs what it needs once a session and finds it again after that.
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from safepointlab.run import forks, jmh
from safepointlab.run.load import load
from safepointlab.session import profile

if TYPE_CHECKING:
    from pandas import DataFrame, Series

BENCHMARK = "optimisation.IntAgainstLong"
GC, STRIPS = "Serial", "G1"
OPTIONS = "-f 1 -wi 5 -w 40ms -i 6 -r 30ms"  # short iterations: on a busy machine some of them are left in peace
BRIEF = "-f 1 -wi 3 -w 100ms -i 1 -r 30ms"  # long enough for C2; of a time it says nothing
LOG = f"assembly={BENCHMARK}.*"
DEADLINE_S = 60
POLLS = "-XX:+UseCountedLoopSafepoints"
FILL = "-XX:+OptimizeFill"
STEPS = {  # what is taken away from the int loop, one thing after the other
    "nothing": "",
    "fill routine": "-XX:-OptimizeFill",
    "and vectors": "-XX:-OptimizeFill -XX:-UseSuperWord",
    "and unrolling": "-XX:-OptimizeFill -XX:-UseSuperWord -XX:LoopUnrollLimit=0",
}
RUNGS = {  # the same and more, until the int loop does what the long one does on 8: each rung keeps those before it
    "as it is": "",
    "− fill routine": "-XX:-OptimizeFill",
    "− vectors": "-XX:-UseSuperWord",
    "− unrolling": "-XX:LoopUnrollLimit=0",
    "+ checks": "-XX:-UseLoopPredicate -XX:-RangeCheckElimination",
    "+ poll": POLLS,
}
LONG_INDEX = "long index"
VISIBLE = 1.1  # as long: less is not told apart here
MANY_TIMES = 2.0  # as long: what the loss of vectors costs, and a poll alone does not
IN_LOOP, BETWEEN = "in each pass", "between strips (G1)"  # of the compiled loop: where the poll is
NOTE = "mark: the shortest iteration · whisker: up to the slowest fork's median"
IN_2015 = {"copy": (76.9, 796.6), "equals": (367, 806), "fill": (84, 568), "sum": (338, 586)}  # ns: int, long index


def repeats() -> int:
    """How many forks each method has, by turns."""
    return profile.by_effort(quick=2, standard=3)


def scores(
    methods: str = "",
    jdk: object = 25,
    flags: object = "",
    gc: str = GC,
    params: Mapping[str, object] | None = None,
    options: str = OPTIONS,
    repeat: int | None = None,
) -> "DataFrame":
    """The benchmark's methods whose whole name matches, such as "copy(Int|Long)"; all of them by default.

    Args:
        jdk, flags: one value, or a list of values to combine.
        params: {"batch": [16, 64]} for copyLongInBatches.
        repeat: how many forks each method has; by default `repeats`.

    Returns:
        `pooled` rows of lab.jmh in ns per operation.
    """
    return pooled(each_fork(methods, jdk, flags, gc, params, options, repeat))


def each_fork(
    methods: str,
    jdk: object,
    flags: object = "",
    gc: str = GC,
    params: Mapping[str, object] | None = None,
    options: str = OPTIONS,
    repeat: int | None = None,
) -> "DataFrame":
    """The same, one row a fork: the rows of lab.jmh."""
    pattern = f"{BENCHMARK}.({methods or '.*'})$"
    settings: dict[str, object] = {"gc": gc, "params": params, "repeat": repeat or repeats()}
    return jmh.jmh(pattern, jdk, flags, options, DEADLINE_S, log=LOG, reuse=True, **settings)  # type: ignore[arg-type]


def pooled(frame: "DataFrame") -> "DataFrame":
    """Forks of lab.jmh -> one row for each method, JDK, flags and parameters, with the columns method, loop and index.

    method is "copyInt", loop "copy" (missing for the copy in batches), index "Int" or "Long". `score` is the median of
    the forks' typical iterations; `low` and `high` are the fastest and the slowest fork's, `best` is the shortest
    iteration of all. `run` is the first fork's; its machine code is read.
    """
    import pandas as pd

    combination = [name for name in ("jdk", "gc", "flags", "benchmark", "batch", "size") if name in frame]
    groups = frame.dropna(subset="score").groupby(combination, sort=False, dropna=False)
    return named(pd.DataFrame([_pooled(group) for _, group in groups]))


def _pooled(group: "DataFrame") -> dict[str, object]:
    middles = forks.middles(group)
    first = {str(name): value for name, value in group.iloc[0].items() if name not in ("error", "count", "repeat")}
    spread = {"score": middles.median(), "low": middles.min(), "high": middles.max()}
    return {**first, **spread, "best": group["best"].min()}


def named(frame: "DataFrame") -> "DataFrame":
    """Scores of this benchmark, with the columns method, loop and index."""
    method = frame["benchmark"].str.rpartition(".")[2]
    parts = method.str.extract("^(?P<loop>[a-z]+)(?P<index>Int|Long)$")
    return frame.assign(method=method, **parts)


def shortest(frame: "DataFrame") -> "DataFrame":
    """Scores whose mark is the shortest iteration: what other programs disturbed least; see NOTE."""
    return frame.assign(score=frame["best"], low=frame["best"])


def long_by_int(frame: "DataFrame") -> "DataFrame":
    """How many times as long each loop takes with a long index, by the best values: a row a JDK, a column a loop."""
    best = frame.pivot_table(index=["jdk", "loop"], columns="index", values="best")
    return (best["Long"] / best["Int"]).unstack()


def longer(frame: "DataFrame", loop: str = "copy") -> str:
    """How many times as long a loop takes with a long index on these JDKs, by the best values: a picture's title."""
    times = long_by_int(frame)[loop].dropna()
    return f"JDK {_jdks(times.index.to_series())}: with a long index the {loop} takes {_range(times)} times as long"


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


def by_index(work: "DataFrame") -> "DataFrame":
    """The same with loop and index as a picture names them: copyInt is the copy with an "int" index."""
    parts = work["method"].str.extract("^(?P<loop>[a-z]+)(?P<index>Int|Long)$")
    return work.assign(loop=parts["loop"], index=parts["index"].str.lower())


def by_place(work: "DataFrame") -> "DataFrame":
    """Of `beside_polls`' machine code: what a pass does, and of how many ints; a row a place of the poll."""
    does = work.assign(does=work["work"].astype(str) + ", " + work["per_pass"].astype(str))
    return does.pivot(index="where", columns="jdk", values="does").rename_axis("poll").fillna("–")


def main_loop(frame: "DataFrame", jdk: int, method: str) -> "DataFrame":
    """The instructions of the method's main loop in this JDK's run, one row each."""
    from safepointlab.read.assembly import loop_work

    return loop_work.main_loop(load(run_of(frame, jdk, method)).assembly)


def run_of(frame: "DataFrame", jdk: int, method: str) -> str:
    """The id of the run of this method on this JDK, for lab.load."""
    return str(frame.loc[(frame["jdk"] == jdk) & (frame["method"] == method), "run"].iloc[0])


def ladder(methods: str = "(copy|fill)", jdk: int = 8) -> "DataFrame":
    """Scores of int loops from which RUNGS take one thing after the other, then of the long ones.

    The column `step` names what is gone, `rung` does so in two lines, for a picture.

    Unrolling, vectors and range checks are C2's; on newer JDKs not each of these flags can be set.
    """
    import pandas as pd

    flags = [" ".join(filter(None, list(RUNGS.values())[: number + 1])) for number in range(len(RUNGS))]
    names = dict(zip(flags, RUNGS, strict=True))
    without = scores(f"{methods}Int", jdk, flags)
    long = scores(f"{methods}Long", jdk).assign(step=LONG_INDEX)
    frame = pd.concat([without.assign(step=without["flags"].map(names)), long], ignore_index=True)
    return frame.assign(rung=frame["step"].str.replace(r"(?<=\w) (?=\w+$)", "\n", regex=True))


def rungs(ladder: "DataFrame") -> "DataFrame":
    """What C2 made of each loop, such as "vector" or "one by one, polls": a row a step, downwards, a column a loop."""
    code = by_index(work(ladder.assign(where=ladder["step"])))
    did = code["work"].where(code["poll"] != "each pass", code["work"] + ", polls")
    return code.assign(did=did).pivot(index="where", columns="loop", values="did").reindex([*RUNGS, LONG_INDEX])


def descent(ladder: "DataFrame", loop: str = "copy") -> str:
    """At which rung the loop loses most, and what the last one, the poll, adds: a picture's title."""
    best = ladder[(ladder["loop"] == loop) & (ladder["step"] != LONG_INDEX)].set_index("step")["best"]
    factors = (best / best.shift()).dropna()
    last = "does not show" if factors.iloc[-1] < VISIBLE else f"makes it {factors.iloc[-1]:.1f} times"
    most = f"JDK {ladder['jdk'].iloc[0]}: {_in_words(factors.idxmax())} the {loop} takes {factors.max():.1f} times"
    return f"{most}\nas long; the poll, added last, {last}"


def _in_words(rung: object) -> str:
    """The name of a rung as a part of a sentence.

    >>> _in_words("− vectors"), _in_words("+ checks")
    ('without vectors', 'with checks')
    """
    return str(rung).replace("−", "without").replace("+", "with")


def beside_none(polls: "DataFrame") -> str:
    """How many times as long the copy takes with a poll in each pass as without, JDKs in two groups: a title.

    The groups are those where it loses its vectors, and those where it keeps them.
    """
    times = with_poll(polls)[IN_LOOP].rename("times").reset_index()
    groups = [rows for _, rows in times.groupby(times["times"] < MANY_TIMES)]
    said = [(_range(rows["times"]), ", ".join(map(str, rows["jdk"]))) for rows in groups]
    others = "".join(f"; {factor} times on {jdks}" for factor, jdks in said[1:])
    return f"A poll in each pass: the copy takes {said[0][0]} times\nas long on JDK {said[0][1]}{others}"


def since_11(scores: "DataFrame", method: str) -> dict[int, float]:
    """How many times as long the method's best call takes on each JDK as on 11; empty without one."""
    best = scores[scores["method"] == method].set_index("jdk")["best"]
    return {int(jdk): float(best[jdk] / best[11]) for jdk in best.index} if 11 in best else {}


def with_poll(polls: "DataFrame") -> "DataFrame":
    """How many times as long the copy takes with a poll as without: a row a JDK, columns IN_LOOP and BETWEEN."""
    best = polls.pivot_table(index="jdk", columns="where", values="best")
    return best.div(best["no poll"], axis=0).reindex(columns=[IN_LOOP, BETWEEN])


def in_batches(scores: "DataFrame") -> "Series[float]":
    """How many times as long the copy in batches takes as the long copy, for each JDK."""
    best = scores.pivot(index="jdk", columns="method", values="best")
    return best["copyLongInBatches"] / best["copyLong"]


def _jdks(numbers: "Series[int]") -> str:
    return " to ".join(map(str, dict.fromkeys((numbers.min(), numbers.max()))))


def _range(numbers: "Series[float]") -> str:
    return " to ".join(dict.fromkeys(f"{number:.1f}" for number in (numbers.min(), numbers.max())))


def bodies(frame: "DataFrame", jdk: int, methods: Iterable[str]) -> "DataFrame":
    """One iteration of the main loops of these methods, side by side: a column for each, an instruction a row."""
    import pandas as pd

    return pd.DataFrame({name: main_loop(frame, jdk, name)["instruction"] for name in methods}).fillna("")


def limits(frame: "DataFrame", jdk: int, method: str) -> list[int]:
    """The constants near 2³¹ that C2's standard version compares with: how long an inner loop of a nest may run."""
    code = load(run_of(frame, jdk, method)).assembly.query("tier == 4 and osr_bci.isna()")["instruction"]
    found = code.str.extract(r"cmp\w* \$0x(7f[0-9a-f]{6}),")[0].dropna()
    return sorted({int(limit, 16) for limit in found})


def times(frame: "DataFrame", longer: str, shorter: str, column: str = "method") -> "Series[float]":
    """How many times as long one row of each_fork takes as another: one ratio for each pair of forks in turn.

    Of each fork the shortest iteration counts; `column` is where the two names stand.
    """
    long, short = (forks.bests(frame[frame[column] == name]) for name in (longer, shorter))
    return long / short


def pair(jdk: int, loop: str) -> "Series[float]":
    """The ratios of the long loop and the int loop, such as "copy"."""
    frame = named(each_fork(f"{loop}(Int|Long)", jdk))
    return times(frame, f"{loop}Long", f"{loop}Int")


def without_vectors(jdk: int) -> "DataFrame":
    """The forks of copyInt as it is, without vectors, and without vectors and unrolling."""
    return each_fork("copyInt", jdk, [STEPS[step] for step in ("nothing", "and vectors", "and unrolling")])


def fills(jdk: int) -> "DataFrame":
    """fillInt and fillLong where OptimizeFill is on, whatever this JDK's default is: scores of one fork each."""
    return scores("fill(Int|Long)", jdk, FILL, options=BRIEF, repeat=1)


def kept(jdk: int) -> "DataFrame":
    """The forks of copyInt with and without a poll that is kept in its counted loop, though the collector is Serial."""
    return each_fork("copyInt", jdk, ["", POLLS])


def polled(jdk: object, flags: str = "", repeat: int = 1) -> "DataFrame":
    """Scores of copyInt with a poll in its counted loop, though the collector is Serial."""
    return scores("copyInt", jdk, f"{POLLS} {flags}".strip(), repeat=repeat)


def beside_polls(jdks: Iterable[int]) -> "DataFrame":
    """Scores of copyInt with its poll in three places; the column `where` says which. 8 has no strips."""
    import pandas as pd

    jdks = list(jdks)
    frames = {
        "no poll": scores("copyInt", jdks),
        BETWEEN: scores("copyInt", [jdk for jdk in jdks if jdk > 8], gc=STRIPS),
        IN_LOOP: polled(jdks, repeat=repeats()),
    }
    return pd.concat([frame.assign(where=where) for where, frame in frames.items()], ignore_index=True)
