"""Columns of code lines with arrows -> the listing that needs neither script nor style sheet, and the data for the one
that answers to the mouse (alive/scripts/code.js).

JupyterLab shows the saved outputs of a notebook that it doesn't trust (one that was run elsewhere) through a
sanitizer that drops <style>, <script> and <svg>, and every colour that is no plain one. So every style of the listing
is inline, and a column's arrows are one <img> that holds an SVG. It has a background of its own, and reads the same in
a light theme, in a dark one and in print. The machine code stands beside source and bytecode, or, on a narrow page,
below them: three columns beside each other would leave it off screen.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import groupby
from typing import Any
from urllib.parse import quote

from safepointlab.plot import style

BLANK = "\N{NO-BREAK SPACE}"  # nbconvert shortens an element that holds nothing but plain blanks
LINE_PX, LANE_PX, HEAD_PX = 17, 12, 18
INK, PAPER, MUTED = style.INK.lower(), style.PAPER.lower(), style.MUTED.lower()
ALARM, CALM = style.BAD.lower(), style.COLORS[0].lower()
CHIPS = ("#d6e6f5", "#f7e3b5", "#d9ead3", "#eadcf4", "#f9d9cf", "#dfe3e8")  # of the source lines, in turn
MOST_ROWS = 350  # of a column whose folds can be opened: more would make the saved notebook heavy
COLORS = {True: ALARM, False: CALM, None: MUTED}  # of an arrow, by what is known of its loop
MARKS = {
    "poll": ("●", f"background-color:#ffe08a;font-weight:bold;border-left:4px solid {CALM};margin-left:-4px"),
    "return": ("○", f"background-color:#fff4d1;font-weight:bold;border-left:4px solid {CALM};margin-left:-4px"),
    "alarm": ("✗", f"font-weight:bold;color:{ALARM};border-left:4px double {ALARM};margin-left:-4px"),
    "fold": (" ", f"color:{MUTED};font-style:italic"),
    "": (" ", ""),
}


@dataclass
class Row:
    """One line: its text, the source line that it belongs to, and whether it may be folded away."""

    text: str
    line: int | None = None
    mark: str = ""
    keep: bool = True
    place: int = -1  # address, bytecode index or line number: what an arrow points at
    tag: str = ""
    loop: int | None = None  # the line that ends the loop in which it lies
    inside: "Sequence[Row]" = ()  # of a fold: the rows that it stands for


@dataclass
class Arrow:
    """A jump back, from one row's place to another's; `alarm`: the loop has no poll; None: unknown."""

    start: int
    end: int
    alarm: bool | None = None


Placed = tuple[int, int, Arrow]  # the numbers of the rows from which and to which it goes


@dataclass
class Column:
    """One kind of code, with its title above it."""

    title: str
    rows: Sequence[Row]
    arrows: Sequence[Arrow] = field(default_factory=list)
    noun: str = "lines"
    width: int = 0  # characters; the rest of a longer line is cut off; 0: it goes on below


def fold(rows: Sequence[Row], noun: str, shortest: int = 3) -> list[Row]:
    """The rows; each sequence of at least `shortest` rows not to be kept is replaced by "… 40 instructions"."""
    folded: list[Row] = []
    for keep, sequence in groupby(rows, key=lambda row: row.keep):
        block = list(sequence)
        short = keep or len(block) < shortest
        folded += block if short else [Row(f"… {len(block):,} {noun}", mark="fold", inside=block)]
    return folded


def listing(title: str, note: str, columns: Sequence[Column]) -> str:
    """The still view: the finding, the meaning of the marks, and the columns, the last one next to the others."""
    lines = sorted({row.line for column in columns for row in column.rows if row.line is not None})
    colors = {line: CHIPS[index % len(CHIPS)] for index, line in enumerate(lines)}
    *left, right = [_column(column, colors) for column in columns] or [""]
    # the width from which on a side has a row of its own: two of them fit beside a file browser at 1280
    widths = {"flex:1 1 290px": "".join(left) or right, "flex:1 1 400px": right if left else ""}
    sides = "".join(f'<div style="{css};overflow-x:auto">{side}</div>' for css, side in widths.items() if side)
    outer = f"background-color:{PAPER};color:{INK};border:1px solid #bbbbbb;padding:10px 12px;font-family:sans-serif"
    return (
        f'<div style="{outer}"><div style="font-size:17px;font-weight:bold;line-height:22px">{escape(title)}</div>'
        f'<div style="font-size:13px;line-height:18px;color:{MUTED};margin:3px 0 8px">{escape(note)}</div>'
        f'<div style="display:flex;flex-wrap:wrap;gap:10px 16px">{sides}</div></div>'
    )


def data(columns: Sequence[Column], loops: Mapping[int, str]) -> dict[str, Any]:
    """What code.js draws: of each column its rows (those in folds too), folds and arrows by the number of the row.

    A row is [text, line, mark, tag, loop], with 0 for no line and no loop; `loops` says of each loop what became of it.
    """
    drawn = []
    for column in columns:
        rows: list[Row] = []
        folds: list[tuple[int, int]] = []
        openable = sum(len(row.inside) or 1 for row in column.rows) <= MOST_ROWS
        for row in column.rows:
            if row.inside and openable:
                folds.append((len(rows), len(row.inside)))
            rows += row.inside if row.inside and openable else [row]
        arrows = [(start, end, arrow.alarm) for start, end, arrow in _places(column.arrows, rows)]
        short = [[row.text, row.line or 0, row.mark, row.tag, row.loop or 0] for row in rows]
        drawn.append({"title": column.title, "noun": column.noun, "rows": short, "folds": folds, "arrows": arrows})
    marks = {mark: glyph for mark, (glyph, _) in MARKS.items()}
    return {"columns": drawn, "loops": {str(line): words for line, words in loops.items()}, "marks": marks}


def _places(arrows: Sequence[Arrow], rows: Sequence[Row]) -> list[Placed]:
    """The arrows whose ends are both shown, with the numbers of the rows from which and to which they go."""
    numbers = {row.place: number for number, row in enumerate(rows) if row.place >= 0}
    shown = [arrow for arrow in arrows if arrow.start in numbers and arrow.end in numbers]
    return [(numbers[arrow.start], numbers[arrow.end], arrow) for arrow in shown]


def _column(column: Column, colors: dict[int, str]) -> str:
    lanes: list[list[Placed]] = []  # short arrows near the text, longer ones around them; no two overlap in a lane
    for start, end, arrow in sorted(_places(column.arrows, column.rows), key=lambda placed: placed[0] - placed[1]):
        free = [lane for lane in lanes if all(start < top or bottom < end for bottom, top, _ in lane)]
        if not free:
            lanes.append([])
        (free or lanes[-1:])[0].append((start, end, arrow))
    gutter = HEAD_PX + LANE_PX * len(lanes) if lanes else 0
    space = "pre" if column.width else "pre-wrap"
    css = f"white-space:{space};font-family:monospace;font-size:12px;line-height:{LINE_PX}px;position:relative"
    rows, above, numbered = "", None, any(row.line for row in column.rows)
    for row in column.rows:
        chip = "     " if numbered else ""
        if numbered and row.line is not None:  # its number on its colour; below a row of the same line only the colour
            number = BLANK * 4 if row.line == above else f"{row.line:>4}"
            chip = f'<span style="background-color:{colors[row.line]}">{number}</span> '
        above = row.line
        glyph, look = MARKS[row.mark]
        cut = column.width and len(row.text) > column.width
        text = (row.text[: column.width - 1] + "…" if cut else row.text) + (f"  ◀ {row.tag}" if row.tag else "")
        attribute = f' style="{look}"' if look else ""
        rows += f"<div{attribute}>{chip}{glyph} {escape(text)}</div>"
    head = f"font-size:14px;font-weight:bold;line-height:24px;padding-left:{gutter}px"
    return (
        f'<div style="margin:0 0 6px"><div style="{head}">{escape(column.title)}</div>'
        f'<div style="{css};padding-left:{gutter}px">'
        f"{_arrows(lanes, gutter, len(column.rows))}{rows}</div></div>"
    )


def _arrows(lanes: list[list[Placed]], gutter: int, rows: int) -> str:
    """The arrows of a column as an image next to its rows."""
    if not lanes:
        return ""
    drawn = ""
    for lane, arrows in enumerate(lanes):
        for first, last, arrow in arrows:
            start, end = first * LINE_PX + LINE_PX // 2, last * LINE_PX + LINE_PX // 2
            if start == end:  # a loop of one instruction
                start, end = start + 4, end - 4
            x, tip, color = gutter - HEAD_PX - lane * LANE_PX, gutter - 3, COLORS[arrow.alarm]
            dash = " stroke-dasharray='5,3'" if arrow.alarm else ""
            drawn += (
                f"<path d='M{tip},{start}H{x}V{end}H{tip - 5}' fill='none' stroke='{color}' stroke-width='2'{dash}/>"
            )
            drawn += f"<path d='M{tip},{end}l-8,-5v10z' fill='{color}'/>"
    height = rows * LINE_PX
    svg = f"<svg xmlns='http://www.w3.org/2000/svg' width='{gutter}' height='{height}'>{drawn}</svg>"
    css = "position:absolute;left:0;top:0;max-width:none;margin:0"
    source = "data:image/svg+xml," + quote(svg, safe="/:='(),. ")
    return f'<img alt="jumps back" width="{gutter}" height="{height}" style="{css}" src="{source}">'
