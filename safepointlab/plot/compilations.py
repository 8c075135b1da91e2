"""The compilation log (a frame of `logs.compilation`, or a Run) -> a timeline of the code that each method had.

    plot.compilations(run)

A few compiles are drawn one per row, from the line that logs them to the one that discards them ("made not entrant",
matched by compile id). Many are drawn as marks, one row per tier. PrintCompilation prints a line when the compile
begins, so that a bar also covers the compile itself.

Columns used: uptime_ms, compile_id, osr, tier, method, event; of the newer JDKs also reason.
"""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from safepointlab.phrases import counted, listed
from safepointlab.plot import style
from safepointlab.plot._picture import picture

LANES = 16  # more bars than this are too thin to be read from the back of a room
LONG = 18  # characters of a class or method name that fit beside a bar
GONE = ("made not entrant", "made zombie")
UNTIERED = style.Look("compiled", style.TIERS[4].color, "", "s")  # -XX:-TieredCompilation logs no tier: C2 does it all


@picture("logs.compilation or a Run", "event", "method", "compile_id", "osr", kind="compilations")
def compilations(subject: Any, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Draw the compiles in the log, or in that part of it which is given."""
    lives = lifetimes(style.table(subject, "compilations"))
    few = len(lives) <= LANES
    ax = style.canvas(ax, height=min(5.6, 2.2 + 0.32 * max(len(lives), 3)) if few else 4.2)
    if lives.empty:
        return style.empty(ax, title or "No compile was logged")
    finding = _draw_lanes(ax, lives) if few else _draw_marks(ax, lives)
    style.finding(ax, title or finding)
    return ax


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


def _draw_lanes(ax: Axes, lives: pd.DataFrame) -> str:
    """Draw one row per compile, in the order of the log; returns the finding."""
    first, last = lives["begin_s"].min(), lives[["begin_s", "end_s"]].max().max()
    end = last + (0.15 * (last - first) or 1.0)
    ax.set(ylim=(len(lives) - 0.4, -0.6), xlim=(first - 0.15 * (last - first) if first > last / 2 else 0.0, end))
    names = []
    for lane, life in enumerate(lives.to_dict("records")):
        look, osr, discarded = _look(life["tier"]), life["osr"], pd.notna(life["end_s"])
        begin, until = life["begin_s"], life["end_s"] if discarded else end
        bar: dict[str, Any] = {"hatch": "///" if osr else "", "edgecolor": style.ink_on(look.color), "linewidth": 0}
        ax.barh(lane, until - begin, 0.72, begin, color=look.color, **bar)
        ax.plot(begin, lane, "D" if osr else look.marker, color=look.color, mec=style.INK, ms=11)
        if discarded:  # why, on the side of the mark that has room
            ax.plot(until, lane, "X", color=style.BAD, mec=style.PAPER, ms=14, clip_on=False)
            text = "made not entrant" + ("" if pd.isna(life["reason"]) else f": {life['reason']}")
            place, side = ((9, 0), "left") if style.fits(ax, until, text) else ((-9, 0), "right")
            style.label(ax, until, lane, text, place, fontsize=style.SMALL_PT - 1, ha=side)
        method = f"{_short(life['method'])}  " if lives["method"].nunique() > 1 else ""
        names.append(f"{method}{int(life['compile_id'])}{', OSR' if osr else ''}")
    ax.set_yticks(range(len(lives)), names)
    ax.tick_params(axis="y", length=0, labelsize=style.SMALL_PT)
    style.axis_names(ax, "uptime, s")
    tiers = sorted(lives["tier"].unique(), key=lambda tier: -1 if pd.isna(tier) else tier)
    osr_look = [style.Look("OSR (% in the log)", style.PAPER, "///")] if lives["osr"].any() else []
    style.key(ax, [*map(_look, tiers), *osr_look])
    methods, kept = lives["method"].unique(), lives[lives["end_s"].isna()]
    subject = _short(methods[0]) if len(methods) == 1 else f"{len(methods)} methods"
    count = f"{counted(len(lives), 'compile')} ({int(lives['osr'].sum())} by OSR)"
    state = "back to the interpreter"
    if len(kept):  # which of the two runs depends on where the thread came in: at the method's start or in its loop
        newest = kept.sort_values("begin_s").groupby("osr").tail(1).sort_values("osr")[["tier", "osr"]]
        codes = [f"{_look(tier).label.split(',')[0]}’s {'OSR code' if osr else 'code'}" for tier, osr in newest.values]
        state = f"at the end {listed(codes)}"
    return f"{subject}: {count}, {len(lives) - len(kept)} thrown away; {state}"


def _short(method: str) -> str:
    """`pkg.Class::name` without the package; the middle of a long name is left out."""
    owner, colons, name = str(method).rpartition("::")
    words = [owner.rpartition(".")[2], name]
    return colons.join(word if len(word) <= LONG else f"{word[: LONG // 2]}…{word[1 - LONG // 2 :]}" for word in words)


def _draw_marks(ax: Axes, lives: pd.DataFrame) -> str:
    """Draw one row per tier and one mark per compile, spread a little to keep neighbours apart; returns the finding."""
    of_tier = lives["tier"].fillna(4).astype(int)
    tiers = sorted(of_tier.unique())
    edge: dict[str, Any] = {"mec": style.INK, "mew": 0.4, "ls": ""}
    for row, tier in enumerate(tiers):
        look, own = style.TIERS[tier], lives[of_tier == tier]
        height = row + (own.index.to_numpy() * 7 % 11 - 5) / 16
        osr, gone, begin = own["osr"].to_numpy(), own["end_s"].notna().to_numpy(), own["begin_s"].to_numpy()
        ax.plot(begin[~osr], height[~osr], look.marker, color=look.color, ms=6, **edge)
        ax.plot(begin[osr], height[osr], "D", color=look.color, ms=11, **edge)
        ax.plot(own["end_s"].to_numpy()[gone], height[gone], "X", color=style.BAD, ms=9, mec=style.PAPER, ls="")
        style.label(ax, 1.01, row, f"n = {len(own):,}", xycoords=ax.get_yaxis_transform(), fontweight="bold")
    ax.set(ylim=(-0.6, len(tiers) - 0.4))
    ax.set_yticks(range(len(tiers)), [f"tier {tier}\n{style.TIERS[tier].label.split(', ')[-1]}" for tier in tiers])
    ax.tick_params(axis="y", length=0)
    style.axis_names(ax, "uptime, s     (◆ by OSR,  ✖ made not entrant)")
    c2, osr_count, discarded = (of_tier == 4).sum(), lives["osr"].sum(), lives["end_s"].notna().sum()
    return f"{len(lives):,} compiles, {c2:,} of them by C2 and {osr_count:,} by OSR; {discarded:,} thrown away again"
