"""The map of loops that page 05 draws: which of them can be stopped, by JDK and collector.

    loop_map(run)                        one Run of counted/LoopShapes
    loop_map(lab.sweep("counted/LoopShapes", jdk=[8, 17], gc=["Serial", "G1"], ...))

Rows are the loops as written in Java, grouped by kind. ✓ a stop was granted in mid-loop. ✕ it waited until the loop was
over; ⊗ it waited, although the compiled code has a poll in the loop. ◐ strip-mined: granted in mid-loop, and the
compiled code shows how: an outer loop with the poll around an inner one without. A run without log="assembly=..." shows
✓ and ✕ alone: the clock cannot tell. A tile with several answers shows the worst; – is a loop that was not run, or was
over too soon. The headers and the kinds come from the sample's source.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import groupby, pairwise
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from safepointlab.course.nb05_counted import experiments as counted
from safepointlab.plot import _alternative, _tiles, style
from safepointlab.plot._picture import picture
from safepointlab.run import load
from safepointlab.run.build import find_sample
from safepointlab.run.run import Run

POLLED, STRIPS, VAIN, BARE = "stopped in mid-loop", "strip-mined", "polls, but not in time", "stopped only at its end"
UNKNOWN = ""
LOOKS = {
    POLLED: style.Look(f"✓ {POLLED}", style.OUTCOMES["on time"].color),
    STRIPS: style.Look(f"◐ {STRIPS}: after a strip", "#7CC4EC"),
    VAIN: style.Look(f"⊗ {VAIN}", style.OUTCOMES["hung"].color),
    BARE: style.Look(f"✕ {BARE}", style.OUTCOMES["hung"].color),
}
SIGNS = {POLLED: "✓", STRIPS: "◐", VAIN: "⊗", BARE: "✕", UNKNOWN: "–"}
WORST = [UNKNOWN, POLLED, STRIPS, VAIN, BARE]
CELL, ROW, LETTER = 0.62, 0.27, 0.101  # inches: a tile's width at least, a row's height, a letter of a header
GAP = 0.4  # of a tile's width, between two collectors
FEWEST_LETTERS, FEWEST_TILES = 60, 4.0  # as wide as the key, where the headers are short or the columns few
LONGEST = 66  # characters of a header; of a longer one the end is left out
Column = tuple[str, int]  # collector, with the flags that not all runs have; and JDK
States = Mapping[Column, Mapping[str, str]]  # by column and shape: one of WORST


@picture("a Run of counted/LoopShapes, or a sweep over it", "run", kind="output")
def loop_map(result: Run | pd.DataFrame) -> Axes:
    """Draw the map of one run, or of all runs of a sweep."""
    runs = load.runs(result)
    states = _states(runs)
    shapes = list(dict.fromkeys(shape for found in states.values() for shape in found))
    rows = titled_loops(find_sample(counted.SHAPES).read_text("utf-8"), shapes)
    # a collector and its flags, in lines that are not much wider than a tile
    names = {name: re.sub(r"(.{8,}?[a-z])(?=[A-Z])", r"\1\n", name.replace(" ", "\n")) for name, _ in states}
    widths = {name: LETTER * max(map(len, text.splitlines())) for name, text in names.items()}
    cell = max([CELL, *(width / sum(name == own for own, _ in states) for name, width in widths.items())])
    room = max([FEWEST_LETTERS, *(len(text) for _, text in rows)]) * LETTER / cell  # what the headers take, in tiles
    lines = max([1, *(text.count("\n") + 1 for text in names.values())])
    lefts = _lefts(list(states))
    across = max([FEWEST_TILES, *(left + 1 for left in lefts)])
    ax = style.canvas(None, cell * (room + across) + 0.3, 1.4 + ROW * (len(rows) + 1 + lines))
    if not any(word for found in states.values() for word in found.values()):
        return style.empty(ax, "No loop ran long enough")
    ax.set(xlim=(-room, across), ylim=(len(rows), -1 - lines), xticks=[], yticks=[])
    ax.spines[["left", "bottom"]].set_visible(False)
    _head(ax, list(states), lefts, names, lines)
    for y, (shape, text) in enumerate(rows):
        look: dict[str, Any] = {"family": "monospace"} if shape else {"fontweight": "bold"}
        ax.text(-room, y + 0.5, text, fontsize=style.SMALL_PT, va="center", color=style.INK, **look)
        for x, found in zip(lefts, states.values(), strict=True) if shape else ():
            _tile(ax, x, y, found.get(shape, UNKNOWN))
    style.key(ax, [look for word, look in LOOKS.items() if any(word in found.values() for found in states.values())])
    alone = "one JVM" if len(runs) == 1 else "one JVM for each column"
    style.note(ax, alone if len(runs) == len(states) else "of several JVMs, a tile shows the worst")
    style.finding(ax, _finding(states))
    _alternative.own(ax, " ".join(_in_words(column, found) for column, found in states.items()))
    return ax


def _states(runs: Sequence[Run]) -> States:
    """For each column, in the order of collectors and JDKs, the worst of what its runs say of each shape."""
    flags = [set(run.request.flags) for run in runs]
    common = set.intersection(*flags) if flags else set()
    found: dict[Column, dict[str, str]] = {}
    for run in runs:
        more = [_tiles.short(flag) for flag in run.request.flags if flag not in common]
        states = found.setdefault((" ".join([run.request.gc or "JDK's own", *more]), run.major), {})
        for shape, word in _states_of_run(run).items():
            states[shape] = max(states.get(shape, UNKNOWN), word, key=WORST.index)
    names = list(dict.fromkeys(name for name, _ in found))
    return {column: found[column] for column in sorted(found, key=lambda column: (names.index(column[0]), column[1]))}


def _states_of_run(run: Run) -> dict[str, str]:
    """By shape what the clock saw, and what the code has to say about it."""
    mined, polled = set[str](), set[str]()
    if any(log.kind == "assembly" for log in run.request.log) and len(run.loops):
        code = counted.by_code(run.loops)
        mined, polled = _strip_mined(run.loops), set(code.index[code.astype(bool)])
    words = {}
    for shape, stopped in counted.clocked(run)[["shape", "polled"]].itertuples(index=False):
        if pd.isna(stopped):
            words[shape] = UNKNOWN
        elif stopped:
            words[shape] = STRIPS if shape in mined else POLLED
        else:
            words[shape] = VAIN if shape in polled else BARE
    return words


def _strip_mined(loops: pd.DataFrame) -> set[str]:
    """The shapes of which the code that the thread ran has an unpolled loop in a polled one.

    That is C2's last standard version, or its last OSR version if the standard one neither polls nor calls: a stop that
    was granted in mid-loop shows that the thread was not in such a version. (The standard version of arrayWalk has left
    out the array of the long call.)
    """
    found = set()
    for method, own in loops[loops["tier"].isna() | loops["tier"].eq(4)].groupby("method"):
        versions = (own[own["osr_bci"].isna() == whole] for whole in (True, False))
        standard, osr = (each[each["compile_id"] == each["compile_id"].max()] for each in versions)
        asks = standard["polled"].any() or (standard["calls"] > 0).any()
        code = standard if asks or osr.empty else osr
        if code.loc[code["depth"] == 1, "polled"].any() and not code.loc[code["depth"] > 1, "polled"].all():
            found.add(str(method).rpartition("::")[2])
    return found


# ---- Which limit? -----------------------------------------------------------------------------------------
_PART = re.compile(r"^\s*// -{4} (.+?) -{4,}$")
#    static double intConstant(int turns) {
_METHOD = re.compile(r"^    (?:[a-z]+ )+(\w+)\([^)]*\) \{")
#        for (int i = CONSTANT - turns; i < CONSTANT; i++) x = Math.sqrt(x + i);        do {        } while (i < turns);
_LOOP = re.compile(r"^(?!\s*//).*?\b((?:for|while) \((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)?)(.*)")
_DO = re.compile(r"^\s+do \{")


def titled_loops(source: str, shapes: Sequence[str]) -> list[tuple[str, str]]:
    """What each row of the map is called: (shape, header of its loop), in the order of the source.

    A part of the source, by its comment of dashes, has a row of its own, without a shape. Loops of one header show
    their bodies, too; of a body in braces no more than whether a `break` follows in the method.

    >>> text = '''    // ---- Which limit? -------
    ...     static double count(int n) {
    ...         for (int i = 0; i < n; i++) x = Math.sqrt(x + i);
    ... '''
    >>> titled_loops(text, ["count", "odd"])
    [('', 'Which limit?'), ('count', 'for (int i = 0; i < n; i++)'), ('odd', 'odd')]
    """
    parts, headers, bodies = dict[str, str](), dict[str, str](), dict[str, str]()
    part, method, do = "", "", False
    for line in source.splitlines():
        if match := _PART.match(line):
            part = match[1]
        elif match := _METHOD.match(line):
            method, do = match[1], False
        elif _DO.match(line):
            do = True
        elif method and method not in headers and (match := _LOOP.match(line)):
            parts[method], headers[method] = part, f"{'do … ' if do else ''}{match[1]}"
            bodies[method] = match[2].strip().replace("{", "{ … }")
        elif method in headers and "break;" in line:
            bodies[method] = "{ … break; … }"
    asked = [shape for shape in headers if shape in shapes]
    alike = [headers[shape] for shape in asked]
    rows: list[tuple[str, str]] = []
    for part, own in groupby(asked, key=parts.__getitem__):
        rows.append(("", part))
        for shape in own:
            several = alike.count(headers[shape]) > 1
            text = f"{headers[shape]} {bodies[shape]}".rstrip("; ") if several else headers[shape]
            rows.append((shape, _shortened(text, "…" if several else "…)")))
    return [*rows, *((shape, shape) for shape in shapes if shape not in headers)]


def _shortened(text: str, end: str) -> str:
    plain = text.replace("Integer.MAX_VALUE", "MAX_VALUE")
    return plain if len(plain) <= LONGEST else f"{plain[: LONGEST - len(end)].rstrip()}{end}"


def _lefts(columns: list[Column]) -> list[float]:
    """Where each column begins, in tiles, with a gap before each collector but the first."""
    begun = [name != before for (name, _), (before, _) in pairwise(columns)]
    return [place + GAP * sum(begun[:place]) for place in range(len(columns))]


def _head(ax: Axes, columns: list[Column], lefts: list[float], names: Mapping[str, str], lines: int) -> None:
    """The names of the columns above the tiles: collectors in as many lines as they have, JDKs below."""
    font: dict[str, Any] = {"fontsize": style.SMALL_PT, "va": "center"}
    ax.text(-0.15, -0.5, "JDK", ha="right", **font)
    for left, (_, jdk) in zip(lefts, columns, strict=True):
        ax.text(left + 0.5, -0.5, str(jdk), ha="center", **font)
    for name, text in names.items():
        own = [left for left, (other, _) in zip(lefts, columns, strict=True) if other == name]
        ax.text((own[0] + own[-1] + 1) / 2, -0.95 - lines / 2, text, fontweight="bold", ha="center", **font)


def _tile(ax: Axes, x: float, y: int, word: str) -> None:
    color = LOOKS[word].color if word else style.PAPER
    edge: dict[str, Any] = {"edgecolor": style.PAPER if word else style.LINE, "linewidth": 2}
    ax.add_patch(Rectangle((x, y), 1, 1, facecolor=color, **edge))
    font: dict[str, Any] = {"fontsize": style.TEXT_PT, "fontweight": "bold", "ha": "center", "va": "center"}
    ax.text(x + 0.5, y + 0.5, SIGNS[word], color=style.ink_on(color), **font)


def _finding(states: States) -> str:
    """ "With Serial, 15 of 22 loops can't be stopped on JDK 8 and 11, and 16 on JDK 17"; a line for each collector."""
    known = {column: [word for word in found.values() if word] for column, found in states.items()}
    waiting = {column: sum(word in (BARE, VAIN) for word in words) for column, words in known.items()}
    if len(states) == 1:
        [((name, jdk), words)] = known.items()
        return f"JDK {jdk}, {name}: {waiting[name, jdk]} of {len(words)} loops can't be stopped before they end"
    lines = list[str]()
    for name, own in groupby(states, key=lambda column: column[0]):
        counts = list[str]()
        for count, same in groupby(own, key=waiting.__getitem__):
            jdks = [str(jdk) for _, jdk in same]
            between = " to " if len(jdks) > 2 else " and "
            whole = "" if counts else f" of {max(map(len, known.values()))} loops can't be stopped"
            counts.append(f"{count}{whole} on JDK {between.join(dict.fromkeys((jdks[0], jdks[-1])))}")
        lines.append(f"{'w' if lines else 'W'}ith {name}, {', and '.join(counts)}")
    return ";\n".join(lines)


def _in_words(column: Column, found: Mapping[str, str]) -> str:
    told = []
    for word in (BARE, VAIN, STRIPS, POLLED):
        shapes = [shape for shape, state in found.items() if state == word]
        told += [f"{word}: {', '.join(shapes)}"] if shapes else []
    return f"JDK {column[1]} with {column[0]}: {'; '.join(told) or 'nothing known'}."
