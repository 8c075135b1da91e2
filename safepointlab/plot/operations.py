"""The VM operations that calls caused -> tiles, one per call and JDK: a safepoint for all, a handshake, or nothing.

    plot.operations(frame)

Columns used (see `read.calls.operations`, with a column jdk added): call, jdk, kind ("safepoint", "handshake",
"nothing"), operations (a list of names, of which the first is shown).
"""

import re
from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from safepointlab.plot import style
from safepointlab.plot._picture import picture

LOOKS = {
    "safepoint": style.Look("safepoint, for all", "#0B3C6F"),
    "handshake": style.Look("handshake", "#7CC4EC", "..."),
    "nothing": style.Look("nothing", "#F2F2F2"),
}


@picture("topics.safepoint_output.operations, with a column jdk", "call", "jdk", "kind", "operations")
def operations(frame: pd.DataFrame, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Draw the tiles, calls downwards and JDKs to the right, in the order of the frame."""
    calls, jdks = list(frame["call"].unique()), list(frame["jdk"].unique())
    names = 0.105 * max((len(str(call)) for call in calls), default=0)
    ax = style.canvas(ax, width=names + max(1.45 * len(jdks), 4.9), height=1.9 + 0.42 * max(len(calls), 3))
    if frame.empty:
        return style.empty(ax, title or "No call was made")
    for row in frame.to_dict("records"):
        _tile(ax, jdks.index(row["jdk"]), calls.index(row["call"]), str(row["kind"]), row["operations"])
    ax.set(xlim=(-0.5, len(jdks) - 0.5), ylim=(len(calls) - 0.5, -0.5))
    ax.set_xticks(range(len(jdks)), [f"JDK {jdk}" for jdk in jdks])
    ax.set_yticks(range(len(calls)), calls)
    ax.tick_params(length=0, labelsize=style.SMALL_PT)
    ax.spines[["left", "bottom"]].set_visible(False)
    style.key(ax, [look for kind, look in LOOKS.items() if (frame["kind"] == kind).any()])
    style.finding(ax, title or _finding(frame))
    return ax


def _tile(ax: Axes, x: int, y: int, kind: str, names: Sequence[str]) -> None:
    look = LOOKS[kind]
    ax.add_patch(Rectangle((x - 0.48, y - 0.46), 0.96, 0.92, facecolor=look.color, linewidth=0))
    text = _broken(names[0]) + (f"\nand {len(names) - 1} more" if len(names) > 1 else "") if names else "–"
    ax.text(x, y, text, ha="center", va="center", color=style.ink_on(look.color), fontsize=10, linespacing=0.95)


def _broken(name: str) -> str:
    """A long name in two lines, split between two of its words.

    >>> _broken("GetStackTraceClosure")
    'GetStack\\nTraceClosure'
    """
    if len(name) <= 16:
        return name
    gaps = [match.start() for match in re.finditer(r"(?<=[a-z_])(?=[A-Z])", name)]
    middle = min(gaps, key=lambda gap: abs(gap - len(name) / 2), default=len(name))
    return f"{name[:middle]}\n{name[middle:]}".rstrip()


def _finding(frame: pd.DataFrame) -> str:
    """How many calls stop all threads, on the first JDK and on the last one."""
    stops = (frame["kind"] == "safepoint").groupby(frame["jdk"], sort=False).sum()
    calls, first, last = frame["call"].nunique(), stops.index[0], stops.index[-1]
    first_part = f"{stops[first]} of {calls} calls stop all threads\non JDK {first}"
    return first_part if first == last else f"{first_part}, and {stops[last]} on JDK {last}"
