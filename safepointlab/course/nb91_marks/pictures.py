"""An object's lock on several JDKs: what its word holds, and what a call that takes the lock costs.

pictures.lock_states([old, new])     sweeps of biased/MarkWords with the argument `hex`, in tiles
pictures.lock_prices([old, new])     sweeps of biased/LockPrice, in bars
"""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from safepointlab.course.nb06_biased import experiments as biased
from safepointlab.course.nb91_marks import experiments as marks
from safepointlab.phrases import listed
from safepointlab.plot import _alternative, _tiles, style
from safepointlab.plot._picture import picture

LOOKS = {
    "unlocked": style.Look("unlocked", "#F2F2F2"),
    "biasable": style.Look("biasable", "#CDE7D8"),
    "biased": style.Look("biased", "#E69F00"),
    "thin: address": style.Look("thin: an address on the owner's stack", "#7CC4EC"),
    "thin: 2 bits": style.Look("thin: two bits, and no owner", "#2B7FB8"),
    "fat: address": style.Look("fat: the monitor's address", "#0B3C6F"),
    "fat: table": style.Look("fat: the monitor is in a table", "#5B3A8C"),
}
WIDTH = 9.0  # inches: tiles wide enough for the title above them
HELD = "locked"  # the moment that tells whether the word leads to the owner
NB = "\N{NO-BREAK SPACE}"  # names break elsewhere
MOMENTS = {
    "fresh": "new",
    "locked": HELD,
    "unlocked": "unlocked again",
    "other_unlocked": f"after another thread's{NB}turn",
    "contended": f"while another{NB}waits",
}


@picture("sweeps of biased/MarkWords with the argument hex", "jdk", *MOMENTS)
def lock_states(frame: pd.DataFrame) -> Axes:
    """Draw one row per JDK, one column per moment; `frame` is a sweep or a list of them."""
    rows = [
        (run["jdk"], text, marks.holding(run[name], run["jdk"]))  # NA where the run printed no word
        for run in frame.to_dict("records")
        for name, text in MOMENTS.items()
    ]
    states = pd.DataFrame(rows, columns=["jdk", "moment", "state"]).astype({"state": "string"})
    cells = _tiles.matrix(states, "jdk", "moment", states["state"])
    ax = style.canvas(None, WIDTH, 1.6 + 0.55 * max(cells["row"].nunique(), 2))
    if cells.empty:
        return style.empty(ax, "No object was examined")
    _tiles.draw(ax, cells, LOOKS)
    style.finding(ax, _owner(states[states["moment"] == HELD].dropna()))
    return ax


def _owner(held: pd.DataFrame) -> str:
    """On which JDKs the word of a held lock leads to the thread that holds it, and on which it doesn't."""
    leads = held["state"].isin(["biased", "thin: address"])
    yes, no = (listed(held.loc[which, "jdk"].unique()) for which in (leads, ~leads))
    if held.empty:
        return "No object was locked"
    word = "While an object is locked and no thread waits, its word leads"
    if not yes:
        return f"{word}\nto no owner on JDK {no}"
    return f"{word}\nto the owner on JDK {yes}{f', but not on JDK {no}' if no else ''}"


NO_LOCK, BIASED, THIN_NEW, THIN_HASHED = "no lock", "biased, new object", "thin, new object", "thin, hashed object"
PRICES = {
    NO_LOCK: style.Look(NO_LOCK, "#F2F2F2"),
    BIASED: style.Look(BIASED, LOOKS["biased"].color),
    THIN_NEW: style.Look(THIN_NEW, "#4F9BC7"),
    THIN_HASHED: style.Look(THIN_HASHED, "#4F9BC7", "///"),
}
BAR = 0.27  # of the distance between two JDKs


@picture("sweeps of biased/LockPrice", "jdk", "flags", "plain_ns", "fresh_ns", "hashed_ns")
def lock_prices(frame: pd.DataFrame) -> Axes:
    """Draw what a call takes: three bars per JDK, the medians, and a ring for each JVM; `frame` as above."""
    rows = [
        (run["jdk"], side, kind, run[column])
        for run in frame.dropna(subset=["plain_ns", "fresh_ns", "hashed_ns"]).to_dict("records")
        for side, (column, kind) in enumerate(_kinds(str(run["flags"])).items(), -1)
    ]
    calls = pd.DataFrame(rows, columns=["jdk", "side", "kind", "ns"])
    ax = style.canvas(None, WIDTH, 4.8)
    if calls.empty:
        return style.empty(ax, "No call was measured")
    jdks = sorted(calls["jdk"].unique())
    medians = dict[str, list[float]]()  # by kind of lock
    words = list[str]()
    groups: Any = calls.groupby(["jdk", "side", "kind"])
    for (jdk, side, kind), own in groups:
        x, median, look = jdks.index(jdk) + BAR * side, own["ns"].median(), PRICES[kind]
        edge: dict[str, Any] = {"hatch": look.hatch, "edgecolor": style.ink_on(look.color), "linewidth": 0.8}
        ax.bar(x, median, 0.94 * BAR, color=look.color, **edge)
        ax.plot([x] * len(own), own["ns"], "o", mfc=style.PAPER, mec=style.INK, ms=4.5)
        style.label(ax, x, own["ns"].max(), _ns(median), offset=(0, 12), ha="center")
        words.append(f"JDK {jdk}, {kind}: {_from_to(own['ns'])}.")
        medians.setdefault(kind.partition(",")[0], []).append(median)
    ax.set_xticks(range(len(jdks)), [f"JDK {jdk}" for jdk in jdks])
    ax.set_ylim(0, 1.15 * calls["ns"].max())
    style.axis_names(ax, "", "time of a call, ns")
    several = f"a bar is the median of {style.count_of(groups.size(), 'JVM')}, a ring is one of them"
    style.note(ax, several if groups.size().max() > 1 else "one JVM of each JDK")
    style.key(ax, [look for kind, look in PRICES.items() if (calls["kind"] == kind).any()])
    biased_lock = f"{_from_to(medians['biased'])} with a biased one, " if "biased" in medians else ""
    free = f"{biased_lock}{_from_to(medians[NO_LOCK])} without a lock"
    style.finding(ax, f"A call takes {_from_to(medians['thin'])} with a thin lock,\n{free}")
    _alternative.own(ax, " ".join(words))
    return ax


def _kinds(flags: str) -> dict[str, str]:
    """The columns of a run, and what lock the call takes there."""
    return {"plain_ns": NO_LOCK, "fresh_ns": BIASED if biased.ON in flags else THIN_NEW, "hashed_ns": THIN_HASHED}


def _ns(value: float) -> str:
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}"


def _from_to(values: Any) -> str:
    """
    >>> _from_to([17.52, 19.0]), _from_to([0.63, 0.64])
    ('18 to 19 ns', '0.6 ns')
    """
    return " to ".join(dict.fromkeys(map(_ns, (min(values), max(values))))) + " ns"
