"""Stretches of time, a lane each for threads or for runs -> who waits for whom: the loop, the request, and who is late.

    plot.who_waits(lanes)     a frame, as the pictures of notebooks 00 and 06 make it of their runs

Columns used: lane, what (a key of LOOKS, or "" for a lane with nothing but its text), begin_s, end_s, text. Lanes stand
in the order of the frame. Where several kinds share a lane, the loop is tall and the others lie in it.
"""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from safepointlab.plot import _alternative, style
from safepointlab.plot._picture import picture

LOOKS = {
    "asleep": style.Look("asleep", "#7CC4EC", "..."),
    "short calls": style.Look("short calls", "#F2F2F2"),
    "call": style.Look("a long call", "#CDE7D8"),
    "reaching": style.PHASES["ttsp_ms"],
    "operation": style.PHASES["operation_ms"],
    "late": style.Look("late sleep", "#8C6D00", "xx"),
}
TALL = ("asleep", "short calls", "call")  # 0.72 of a lane; all else is 0.36
SPOKEN = ("asleep", "call", "reaching", "late")  # what is said in words, too
BEFORE_S = 0.35  # of the uptime, shown before the long call
TOGETHER_S = 0.02  # the program's clock and the log's agree that well
STALL_S = 0.1  # what counts as a stall: far above the sleeps that a busy machine delays, far below a long call
LEAST = 0.004  # of the window: a shorter stop is drawn that wide, so that it can be seen
ROOM = 0.5  # of the window, at most, on the right, for the texts
LETTER, WIDTH = 0.095, 10.0  # inches: of a letter of a text or of a lane's name, and of the picture


@picture("lanes of time", "lane", "what", "begin_s", "end_s", "text")
def who_waits(frame: pd.DataFrame, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Draw the lanes around the long calls."""
    names = list(dict.fromkeys(frame["lane"]))
    ax = style.canvas(ax, WIDTH, 2.3 + 0.55 * max(len(names), 2))
    drawn = frame[frame["what"].isin(LOOKS)]
    if drawn.empty:
        return style.empty(ax, title or "No run to draw")
    calls = drawn[drawn["what"] == "call"]
    around = calls if len(calls) else drawn
    first, last = max(0.0, float(around["begin_s"].min()) - BEFORE_S), float(around["end_s"].max()) + 0.05
    named = frame[frame["text"].ne("")]  # a lane's text is that of its longest stretch that has one
    longest = (named["end_s"] - named["begin_s"]).sort_values(ascending=False, kind="stable").index
    texts = named.loc[longest].drop_duplicates("lane")
    ends = {lane: rows["end_s"].max() for lane, rows in drawn.groupby("lane")}
    at = {row["lane"]: (ends.get(row["lane"], first), row["text"]) for row in texts.to_dict("records")}
    width = WIDTH - 0.5 - LETTER * max(len(line) for name in names for line in str(name).split("\n"))
    needed = [(end - first) / max(1 - (LETTER * len(text) + 0.1) / width, 0.1) for end, text in at.values()]
    right = min(max([last - first, *needed]), (1 + ROOM) * (last - first))
    ax.set(xlim=(first, first + right), ylim=(len(names) - 0.4, -0.6))
    seen = drawn[(drawn["end_s"] >= first) & (drawn["begin_s"] <= last)]
    for row in sorted(seen.to_dict("records"), key=lambda row: list(LOOKS).index(row["what"])):
        lane, look, tall = names.index(row["lane"]), LOOKS[row["what"]], row["what"] in TALL
        begin, end = max(first, row["begin_s"]), min(last, row["end_s"])
        width = max(end - begin, LEAST * (last - first))
        edge: dict[str, Any] = {"hatch": look.hatch, "edgecolor": style.PAPER, "linewidth": 1 if tall else 0}
        if tall and not look.hatch:  # these are as light as the paper, or as dark in the dark
            edge |= {"edgecolor": style.INK, "linewidth": 0.8}
        ax.barh(lane, width, 0.72 if tall else 0.36, begin, color=look.color, **edge)
        if row["what"] == "reaching" and width > end - begin:  # too short to be seen: its length stands beside it
            style.label(ax, begin + 2 * width, lane, f"reached in {1000 * (end - begin):.0f}{style.MS}")
    for lane, (end, text) in at.items():
        style.label(ax, end, names.index(lane), text, offset=(6, 0))
    ax.set_yticks(range(len(names)), names)
    ax.tick_params(axis="y", length=0, labelsize=style.SMALL_PT)
    style.axis_names(ax, "uptime, s")
    style.key(ax, [look for name, look in LOOKS.items() if name in set(seen["what"])])
    style.finding(ax, title or _finding(drawn, calls))
    _alternative.own(ax, _words(frame))
    return ax


def _finding(drawn: pd.DataFrame, calls: pd.DataFrame) -> str:
    """Of threads: how long the longest stop waited, and for what; of runs: in which of them one waited for the loop."""
    loops = calls["lane"].nunique()
    waits = drawn[(drawn["what"] == "reaching") & (drawn["end_s"] >= calls["begin_s"].min())]
    lengths = waits["end_s"] - waits["begin_s"]
    if waits.empty or lengths.max() < STALL_S:
        return "The JVM doesn't wait for the long call"
    if loops > 1:
        stalled = [str(lane) for lane in dict.fromkeys(waits.loc[lengths >= STALL_S, "lane"])]
        return f"The JVM waits for the loop in {len(stalled)} of {loops} runs:\n{', '.join(stalled)}"
    worst = waits.loc[lengths.idxmax()]
    cause = ", when a long call ends" if (calls["end_s"] - worst["end_s"]).abs().min() < TOGETHER_S else ""
    later = style.ms(1000 * float(lengths.max()))
    return f"The safepoint requested at {worst['begin_s']:.2f} s is reached {later} later{cause}"


def _words(frame: pd.DataFrame) -> str:
    """Lane by lane what the picture shows."""
    lines = []
    for lane, rows in frame.groupby("lane", sort=False):
        known = rows[rows["what"].isin(SPOKEN)].to_dict("records")
        parts = [f"{row['what']} from {row['begin_s']:.2f} to {row['end_s']:.2f} s" for row in known]
        texts = [str(text) for text in rows["text"].unique() if text]
        lines.append(f"{lane}: {'; '.join([*parts, *texts])}.")
    return " ".join(lines)
