"""What a profiler saw of `blame/KnownAnswer` -> whom it blames: one row per case and place, and whether it is right.

    read(run.output.splitlines())      the program's own sampler, which asks for thread dumps
    of_jfr(run.jfr("ExecutionSample"))
    of_async(run.stacks)      async-profiler, told to keep threads apart
    of_jmh(bench.stack)       a benchmark of the case's name under JMH's own profiler

>>> read(["blamed inlined drive 42 38", "blamed inlined sum 22 2", "noise"]).values.tolist()
[['inlined', 'drive', 42, 38, 0.95, False], ['inlined', 'sum', 22, 2, 0.05, True]]

case      which of the four, or the fifth, `uncounted`; worker threads are named by it
method    the topmost frame, without its class; line is missing where the profiler tells none
samples   how many samples had it on top, and which share of the case's samples these are
right     whether it is the hot loop: sum(), its twin sumApart(), or sumList() of the fifth case

`most(frame)` keeps the place that is blamed most in each case: what you would read first in that profiler's window.
"""

import re

import pandas as pd

from safepointlab.logs.lines.source import Count, Source, blocks, with_counts

__all__ = ["CASES", "COLUMNS", "HOT", "NAME", "most", "of_async", "of_jfr", "of_jmh", "read"]

NAME = "blame"
CASES = ("inlined", "notInlined", "innocentSetter", "farAway", "uncounted")
CULPRITS = ("sum", "sumApart", "sumList")
HOT = dict(zip(CASES, ("sum", "sumApart", "sum", "sum", "sumList"), strict=True))  # where the time of each case goes
COLUMNS = {
    "case": "string",
    "method": "string",
    "line": "Int64",
    "samples": "Int64",
    "share": "float64",
    "right": "boolean",
}
# blamed inlined drive 42 38
_LINE = re.compile(r"^blamed (\w+) ([\w$<>]+) (-?\d+) (\d+)$", re.MULTILINE)


def read(source: Source, strict: bool = False) -> pd.DataFrame:  # noqa: ARG001 - every reader takes it
    """Whom thread dumps blame, as the program counts them; its other lines are skipped, and none can be damaged."""
    count, rows = Count(), list[tuple[str, str, str, str]]()
    for block in blocks(source):
        count.lines += block.text.count("\n")
        rows += _LINE.findall(block.text)
    count.skipped = count.lines - len(rows)
    seen = pd.DataFrame(rows, columns=["case", "method", "line", "samples"])
    return with_counts(_judged(seen.astype({"line": "int64", "samples": "int64"})), count)


def of_jfr(samples: pd.DataFrame) -> pd.DataFrame:
    """Whom JFR's samples blame."""
    workers = samples[samples["thread"].isin(CASES) & samples["method"].notna()]
    return _judged(workers.assign(case=workers["thread"], method=_plain(workers["method"]), samples=1))


def of_async(stacks: pd.DataFrame) -> pd.DataFrame:
    """Whom async-profiler blames; its collapsed stacks have no lines."""
    workers = stacks[stacks["thread"].isin(CASES)]
    lines = pd.Series(pd.NA, workers.index, "Int64")
    named = {"case": workers["thread"], "method": _plain(workers["leaf"]), "samples": workers["count"]}
    return _judged(workers.assign(line=lines, **named))


def of_jmh(stack: pd.DataFrame) -> pd.DataFrame:
    """Whom JMH's stack profiler blames among the stacks of running threads; of samples it tells only the shares."""
    known = stack[(stack["state"] == "RUNNABLE") & stack["method"].notna()]
    case = known["benchmark"].str.replace(r"^.*\.", "", regex=True)
    method = _plain(known["method"]).str.replace(r"^.*_(?=jmhStub)", "", regex=True)  # the loop that JMH generates
    return _judged(known.assign(case=case, method=method, samples=known["share"] * 10))


def most(frame: pd.DataFrame) -> pd.DataFrame:
    """Of each case, and of each value of further columns, the row with the most samples."""
    by = [name for name in frame.columns if name not in COLUMNS or name == "case"]
    return frame.sort_values("samples", ascending=False, kind="stable").drop_duplicates(by).sort_index()


def _plain(names: "pd.Series[str]") -> "pd.Series[str]":
    """The method alone: of "KnownAnswer::sum" and of "KnownAnswer.sum" alike."""
    return names.astype("string").str.replace(r"^.*(?:::|\.)", "", regex=True)


def _judged(seen: pd.DataFrame) -> pd.DataFrame:
    """One row per case and place, the cases in their order, the most blamed place first."""
    places = seen.astype({"case": "object"}).groupby(["case", "method", "line"], dropna=False, sort=False)
    frame = places["samples"].sum().reset_index()
    frame["samples"] = frame["samples"].astype(float).round().astype("int64")
    frame["share"] = frame["samples"] / frame.groupby("case")["samples"].transform("sum")
    frame["right"] = frame["method"].isin(CULPRITS)
    frame["order"] = frame["case"].map({name: place for place, name in enumerate(CASES)})
    frame = frame.sort_values(["order", "samples"], ascending=[True, False], kind="stable")
    return frame[list(COLUMNS)].reset_index(drop=True).astype(COLUMNS)
