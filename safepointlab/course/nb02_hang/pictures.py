"""The picture of page 02 alone: which cures let the JVM exit, and for which of two programs they are."""

import pandas as pd
from matplotlib.axes import Axes

from safepointlab.plot import _tiles, style
from safepointlab.plot._picture import picture
from safepointlab.plot.outcomes import outcomes

NOT_INLINED = r".*dontinline,\w+\.(\w+)"
LATE_MS = 2_000
PROGRAM, VARIANT = "the program", "a variant that calls isOdd"
ABOVE_PT = 34  # between the tiles and the title: a line of names


@picture("lab.sweep", "jdk", "flags", "outcome", "wall_ms")
def cures(cured: pd.DataFrame, called: pd.DataFrame) -> Axes:
    """Draw what became of KillerTask with each flag, and of its variant with each method that isn't inlined."""
    tried = pd.concat([cured, called], ignore_index=True)
    tried = tried.replace({"flags": NOT_INLINED}, r"\1 not inlined", regex=True)
    ax = outcomes(tried, late_ms=LATE_MS, title=_finding(tried))
    if tried.empty:
        return ax
    border = cured["flags"].nunique()
    for name, left, right in ((PROGRAM, 0, border), (VARIANT, border, tried["flags"].nunique())):
        if left < right:
            middle = (left + right - 1) / 2
            ax.text(middle, -0.58, name, ha="center", va="bottom", fontsize=style.SMALL_PT, color=style.INK)
    ax.axvline(border - 0.5, color=style.INK, lw=2)
    lines = ax.get_title(loc="left")
    ax.set_title(lines, loc="left", fontsize=style.TITLE_PT, fontweight="bold", color=style.INK, pad=ABOVE_PT)
    return ax


def _finding(tried: pd.DataFrame) -> str | None:
    """ "With Serial, 4 of 5 cures let the JVM exit on every JDK; / with countOdds not inlined, it never does"."""
    known = tried[tried["outcome"].isin(["exited", "hung", "still running"])]
    if known.empty:
        return None
    exits = (known["outcome"] == "exited").groupby(known["flags"], sort=False)
    works, gcs = exits.all(), set(known.get("gc", ()))
    count = f"each of the {len(works)} cures lets" if works.all() else f"{works.sum()} of {len(works)} cures let"
    told = f"{f'With {gcs.pop()}, ' if len(gcs) == 1 else ''}{count} the JVM exit on every JDK"
    told = told[0].upper() + told[1:]
    if works.sum() != len(works) - 1:
        return told
    failing = works.index[~works][0]
    never = "it never does" if not exits.any()[failing] else "it doesn't exit on every one"
    return f"{told};\nwith {' '.join(_tiles.short(str(failing)).split())}, {never}"
