"""A sweep (a frame of `lab.sweep`) -> tiles, one a combination, that say in words: on time, late, HUNG.

    plot.outcomes(frame, rows="jdk", columns=["gc", "flags"], late_ms=2000)

Columns used: outcome ("exited", "hung", "failed", "not possible", "no JDK"), wall_ms, and those named by `rows` and
`columns`. Repeats of one combination share a tile: the worst of them gives the colour, the words count them.
"""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from safepointlab.plot import style

NOT_RUN = style.Look("not run", style.PAPER, "..")
ORDER = ["on time", "late", "HUNG", "failed", "not possible", "no JDK"]  # a tile shows the last of these that it holds
LOOKS = {
    "on time": style.OUTCOMES["on time"],
    "late": style.OUTCOMES["late"],
    "HUNG": style.OUTCOMES["hung"],
    "failed": style.Look("failed", "#C9C9C9", "xx"),
}


def outcomes(
    frame: pd.DataFrame,
    rows: str | Sequence[str] = "jdk",
    columns: str | Sequence[str] = "flags",
    late_ms: float | None = None,
    ax: Axes | None = None,
    title: str | None = None,
) -> Axes:
    """Draw the matrix; a run that exited counts as late beyond `late_ms`."""
    runs = pd.DataFrame({"word": words(frame, late_ms), "wall_ms": style.numbers(frame, "wall_ms")})
    runs["row"], runs["column"] = _names(frame, rows), _names(frame, columns)
    height, width = runs["row"].nunique(), runs["column"].nunique()
    longest = max((len(word) for name in runs["column"].unique() for word in _broken(name).split()), default=0)
    tile = min(max(1.25, 0.095 * longest), 2.4)  # inches, wide enough for the longest word below it
    ax = style.canvas(ax, width=min(11.0, max(6.0, 1.4 + tile * width)), height=1.6 + 0.55 * max(height, 2))
    if runs.empty:
        return style.empty(ax, title or "Nothing was run")
    for x, column in enumerate(runs["column"].unique()):
        for y, row in enumerate(runs["row"].unique()):
            _tile(ax, x, y, runs[(runs["row"] == row) & (runs["column"] == column)])
    _frame(ax, [_label(rows, r) for r in runs["row"].unique()], list(runs["column"].unique()))
    style.finding(ax, title or _finding(runs, "JDK " if rows == "jdk" else ""))
    return ax


def words(frame: pd.DataFrame, late_ms: float | None = None) -> "pd.Series[str]":
    """What to call each run: "on time", "late", "HUNG", or that it failed or could not be run."""
    named = frame["outcome"].astype("object").map({"exited": "on time", "hung": "HUNG"}).fillna(frame["outcome"])
    late = (frame["outcome"] == "exited") & (style.numbers(frame, "wall_ms") > (late_ms or np.inf))
    return named.mask(late, "late").astype("string")


def _names(frame: pd.DataFrame, by: str | Sequence[str]) -> "pd.Series[str]":
    parts: list[Any] = [frame[name].astype("string").fillna("") for name in ([by] if isinstance(by, str) else by)]
    joined = parts[0].str.cat(parts[1:], sep=" ").str.strip() if len(parts) > 1 else parts[0]
    return joined.where(joined != "", "default")


def _label(by: str | Sequence[str], name: str) -> str:
    return f"JDK {name}" if by == "jdk" else name


def _tile(ax: Axes, x: int, y: int, runs: pd.DataFrame) -> None:
    found = [word for word in ORDER if (runs["word"] == word).any()]
    look = LOOKS.get(found[-1], NOT_RUN) if found else NOT_RUN
    edge: dict[str, Any] = (
        {"edgecolor": style.PAPER, "linewidth": 3} if look is not NOT_RUN else {"edgecolor": style.LINE, "linewidth": 1}
    )
    ax.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=look.color, **edge))
    text = _words(runs, found[-1]) if found else "–"
    weight = "bold" if look.label == "HUNG" else "normal"
    ax.text(
        x, y, text, ha="center", va="center", color=style.ink_on(look.color), fontsize=style.TEXT_PT, fontweight=weight
    )


def _words(runs: pd.DataFrame, worst: str) -> str:
    """ "HUNG", "HUNG 2 of 3", "late 1.4 s": the worst word, how often if not always, and how late."""
    same = runs[runs["word"] == worst]
    count = f" {len(same)} of {len(runs)}" if len(same) < len(runs) else ""
    took = f"\n{same['wall_ms'].median() / 1000:.1f} s" if worst == "late" else ""
    return f"{worst}{count}{took}"


def _frame(ax: Axes, rows: list[str], columns: list[str]) -> None:
    ax.set(xlim=(-0.5, len(columns) - 0.5), ylim=(len(rows) - 0.5, -0.5))
    ax.set_xticks(range(len(columns)), [_broken(name) for name in columns])
    ax.set_yticks(range(len(rows)), rows)
    ax.tick_params(length=0, labelsize=style.SMALL_PT)
    ax.spines[["left", "bottom"]].set_visible(False)


def _broken(name: str) -> str:
    """One flag a line, and long ones in two, so that neighbouring names do not run into each other."""
    words = name.replace("-XX:", "").split()
    return "\n".join(re.sub(r"(.{10,}?[a-z])(?=[A-Z])", r"\1\n", word, count=1) for word in words)


def _hangs(words: "pd.Series[str]") -> bool:
    return bool((words == "HUNG").any())


def _finding(runs: pd.DataFrame, rows_name: str) -> str:
    tiles = runs.groupby(["row", "column"], sort=False)["word"].agg(_hangs)
    hung = int(tiles.sum())
    if not hung:
        late = int((runs["word"] == "late").sum())
        return f"None of {len(tiles)} combinations hangs" + (f", {late} runs exit late" if late else "")
    verb = "hangs" if hung == 1 else "hang"
    return f"{hung} of {len(tiles)} combinations {verb}{_where(tiles, rows_name)}"


def _where(tiles: "pd.Series[bool]", rows: str) -> str:
    """The columns or rows of which every tile hangs, where they are few enough to name."""
    for level, prefix in (("column", "always with "), ("row", f"always on {rows}")):
        whole = tiles.groupby(level=level, sort=False).all()
        names = [str(name) for name, hangs in whole.items() if hangs]
        if 0 < len(names) <= 2 and len(names) < len(whole):
            return f": {prefix}{' and '.join(names)}"
    return ""
