"""Collections (frames of `logs.gc`, or Runs) -> one bar each: what it kept and what it freed of the used heap.

    plot.promotion({"links kept": run.gc, "links cut": other.gc})

A bar is as high as the heap in use before the collection; its dark part is still in use after it. Objects that survive
young collections move to the old generation: bars that grow and have no light part are promotion, until a full
collection, which has its name above it, frees it.

Of more than a thousand collections each bar stands for several: a full one if there is one among them, else the first;
the axis says how many. The finding counts all.

Columns used: kind, before_mib, after_mib and, if present, promoted_mib, which is then marked inside the dark part. Rows
without heap sizes (pauses of concurrent collectors) are left out.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from safepointlab.plot import style
from safepointlab.plot._picture import picture

KEPT_DEAD = "#E69F00"  # dead and yet in the heap, in each picture about nepotism
KEPT = {
    "young": style.Look("kept by a young collection", KEPT_DEAD),
    "other": style.Look("kept by another collection", "#7CC4EC"),
    "full": style.Look("kept by a full collection", "#0B3C6F", "///"),
}
FREED = style.Look("freed", style.OUTCOMES["on time"].color)
PROMOTED = style.Look("promoted", "#A86400", "...")
YOUNG, FULL = ("young", "minor"), ("full", "major")  # the latter collect the old generation as well
GAP = 0.2  # of a panel's height, left free above it
MOST_IN_TITLE = 2  # panels whose share the title can name; of more each panel names its own
MOST_BARS = 1000
MOST_NAMED = 30  # full collections that have their name above them
HEADROOM = 1.35  # of a panel's scale, so that its name stands above the bars


@picture("logs.gc or a Run, or a mapping of them", "kind", "before_mib", "after_mib", kind="gc")
def promotion(subject: Any, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Draw one frame or Run, or one panel per entry of a mapping, all to the same scale."""
    named = subject if isinstance(subject, Mapping) else {"": subject}
    tables = {str(name): _collections(style.table(value, "gc")) for name, value in named.items()}
    ax = style.canvas(ax, height=4.2 if len(tables) == 1 else 1.3 + 1.7 * len(tables))
    rows = pd.concat(tables.values()) if tables else pd.DataFrame()
    if rows.empty:
        return style.empty(ax, title or "No collection was logged")
    count, panels = max(len(table) for table in tables.values()), [ax]
    if len(tables) > 1:
        ax.set_axis_off()
        height = 1 / len(tables)
        places = [(0, 1 - (row + 1) * height, 1, height * (1 - GAP)) for row in range(len(tables))]
        panels = [style.canvas(ax.inset_axes(place)) for place in places]
    for panel, (name, table) in zip(panels, tables.items(), strict=True):
        _draw_bars(panel, table, 0.84 if count <= 60 else 1.0)
        headroom = HEADROOM if len(tables) > 1 else 1.12
        panel.set(xlim=(0.4, count + 0.6), ylim=(0, rows["before"].max() * headroom))
        style.axis_names(panel, "", "in use, MiB")
        caption = f"{name}: {_share(table)}" if len(tables) > MOST_IN_TITLE else name
        panel.text(0.01, 0.97, caption, transform=panel.transAxes, va="top", fontsize=style.TEXT_PT, fontweight="bold")
    each = -(-count // MOST_BARS)
    drawn = f" (one of {each} is drawn)" if each > 1 else ""
    style.axis_names(panels[-1], f"collection number{drawn}", "in use, MiB")
    visible = rows[rows["after"] > rows["before"].max() / 100]  # what a full one keeps may be too little to be seen
    kept = [look for kind, look in KEPT.items() if (visible["kind"] == kind).any()]
    style.key(ax, [*kept, *([PROMOTED] if (rows["promoted"] > 0).any() else []), FREED])
    style.finding(ax, title or _finding(tables))
    return ax


def _collections(frame: pd.DataFrame) -> pd.DataFrame:
    """One row per collection with heap sizes: kind ("young", "full" or "other"), before, after, promoted in MiB."""
    rows = pd.DataFrame({name: style.numbers(frame, f"{name}_mib") for name in ("before", "after", "promoted")})
    kinds = [frame["kind"].isin(YOUNG), frame["kind"].isin(FULL)]
    rows["kind"] = np.select(kinds, ["young", "full"], "other") if len(frame) else []
    return rows.dropna(subset=["before", "after"]).reset_index(drop=True)


def _draw_bars(ax: Axes, table: pd.DataFrame, width: float) -> None:
    """Draw a bar for each collection, or for each of at most MOST_BARS groups of them."""
    ax.locator_params(axis="both", nbins=5, integer=True)
    each = -(-len(table) // MOST_BARS)
    if each > 1:
        table, width = table.loc[(table["kind"] == "full").groupby(table.index // each).idxmax()], width * each
    x = table.index.to_numpy() + 1
    ax.bar(x, table["before"] - table["after"], width, table["after"], color=FREED.color, lw=0)
    for kind, look in KEPT.items():
        of_kind = (table["kind"] == kind).to_numpy()
        edge: dict[str, Any] = {"hatch": look.hatch, "edgecolor": style.PAPER, "lw": 0}
        ax.bar(x[of_kind], table["after"][of_kind], width, color=look.color, **edge)
    full = table.loc[table["kind"] == "full", "before"]
    for place, top in zip(full.index + 1, full, strict=True) if len(full) <= MOST_NAMED else ():
        style.label(ax, float(place), float(top), "full", offset=(0, 8), ha="center")
    part = table["promoted"].fillna(0)
    if (part > 0).any():
        ax.bar(x, part, width / 2, table["after"] - part, color=PROMOTED.color, hatch=PROMOTED.hatch, lw=0)


def _finding(tables: Mapping[str, pd.DataFrame]) -> str:
    others = any((table["kind"] == "other").any() for table in tables.values())
    which = "collections other than full ones" if others else "young collections"
    if len(tables) > MOST_IN_TITLE:
        shares = sorted((_share(table) for table in tables.values()), key=lambda share: float(share[:-1]))
        return f"Of the heap in use {which} free {shares[0]} to {shares[-1]}"
    if len(tables) > 1:
        each = (f"{_share(table)} ({name})" for name, table in tables.items())
        return f"{which.capitalize()} free {' and '.join(each)} of the heap in use"
    [table] = tables.values()
    parts = []
    for kind, count in table["kind"].value_counts().reindex(list(KEPT)).dropna().astype(int).items():
        many = f"{count:,} {kind} collection{' frees' if count == 1 else 's free'}"
        parts.append(f"{many} {_share(table, str(kind))}")
    return f"{', '.join(parts)} of the heap in use"


def _share(table: pd.DataFrame, kind: str = "") -> str:
    """The part of the used heap that collections of this kind, or all but the full ones, freed together."""
    of_kind = table[table["kind"] == kind] if kind else table[table["kind"] != "full"]
    used = of_kind["before"].sum()
    share = (used - of_kind["after"].sum()) / used if used else 0.0
    return f"{round(share, 2) + 0:.0%}"  # no "-0%"
