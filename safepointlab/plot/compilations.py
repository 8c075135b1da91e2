"""Compile-log lines (a frame of `read.compilation`, or a Run) -> a timeline of which code a method had, and when.

    plot.compilations(run, methods="OddC::odds")

A few compiles are drawn one a row, from the line that logs them to the one that throws them away ("made not entrant",
found by compile id). Many are drawn as marks, one row a tier. PrintCompilation prints a line when the compile begins,
so that a bar also covers the compile itself.

Columns used: uptime_ms, compile_id, osr, tier, method, event; of the newer JDKs also reason.
"""

from collections.abc import Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from safepointlab.plot import style
from safepointlab.plot._picture import picture

LANES = 16  # more bars than this are too thin for the last row of the room
LONG = 18  # characters of a class or method name that fit beside a bar
GONE = ("made not entrant", "made zombie")
UNTIERED = style.Look("compiled", style.TIERS[4].color, "", "s")  # -XX:-TieredCompilation logs no tier: C2 does it all


@picture("read.compilation or a Run", "event", "method", "compile_id", "osr", kind="compilations")
def compilations(
    subject: Any, methods: str | Sequence[str] = (), ax: Axes | None = None, title: str | None = None
) -> Axes:
    """Draw the compiles of these methods (any part of `pkg.Class::name`; none: of all)."""
    frame = _chosen(style.table(subject, "compilations"), [methods] if isinstance(methods, str) else list(methods))
    lives = lifetimes(frame)
    few = len(lives) <= LANES or bool(methods)
    ax = style.canvas(ax, height=min(5.6, 2.2 + 0.32 * max(len(lives), 3)) if few else 4.2)
    if lives.empty:
        return style.empty(ax, title or f"No compile was logged{' of ' + str(methods) if methods else ''}")
    found = _lanes(ax, lives) if few else _tiers(ax, lives)
    style.finding(ax, title or found)
    return ax


def _chosen(frame: pd.DataFrame, methods: list[str]) -> pd.DataFrame:
    if not methods:
        return frame
    names, wanted = frame["method"].astype("string"), pd.Series(False, index=frame.index)
    for method in methods:
        wanted |= names.str.contains(method.replace("/", "."), regex=False).fillna(False)
    return frame[wanted]


def lifetimes(frame: pd.DataFrame) -> pd.DataFrame:
    """A row a compile: from `begin_s` to `end_s` (NaN while it stays), its tier (NA if not logged), osr, reason."""
    made, gone = frame[frame["event"] == "compiled"], frame[frame["event"].isin(GONE)]
    ends = gone.drop_duplicates(["compile_id", "osr"]).set_index(["compile_id", "osr"])
    ends = ends.reindex(pd.MultiIndex.from_frame(made[["compile_id", "osr"]]))
    lives = pd.DataFrame({"begin_s": style.numbers(made, "uptime_ms") / 1000, "method": made["method"]})
    lives["end_s"] = (style.numbers(ends, "uptime_ms") / 1000).to_numpy()
    lives["reason"] = ends["reason"].to_numpy() if "reason" in ends else pd.NA
    lives["tier"], lives["compile_id"] = style.numbers(made, "tier"), style.numbers(made, "compile_id")
    lives["osr"] = made["osr"].fillna(False).astype(bool)
    wrapper = (lives["tier"] == 0) | (made["native"].fillna(False).astype(bool) if "native" in made else False)
    return lives[~wrapper].reset_index(drop=True)  # a native method has no bytecode to compile, only a wrapper


def _look(tier: float) -> style.Look:
    return UNTIERED if pd.isna(tier) else style.TIERS[int(tier)]


def _lanes(ax: Axes, lives: pd.DataFrame) -> str:
    """One row a compile, in the order of the log; returns the finding."""
    shown = lives.tail(LANES).reset_index(drop=True)
    first, end = _limits(shown)
    ax.set(ylim=(len(shown) - 0.4, -0.6), xlim=(first, end))
    for lane, life in shown.iterrows():
        _life(ax, int(str(lane)), life, end)
    ax.set_yticks(range(len(shown)), [_name(life, lives["method"].nunique()) for _, life in shown.iterrows()])
    ax.tick_params(axis="y", length=0, labelsize=style.SMALL_PT)
    hidden = f" ({len(lives) - len(shown):,} earlier ones left out)" if len(lives) > len(shown) else ""
    style.axis_names(ax, f"uptime, s{hidden}")
    tiers = sorted(shown["tier"].unique(), key=lambda tier: -1 if pd.isna(tier) else tier)
    osr = [style.Look("OSR (%)", style.PAPER, "///")] if shown["osr"].any() else []
    style.key(ax, [*map(_look, tiers), *osr])
    return _story(lives)


def _limits(lives: pd.DataFrame) -> tuple[float, float]:
    """From the JVM's start, or from just before the first compile where that is late, to a while after the last."""
    first, last = lives["begin_s"].min(), lives[["begin_s", "end_s"]].max().max()
    return (first - 0.15 * (last - first) if first > last / 2 else 0.0), last + 0.15 * (last - first) or last + 1.0


def _life(ax: Axes, lane: int, life: "pd.Series[Any]", end: float) -> None:
    look, gone = _look(life["tier"]), pd.notna(life["end_s"])
    until, ink = (life["end_s"] if gone else end), style.ink_on(look.color)
    ax.barh(
        lane,
        until - life["begin_s"],
        0.72,
        life["begin_s"],
        color=look.color,
        hatch="///" if life["osr"] else "",
        edgecolor=ink,
        linewidth=0,
    )
    ax.plot(life["begin_s"], lane, "D" if life["osr"] else look.marker, color=look.color, mec=style.INK, ms=11)
    if gone:
        ax.plot(until, lane, "X", color=style.BAD, mec=style.PAPER, ms=14, clip_on=False)
        _word(ax, until, lane, life["reason"])


def _word(ax: Axes, x: float, lane: int, reason: Any) -> None:
    """Why the code was thrown away, on that side of its mark where there is room."""
    text = "made not entrant" + ("" if pd.isna(reason) else f": {reason}")
    right = style.fits(ax, x, text)
    place = (9, 0) if right else (-9, 0)
    style.label(ax, x, lane, text, place, fontsize=style.SMALL_PT - 1, ha="left" if right else "right")


def _name(life: "pd.Series[Any]", methods: int) -> str:
    """ "18 %" as in the log, with the method where there are several."""
    which = f"{_short(life['method'])}  " if methods > 1 else ""
    return f"{which}{int(life['compile_id'])}{' %' if life['osr'] else '   '}"


def _short(method: str) -> str:
    """`pkg.Class::name` without the package."""
    owner, colons, name = str(method).rpartition("::")
    return shorten(owner.rpartition(".")[2], LONG) + colons + shorten(name, LONG)


def shorten(word: str, most: int) -> str:
    """The word, its middle left out where it is longer than the most characters."""
    return word if len(word) <= most else f"{word[: most // 2]}…{word[1 - most // 2 :]}"


def _story(lives: pd.DataFrame) -> str:
    gone = int(lives["end_s"].notna().sum())
    names = lives["method"].unique()
    who = _short(names[0]) if len(names) == 1 else f"{len(names)} methods"
    count = f"{len(lives)} compile{'s' * (len(lives) > 1)} ({int(lives['osr'].sum())} by OSR)"
    return f"{who}: {count}, {gone} thrown away; {_last(lives)}"


def _last(lives: pd.DataFrame) -> str:
    """What is there to run at the end of the log."""
    kept = lives[lives["end_s"].isna()]
    if kept.empty:
        return "back to the interpreter"
    last = kept.nlargest(1, "begin_s").iloc[0]
    osr = "’s OSR code" if last["osr"] else "’s code"
    return f"at the end {_look(last['tier']).label.split(',')[0]}{osr}"


def _tiers(ax: Axes, lives: pd.DataFrame) -> str:
    """One row a tier, a mark a compile, spread a little so that neighbours stay apart; returns the finding."""
    rows = sorted(lives["tier"].fillna(4).astype(int).unique())
    places = {tier: row for row, tier in enumerate(rows)}
    for tier in rows:
        _tier(ax, lives[lives["tier"].fillna(4) == tier], places[tier], style.TIERS[tier])
    ax.set(ylim=(-0.6, len(rows) - 0.4))
    ax.set_yticks(range(len(rows)), [f"tier {tier}\n{style.TIERS[tier].label.split(', ')[-1]}" for tier in rows])
    ax.tick_params(axis="y", length=0)
    style.axis_names(ax, "uptime, s     (◆ by OSR,  ✖ made not entrant)")
    c2, osr, gone = (lives["tier"].fillna(4) == 4).sum(), lives["osr"].sum(), lives["end_s"].notna().sum()
    return f"{len(lives):,} compiles, {c2:,} of them by C2 and {osr:,} by OSR; {gone:,} thrown away again"


def _tier(ax: Axes, lives: pd.DataFrame, row: int, look: style.Look) -> None:
    height = row + (lives.index.to_numpy() * 7 % 11 - 5) / 16
    osr, gone = lives["osr"].to_numpy(), lives["end_s"].notna().to_numpy()
    begin = lives["begin_s"].to_numpy()
    edge: dict[str, Any] = {"mec": style.INK, "mew": 0.4, "ls": ""}
    ax.plot(begin[~osr], height[~osr], look.marker, color=look.color, ms=6, **edge)
    ax.plot(begin[osr], height[osr], "D", color=look.color, ms=11, **edge)
    ax.plot(lives["end_s"].to_numpy()[gone], height[gone], "X", color=style.BAD, ms=9, mec=style.PAPER, ls="")
    style.label(ax, 1.01, row, f"n = {len(lives):,}", xycoords=ax.get_yaxis_transform(), fontweight="bold")
