"""Shapes of loops, and whether each can be stopped -> a map: rows are the loops as written in Java, grouped by kind.

    plot.loop_map(counted.maps([8, 17, 25]).assign(gc="Serial"))
    plot.loop_map(pd.concat([serial, g1]), loops=pd.concat(run.loops.assign(jdk=run.major, gc=...) for run in runs))

Columns are JDKs, by collector where the frame has a column `gc`. ● a stop was granted in mid-loop. ✕ it waited until
the loop was over, whatever polls the code has. ◐ strip-mined: granted in mid-loop, and the compiled code (`loops`)
shows how: an outer loop with the poll around an inner one without. Without `loops` such a loop is drawn as ●: the clock
cannot tell. A tile with several answers shows the worst; – is a loop that was not run, or was over too soon.

The headers and the kinds come from the sample's source, so that the map names loops as a reader of it knows them.
Columns used: shape, polled, jdk, gc; of `loops` those of run.loops, and jdk, gc.
"""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from safepointlab.plot import _alternative, style
from safepointlab.plot._loop_headers import Header, headers
from safepointlab.plot._picture import picture
from safepointlab.programs.build import find_sample

POLLED, STRIPS, BARE, UNKNOWN = "stopped in mid-loop", "strip-mined", "the stop waits for its end", ""
LOOKS = {
    POLLED: style.Look(f"● {POLLED}", style.OUTCOMES["on time"].color),
    STRIPS: style.Look(f"◐ {STRIPS}: stopped after a strip", "#7CC4EC"),
    BARE: style.Look(f"✕ {BARE}", style.OUTCOMES["hung"].color),
}
SIGNS = {POLLED: "●", STRIPS: "◐", BARE: "✕", UNKNOWN: "–"}
WORST = [UNKNOWN, POLLED, STRIPS, BARE]
CELL, ROW, LETTER = 0.62, 0.27, 0.101  # inches: a tile's width, a row's height, a letter of a header
Column = tuple[str, int]  # collector ("" if the frame has none) and JDK


@picture("the shapes of counted/LoopShapes", "shape", "polled", "jdk")
def loop_map(
    frame: pd.DataFrame,
    loops: pd.DataFrame | None = None,
    sample: str = "counted/LoopShapes",
    ax: Axes | None = None,
    title: str | None = None,
) -> Axes:
    """Draw the map; `sample` has a method for each shape.

    Raises:
        SampleNotFound: there is no such sample.
    """
    states, columns = _states(frame, loops), _columns(frame)
    rows = _rows(headers(find_sample(sample).read_text("utf-8")), list(dict.fromkeys(frame["shape"].astype(str))))
    letters = max((len(text) for _, text in rows), default=10)
    room = letters * LETTER / CELL  # what the headers take, in tiles
    ax = style.canvas(ax, CELL * (room + max(len(columns), 4)) + 0.3, 1.2 + ROW * (len(rows) + 2))
    if not states:
        return style.empty(ax, title or "No loop was looked at")
    _frame(ax, columns, room, len(rows))
    for number, (shape, text) in enumerate(rows):
        _row(ax, number, shape, text, [states.get((shape, *column), UNKNOWN) for column in columns], room)
    style.key(ax, [LOOKS[word] for word in LOOKS if word in states.values()])
    style.finding(ax, title or _finding(states, columns))
    _alternative.own(ax, " ".join(_spoken(states, column) for column in columns))
    return ax


def _columns(frame: pd.DataFrame) -> list[Column]:
    pairs = {(_collector(row), int(row["jdk"])) for row in frame[["jdk", *_gc(frame)]].to_dict("records")}
    order = list(dict.fromkeys(_collector(row) for row in frame[_gc(frame)].to_dict("records")))
    return sorted(pairs, key=lambda column: (order.index(column[0]) if order else 0, column[1]))


def _gc(frame: pd.DataFrame) -> list[str]:
    return ["gc"] if "gc" in frame else []


def _collector(row: Any) -> str:
    return "" if pd.isna(row.get("gc", "")) else str(row.get("gc", ""))


def _states(frame: pd.DataFrame, loops: pd.DataFrame | None) -> dict[tuple[str, str, int], str]:
    """(shape, collector, JDK) -> the worst of what its rows say; rows without an answer are left out."""
    nested = set() if loops is None else _nested(loops)
    states: dict[tuple[str, str, int], str] = {}
    for row in frame.dropna(subset="polled").to_dict("records"):
        key = str(row["shape"]), _collector(row), int(row["jdk"])
        word = (STRIPS if key in nested else POLLED) if row["polled"] else BARE
        states[key] = max(states.get(key, UNKNOWN), word, key=WORST.index)
    return states


def _nested(loops: pd.DataFrame) -> set[tuple[str, str, int]]:
    """Where the code that the thread ran has an unpolled loop in a polled one."""
    by_c2 = loops[loops["tier"].isna() | loops["tier"].eq(4)]
    found = set()
    for _, own in by_c2.groupby(["method", "jdk", *_gc(loops)]):
        row, code = own.iloc[0], _code(own)
        if code.loc[code["depth"] == 1, "polled"].any() and not code.loc[code["depth"] > 1, "polled"].all():
            found.add((str(row["method"]).rpartition("::")[2], _collector(row), int(row["jdk"])))
    return found


def _code(own: pd.DataFrame) -> pd.DataFrame:
    """The loops of C2's last standard version; of its last OSR version if the standard one neither polls nor calls.

    A stop that was granted in mid-loop shows that the thread was not in such a version: arrayWalk, whose standard
    version has left out the array of the long call.
    """
    standard, by_osr = (_last(own[own["osr_bci"].isna() == whole]) for whole in (True, False))
    asks = standard["polled"].any() or ("calls" in standard and (standard["calls"] > 0).any())
    return standard if asks or by_osr.empty else by_osr


def _last(loops: pd.DataFrame) -> pd.DataFrame:
    last: pd.DataFrame = loops[loops["compile_id"] == loops["compile_id"].max()]
    return last


def _rows(known: dict[str, Header], shapes: Sequence[str]) -> list[tuple[str, str]]:
    """(shape, text) in the order of the source; a part's name has no shape. Loops of one header show their bodies."""
    texts = [known[shape].text for shape in known if shape in shapes]
    rows: list[tuple[str, str]] = []
    part = None
    for shape, header in known.items():
        if shape in shapes:
            rows += [("", header.part)] if header.part != part else []
            rows.append((shape, header.whole if texts.count(header.text) > 1 else header.text))
            part = header.part
    return [*rows, *((shape, shape) for shape in shapes if shape not in known)]


def _frame(ax: Axes, columns: list[Column], room: float, rows: int) -> None:
    """The names of the columns, in two lines above the tiles: collector, JDK."""
    ax.set(xlim=(-room, max(len(columns), 4)), ylim=(rows, -2), xticks=[], yticks=[])
    ax.spines[["left", "bottom"]].set_visible(False)
    font: dict[str, Any] = {"fontsize": style.SMALL_PT, "ha": "center", "va": "center"}
    for place, (_, jdk) in enumerate(columns):
        ax.text(place + 0.5, -0.5, str(jdk), **font)
    ax.text(-0.15, -0.5, "JDK", fontsize=style.SMALL_PT, ha="right", va="center")
    for name in dict.fromkeys(collector for collector, _ in columns):
        places = [place for place, (collector, _) in enumerate(columns) if collector == name]
        ax.text(places[0] + len(places) / 2, -1.45, name, fontweight="bold", **font)


def _row(ax: Axes, number: int, shape: str, text: str, words: list[str], room: float) -> None:
    look: dict[str, Any] = {"family": "monospace"} if shape else {"fontweight": "bold"}
    ax.text(-room, number + 0.5, text, fontsize=style.SMALL_PT, va="center", color=style.INK, **look)
    for place, word in enumerate(words if shape else []):
        _tile(ax, place, number, word)


def _tile(ax: Axes, place: int, number: int, word: str) -> None:
    color = LOOKS[word].color if word else style.PAPER
    edge: dict[str, Any] = {"edgecolor": style.PAPER if word else style.LINE, "linewidth": 2}
    ax.add_patch(Rectangle((place, number), 1, 1, facecolor=color, **edge))
    font: dict[str, Any] = {"fontsize": style.TEXT_PT, "fontweight": "bold", "ha": "center", "va": "center"}
    ax.text(place + 0.5, number + 0.5, SIGNS[word], color=style.ink_on(color), **font)


def _finding(states: dict[tuple[str, str, int], str], columns: list[Column]) -> str:
    """ "Loops that cannot be stopped, of 22. Serial: 15 (JDK 8, 11), 16 (JDK 17 to 25)."; a line for each collector."""
    words = {column: [word for key, word in states.items() if key[1:] == column] for column in columns}
    if len(columns) == 1:
        [((name, jdk), found)] = words.items()
        who = f"JDK {jdk}, {name}" if name else f"JDK {jdk}"
        return f"{who}: {found.count(BARE)} of {len(found)} loops cannot be stopped in mid-loop"
    lines = [f"Loops that cannot be stopped, of {max(map(len, words.values()))}."]
    for name, own in groupby(columns, key=lambda column: column[0]):
        counts = ", ".join(_by_count([(jdk, words[name, jdk].count(BARE)) for _, jdk in own]))
        lines.append(f"{name}: {counts}." if name else f"{counts}.")
    first, second, *others = lines
    return "\n".join([f"{first} {second}", *others])


def _by_count(bare: list[tuple[int, int]]) -> list[str]:
    """From (JDK, count) each count once, with its neighbouring JDKs: ["15 (JDK 8, 11)", "0 (JDK 17 to 25)"]."""
    told = []
    for count, group in groupby(bare, key=lambda pair: pair[1]):
        jdks = [str(jdk) for jdk, _ in group]
        between = " to " if len(jdks) > 2 else ", "
        told.append(f"{count} (JDK {between.join(dict.fromkeys((jdks[0], jdks[-1])))})")
    return told


def _spoken(states: dict[tuple[str, str, int], str], column: Column) -> str:
    told = []
    for word in (BARE, STRIPS, POLLED):
        shapes = [key[0] for key, state in states.items() if key[1:] == column and state == word]
        told += [f"{word}: {', '.join(shapes)}"] if shapes else []
    return f"JDK {column[1]}{f' with {column[0]}' if column[0] else ''}: {'; '.join(told) or 'nothing known'}."
