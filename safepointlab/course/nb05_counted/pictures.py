"""The map of loops that page 05 draws: which of them can be stopped, by JDK and collector.

    loop_map(run)                        one Run of counted/LoopShapes
    loop_map(lab.sweep("counted/LoopShapes", jdk=[8, 17], gc=["Serial", "G1"], ...))

Rows are the loops as written in Java, grouped by kind. ● a stop was granted in mid-loop. ✕ it waited until the loop was
over; ⊗ it waited although the compiled code has a poll in the loop. ◐ strip-mined: granted in mid-loop, and the
compiled code shows how: an outer loop with the poll around an inner one without. A run without log="assembly=..." shows
● and ✕ alone: the clock cannot tell. A tile with several answers shows the worst; – is a loop that was not run, or was
over too soon. The headers and the kinds come from the sample's source.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from safepointlab.course.nb05_counted import experiments as counted
from safepointlab.course.nb05_counted.headers import Header, headers
from safepointlab.course.nb05_counted.output import by_code
from safepointlab.plot import _alternative, _tiles, style
from safepointlab.plot._picture import picture
from safepointlab.run import load
from safepointlab.run.build import find_sample
from safepointlab.run.run import Run

POLLED, STRIPS, VAIN, BARE = "stopped in mid-loop", "strip-mined", "waits, though the code polls", "waits for its end"
UNKNOWN = ""
LOOKS = {
    POLLED: style.Look(f"● {POLLED}", style.OUTCOMES["on time"].color),
    STRIPS: style.Look(f"◐ {STRIPS}: after a strip", "#7CC4EC"),
    VAIN: style.Look(f"⊗ {VAIN}", style.OUTCOMES["hung"].color),
    BARE: style.Look(f"✕ the stop {BARE}", style.OUTCOMES["hung"].color),
}
SIGNS = {POLLED: "●", STRIPS: "◐", VAIN: "⊗", BARE: "✕", UNKNOWN: "–"}
WORST = [UNKNOWN, POLLED, STRIPS, VAIN, BARE]
CELL, ROW, LETTER = 0.62, 0.27, 0.101  # inches: a tile's width at least, a row's height, a letter of a header
FEWEST_LETTERS = 60  # as wide as the key, where the headers are short
Column = tuple[str, int]  # collector, with the flags that not all runs have; and JDK
States = Mapping[Column, Mapping[str, str]]


@picture("a Run of counted/LoopShapes, or a sweep over it", "run", kind="output")
def loop_map(result: Run | pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw the map of one run, or of all runs of a sweep."""
    states = _states(load.runs(result))
    shapes = list(dict.fromkeys(shape for found in states.values() for shape in found))
    rows = _rows(headers(find_sample(counted.SHAPES).read_text("utf-8")), shapes)
    names = {name: _heading(name) for name, _ in states}
    cell = max([CELL, *(_width(text) / sum(name == own for own, _ in states) for name, text in names.items())])
    room = max([FEWEST_LETTERS, *(len(text) for _, text in rows)]) * LETTER / cell  # what the headers take, in tiles
    lines = max([1, *(text.count("\n") + 1 for text in names.values())])
    ax = style.canvas(ax, cell * (room + max(len(states), 4)) + 0.3, 1.2 + ROW * (len(rows) + 1 + lines))
    if not any(word for found in states.values() for word in found.values()):
        return style.empty(ax, "No loop was looked at")
    _frame(ax, list(states), names, room, len(rows))
    for number, (shape, text) in enumerate(rows):
        _row(ax, number, shape, text, [found.get(shape, UNKNOWN) for found in states.values()], room)
    style.key(ax, [look for word, look in LOOKS.items() if any(word in found.values() for found in states.values())])
    style.finding(ax, _finding(states))
    _alternative.own(ax, " ".join(_spoken(column, found) for column, found in states.items()))
    return ax


def _states(runs: Sequence[Run]) -> States:
    """For each column, in the order of collectors and JDKs, the worst of what its runs say of each shape."""
    flags = [set(run.request.flags) for run in runs]
    common = set.intersection(*flags) if flags else set()
    found: dict[Column, dict[str, str]] = {}
    for run in runs:
        more = [_tiles.short(flag) for flag in run.request.flags if flag not in common]
        states = found.setdefault((" ".join([run.request.gc or "JDK's own", *more]), run.major), {})
        for shape, word in _of_run(run).items():
            states[shape] = max(states.get(shape, UNKNOWN), word, key=WORST.index)
    names = list(dict.fromkeys(name for name, _ in found))
    return {column: found[column] for column in sorted(found, key=lambda column: (names.index(column[0]), column[1]))}


def _of_run(run: Run) -> dict[str, str]:
    """By shape what the clock saw, and what the code has to say about it."""
    loops = counted.compiled_loops(run)
    nested, polled = (_nested(loops), _polled(loops)) if len(loops) else (set(), set())
    words = {}
    for shape, stopped in counted.clocked(run)[["shape", "polled"]].itertuples(index=False):
        if pd.isna(stopped):
            words[str(shape)] = UNKNOWN
        elif stopped:
            words[str(shape)] = STRIPS if shape in nested else POLLED
        else:
            words[str(shape)] = VAIN if shape in polled else BARE
    return words


def _nested(loops: pd.DataFrame) -> set[str]:
    """The shapes of which the code that the thread ran has an unpolled loop in a polled one."""
    found = set()
    for method, own in loops[loops["tier"].isna() | loops["tier"].eq(4)].groupby("method"):
        code = _code(own)
        if code.loc[code["depth"] == 1, "polled"].any() and not code.loc[code["depth"] > 1, "polled"].all():
            found.add(str(method).rpartition("::")[2])
    return found


def _polled(loops: pd.DataFrame) -> set[str]:
    """The shapes whose standard version polls in the loop."""
    answers = by_code(loops)
    return set(answers.loc[answers["polled"].astype(bool), "shape"])


def _code(own: pd.DataFrame) -> pd.DataFrame:
    """The loops of C2's last standard version; of its last OSR version if the standard one neither polls nor calls.

    A stop that was granted in mid-loop shows that the thread was not in such a version: arrayWalk, whose standard
    version has left out the array of the long call.
    """
    standard, by_osr = (_last(own[own["osr_bci"].isna() == whole]) for whole in (True, False))
    asks = standard["polled"].any() or (standard["calls"] > 0).any()
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


def _heading(name: str) -> str:
    """A collector and its flags, in lines that are not much wider than a tile."""
    return re.sub(r"(.{8,}?[a-z])(?=[A-Z])", r"\1\n", name.replace(" ", "\n"))


def _width(text: str) -> float:
    """In inches, in bold."""
    return LETTER * max(map(len, text.splitlines()))


def _frame(ax: Axes, columns: list[Column], names: Mapping[str, str], room: float, rows: int) -> None:
    """The names of the columns above the tiles: collectors in as many lines as they have, JDKs below."""
    lines = max(text.count("\n") + 1 for text in names.values())
    ax.set(xlim=(-room, max(len(columns), 4)), ylim=(rows, -1 - lines), xticks=[], yticks=[])
    ax.spines[["left", "bottom"]].set_visible(False)
    font: dict[str, Any] = {"fontsize": style.SMALL_PT, "ha": "center", "va": "center"}
    for place, (_, jdk) in enumerate(columns):
        ax.text(place + 0.5, -0.5, str(jdk), **font)
    ax.text(-0.15, -0.5, "JDK", fontsize=style.SMALL_PT, ha="right", va="center")
    for name, text in names.items():
        places = [place for place, (own, _) in enumerate(columns) if own == name]
        ax.text(places[0] + len(places) / 2, -0.95 - lines / 2, text, fontweight="bold", **font)


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


def _finding(states: States) -> str:
    """ "Loops that cannot be stopped, of 22. Serial: 15 (JDK 8, 11), 16 (JDK 17 to 25)."; a line for each collector."""
    known = {column: [word for word in found.values() if word] for column, found in states.items()}
    waiting = {column: sum(word in (BARE, VAIN) for word in words) for column, words in known.items()}
    if len(states) == 1:
        [((name, jdk), words)] = known.items()
        return f"JDK {jdk}, {name}: {waiting[name, jdk]} of {len(words)} loops cannot be stopped in mid-loop"
    lines = [f"Loops that cannot be stopped, of {max(map(len, known.values()))}."]
    for name, own in groupby(states, key=lambda column: column[0]):
        lines.append(f"{name}: {', '.join(_by_count((jdk, waiting[name, jdk]) for _, jdk in own))}.")
    first, second, *others = lines
    return "\n".join([f"{first} {second}", *others])


def _by_count(bare: Iterable[tuple[int, int]]) -> list[str]:
    """From (JDK, count) each count once, with its neighbouring JDKs: ["15 (JDK 8, 11)", "0 (JDK 17 to 25)"]."""
    told = []
    for count, group in groupby(bare, key=lambda pair: pair[1]):
        jdks = [str(jdk) for jdk, _ in group]
        between = " to " if len(jdks) > 2 else ", "
        told.append(f"{count} (JDK {between.join(dict.fromkeys((jdks[0], jdks[-1])))})")
    return told


def _spoken(column: Column, found: Mapping[str, str]) -> str:
    told = []
    for word in (BARE, VAIN, STRIPS, POLLED):
        shapes = [shape for shape, state in found.items() if state == word]
        told += [f"{word}: {', '.join(shapes)}"] if shapes else []
    return f"JDK {column[1]} with {column[0]}: {'; '.join(told) or 'nothing known'}."
