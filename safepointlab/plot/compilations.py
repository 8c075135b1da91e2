"""The compilation log (a frame of `logs.compilation`, or a Run) -> a timeline of the code that each method had.

    plot.compilations(run, methods="OddC::odds")

A few compiles are drawn one per row, from the line that logs them to the one that discards them ("made not entrant",
matched by compile id). Many are drawn as marks, one row per tier. PrintCompilation prints a line when the compile
begins, so that a bar also covers the compile itself.

Columns used: uptime_ms, compile_id, osr, tier, method, event; of the newer JDKs also reason.
"""

from collections.abc import Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from safepointlab.plot import style
from safepointlab.plot._picture import picture

LANES = 16  # more bars than this are too thin to be read from the back of a room
LONG = 18  # characters of a class or method name that fit beside a bar
GONE = ("made not entrant", "made zombie")
UNTIERED = style.Look("compiled", style.TIERS[4].color, "", "s")  # -XX:-TieredCompilation logs no tier: C2 does it all


@picture("logs.compilation or a Run", "event", "method", "compile_id", "osr", kind="compilations")
def compilations(
    subject: Any, methods: str | Sequence[str] = (), ax: Axes | None = None, title: str | None = None
) -> Axes:
    """Draw the compiles of these methods (any part of `pkg.Class::name`); by default those of all methods."""
    frame = _chosen(style.table(subject, "compilations"), [methods] if isinstance(methods, str) else list(methods))
    lives = lifetimes(frame)
    few = len(lives) <= LANES or bool(methods)
    ax = style.canvas(ax, height=min(5.6, 2.2 + 0.32 * max(len(lives), 3)) if few else 4.2)
    if lives.empty:
        return style.empty(ax, title or f"No compile was logged{' of ' + str(methods) if methods else ''}")
    finding = _lanes(ax, lives) if few else _tiers(ax, lives)
    style.finding(ax, title or finding)
    return ax


def _chosen(frame: pd.DataFrame, methods: list[str]) -> pd.DataFrame:
    if not methods:
        return frame
    names, matches = frame["method"].astype("string"), pd.Series(False, index=frame.index)
    for method in methods:
        matches |= names.str.contains(method.replace("/", "."), regex=False).fillna(False)
    return frame[matches]


def lifetimes(frame: pd.DataFrame) -> pd.DataFrame:
    """One row per compile: begin_s, end_s (NaN if its code was kept), its tier (NA if not logged), osr, reason."""
    compiled, discarded = frame[frame["event"] == "compiled"], frame[frame["event"].isin(GONE)]
    matching = discarded.drop_duplicates(["compile_id", "osr"]).set_index(["compile_id", "osr"])
    matching = matching.reindex(pd.MultiIndex.from_frame(compiled[["compile_id", "osr"]]))
    lives = pd.DataFrame({"begin_s": style.numbers(compiled, "uptime_ms") / 1000, "method": compiled["method"]})
    lives["end_s"] = (style.numbers(matching, "uptime_ms") / 1000).to_numpy()
    lives["reason"] = matching["reason"].to_numpy() if "reason" in matching else pd.NA
    lives["tier"], lives["compile_id"] = style.numbers(compiled, "tier"), style.numbers(compiled, "compile_id")
    lives["osr"] = compiled["osr"].fillna(False).astype(bool)
    wrapper = (lives["tier"] == 0) | (compiled["native"].fillna(False).astype(bool) if "native" in compiled else False)
    return lives[~wrapper].reset_index(drop=True)  # a native method has no bytecode to compile, only a wrapper


def _look(tier: float) -> style.Look:
    return UNTIERED if pd.isna(tier) else style.TIERS[int(tier)]


def _lanes(ax: Axes, lives: pd.DataFrame) -> str:
    """Draw one row per compile, in the order of the log; returns the finding."""
    drawn = lives.tail(LANES).reset_index(drop=True)
    first, end = _limits(drawn)
    ax.set(ylim=(len(drawn) - 0.4, -0.6), xlim=(first, end))
    for lane, life in drawn.iterrows():
        _life(ax, int(str(lane)), life, end)
    ax.set_yticks(range(len(drawn)), [_name(life, lives["method"].nunique()) for _, life in drawn.iterrows()])
    ax.tick_params(axis="y", length=0, labelsize=style.SMALL_PT)
    hidden = f" ({len(lives) - len(drawn):,} earlier ones left out)" if len(lives) > len(drawn) else ""
    style.axis_names(ax, f"uptime, s{hidden}")
    tiers = sorted(drawn["tier"].unique(), key=lambda tier: -1 if pd.isna(tier) else tier)
    osr = [style.Look("OSR (% in the log)", style.PAPER, "///")] if drawn["osr"].any() else []
    style.key(ax, [*map(_look, tiers), *osr])
    return _story(lives)


def _limits(lives: pd.DataFrame) -> tuple[float, float]:
    """From the JVM's start, or from just before the first compile if that is late, to a while after the last."""
    first, last = lives["begin_s"].min(), lives[["begin_s", "end_s"]].max().max()
    return (first - 0.15 * (last - first) if first > last / 2 else 0.0), last + 0.15 * (last - first) or last + 1.0


def _life(ax: Axes, lane: int, life: "pd.Series[Any]", end: float) -> None:
    look, discarded = _look(life["tier"]), pd.notna(life["end_s"])
    until, ink = (life["end_s"] if discarded else end), style.ink_on(look.color)
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
    if discarded:
        ax.plot(until, lane, "X", color=style.BAD, mec=style.PAPER, ms=14, clip_on=False)
        _word(ax, until, lane, life["reason"])


def _word(ax: Axes, x: float, lane: int, reason: Any) -> None:
    """Write why the code was discarded, on the side of its mark that has room."""
    text = "made not entrant" + ("" if pd.isna(reason) else f": {reason}")
    right = style.fits(ax, x, text)
    place = (9, 0) if right else (-9, 0)
    style.label(ax, x, lane, text, place, fontsize=style.SMALL_PT - 1, ha="left" if right else "right")


def _name(life: "pd.Series[Any]", methods: int) -> str:
    """ "18, OSR": the compile's number in the log, and how it is entered; with the method where there are several."""
    method = f"{_short(life['method'])}  " if methods > 1 else ""
    return f"{method}{int(life['compile_id'])}{', OSR' if life['osr'] else ''}"


def _short(method: str) -> str:
    """`pkg.Class::name` without the package."""
    owner, colons, name = str(method).rpartition("::")
    return shorten(owner.rpartition(".")[2], LONG) + colons + shorten(name, LONG)


def shorten(word: str, most: int) -> str:
    """The word; if it is longer than `most` characters, its middle is left out."""
    return word if len(word) <= most else f"{word[: most // 2]}…{word[1 - most // 2 :]}"


def _story(lives: pd.DataFrame) -> str:
    discarded = int(lives["end_s"].notna().sum())
    names = lives["method"].unique()
    subject = _short(names[0]) if len(names) == 1 else f"{len(names)} methods"
    count = f"{len(lives)} compile{'s' * (len(lives) > 1)} ({int(lives['osr'].sum())} by OSR)"
    return f"{subject}: {count}, {discarded} thrown away; {_last(lives)}"


def _last(lives: pd.DataFrame) -> str:
    """The code that runs at the end of the log."""
    kept = lives[lives["end_s"].isna()]
    if kept.empty:
        return "back to the interpreter"
    last = kept.nlargest(1, "begin_s").iloc[0]
    osr = "’s OSR code" if last["osr"] else "’s code"
    return f"at the end {_look(last['tier']).label.split(',')[0]}{osr}"


def _tiers(ax: Axes, lives: pd.DataFrame) -> str:
    """Draw one row per tier and one mark per compile, spread a little to keep neighbours apart; returns the finding."""
    rows = sorted(lives["tier"].fillna(4).astype(int).unique())
    row_of = {tier: row for row, tier in enumerate(rows)}
    for tier in rows:
        _tier(ax, lives[lives["tier"].fillna(4) == tier], row_of[tier], style.TIERS[tier])
    ax.set(ylim=(-0.6, len(rows) - 0.4))
    ax.set_yticks(range(len(rows)), [f"tier {tier}\n{style.TIERS[tier].label.split(', ')[-1]}" for tier in rows])
    ax.tick_params(axis="y", length=0)
    style.axis_names(ax, "uptime, s     (◆ by OSR,  ✖ made not entrant)")
    c2, osr, discarded = (lives["tier"].fillna(4) == 4).sum(), lives["osr"].sum(), lives["end_s"].notna().sum()
    return f"{len(lives):,} compiles, {c2:,} of them by C2 and {osr:,} by OSR; {discarded:,} thrown away again"


def _tier(ax: Axes, lives: pd.DataFrame, row: int, look: style.Look) -> None:
    height = row + (lives.index.to_numpy() * 7 % 11 - 5) / 16
    osr, discarded = lives["osr"].to_numpy(), lives["end_s"].notna().to_numpy()
    begin = lives["begin_s"].to_numpy()
    edge: dict[str, Any] = {"mec": style.INK, "mew": 0.4, "ls": ""}
    ax.plot(begin[~osr], height[~osr], look.marker, color=look.color, ms=6, **edge)
    ax.plot(begin[osr], height[osr], "D", color=look.color, ms=11, **edge)
    ax.plot(lives["end_s"].to_numpy()[discarded], height[discarded], "X", color=style.BAD, ms=9, mec=style.PAPER, ls="")
    style.label(ax, 1.01, row, f"n = {len(lives):,}", xycoords=ax.get_yaxis_transform(), fontweight="bold")
