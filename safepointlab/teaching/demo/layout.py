"""A page, its place in the demo, what to say and a terminal's size -> the rows of one screen, each with a style.

On 100 × 30 the headline stands in block letters and the lines have room between them. On a smaller terminal the room
goes first, then the block letters; what still does not fit is cut, and the last row of it says so.
"""

import textwrap
from dataclasses import dataclass
from typing import Literal

from safepointlab.course.demo_script import Page
from safepointlab.teaching.demo import letters

Style = Literal["plain", "headline", "line", "code", "dim"]
MARGIN = "  "


@dataclass(frozen=True)
class Size:
    """A terminal's columns and rows, and whether it can show block letters."""

    width: int
    height: int
    blocks: bool = True

    @property
    def inner(self) -> int:
        """The columns between the margins."""
        return max(10, self.width - 2 * len(MARGIN))


@dataclass(frozen=True)
class Row:
    """One row of the screen."""

    text: str = ""
    style: Style = "plain"


def screen(page: Page, head: str, source: str, foot: tuple[str, ...], size: Size) -> list[Row]:
    """The whole screen, not more rows than the terminal has.

    Args:
        head: the first row: which demo and step.
        source: the second one: live or recorded.
        foot: the last rows: what to say, and the keys.
    """
    top = [Row(_cut(head, size), "dim"), Row(_cut(source, size) if source else "", "line"), Row()]
    bottom = [Row(_cut(line, size), "dim") for line in foot]
    room = max(1, size.height - len(top) - len(bottom))
    body = _body(page, size, room)
    rows = [*top, *body, *[Row()] * (room - len(body)), *bottom]
    return rows[-size.height :] if size.height < len(rows) else rows


def _body(page: Page, size: Size, room: int) -> list[Row]:
    """The most generous of the layouts that fits; of the tightest one as much as fits."""
    small = letters.banner(page.big, size.inner // 2) if size.blocks else []
    large = letters.banner(page.big, size.inner) if size.blocks else []
    layouts = [_laid(page, size, banner, airy) for banner in (large, small, []) for airy in (True, False)]
    fitting = next((rows for rows in layouts if len(rows) <= room), None)
    if fitting is not None:
        return fitting
    return [*layouts[-1][: room - 1], Row(_cut("… this terminal is too small for the rest", size), "dim")][:room]


def _laid(page: Page, size: Size, banner: list[str], airy: bool) -> list[Row]:
    rows = [Row(MARGIN + line, "headline") for line in banner or textwrap.wrap(page.big, size.inner)]
    gap = [Row()] if airy else []
    for line in page.lines:
        rows += gap + [Row(MARGIN + part, "line") for part in textwrap.wrap(line, size.inner, drop_whitespace=False)]
    if page.code:
        rows += gap + [Row(_cut(line, size), "code") for line in page.code]
    return rows


def _cut(text: str, size: Size) -> str:
    """The text within the margins, its end replaced by … where it is too long."""
    return MARGIN + (text if len(text) <= size.inner else text[: size.inner - 1] + "…")
