"""Collapsed stacks (a frame or a run) -> a flame graph as SVG: pointing at a frame shows its full name and share.

    plot.flame_svg(run)                       in a notebook, and in its exported page
    plot.flame_svg(run).save("profile.html")  a page of its own

The same tree, kinds and colours as plot.flame; no script is needed, so it also works where scripts are not allowed.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, Literal

from safepointlab.plot import style
from safepointlab.plot._picture import picture
from safepointlab.plot.flame import KINDS, Node, height, kind, short, tree

WIDTH, ROW, LETTER = 960, 20, 7.2  # pixels; a letter of 12 px is about 7 wide


@dataclass(frozen=True)
class Svg:
    """An SVG picture as text; a notebook shows the picture."""

    text: str

    def _repr_html_(self) -> str:
        return self.text

    def save(self, path: str | Path) -> Path:
        """Write it as a page that any browser opens."""
        Path(path).write_text(f"<!doctype html><meta charset='utf-8'>{self.text}\n", "utf-8")
        return Path(path)


@picture("read.collapsed or a Run", "frames", "count", kind="stacks")
def flame_svg(
    subject: Any, title: str = "", least: float = 0.005, depth: int = 40, threads: bool | Literal["alike"] = False
) -> Svg:
    """Draw the flame graph; the arguments are those of plot.flame."""
    root = tree(style.table(subject, "stacks"), threads)
    levels = min(depth, height(root, least * root.samples)) if root.samples else 0
    bars = "".join(_bars(root, root.samples, least, levels))
    head = escape(title or (f"{root.samples:,} samples; point at a frame" if root.samples else "No sample was taken"))
    total_height = (levels + 2) * ROW + 6
    words = f"<text x='0' y='14' font-weight='bold'>{head}</text>"
    look = f"style='max-width:{WIDTH}px;font:12px sans-serif;background:{style.PAPER}'"
    return Svg(f"<svg viewBox='0 0 {WIDTH} {total_height}' width='100%' {look} role='img'>{words}{bars}</svg>")


def _bars(root: Node, total: int, least: float, levels: int) -> Iterator[str]:
    pending = [(root, 0.0, 0)]
    while pending and total:
        node, left, level = pending.pop()
        if node.samples < least * total or level > levels:
            continue
        yield _bar(node, left, level, levels, total)
        for child in sorted(node.below.values(), key=lambda child: -child.samples):
            pending.append((child, left, level + 1))
            left += WIDTH * child.samples / total


def _bar(node: Node, left: float, level: int, levels: int, total: int) -> str:
    width, top = WIDTH * node.samples / total, (levels - level + 1) * ROW
    look, room = KINDS[kind(node.name, level)], int(width / LETTER) - 1
    name = short(node.name)
    label = name if len(name) <= room else f"{name[: room - 1]}…" if room > 4 else ""
    words = f"<text x='{left + 3:.1f}' y='{top + 14}' fill='{style.ink_on(look.color)}'>{escape(label)}</text>"
    tooltip = escape(f"{node.name}: {node.samples:,} samples, {node.samples / total:.1%}")
    place = f"x='{left:.1f}' y='{top}' width='{max(0.5, width - 0.8):.1f}' height='{ROW - 1}'"
    return f"<g><title>{tooltip}</title><rect {place} fill='{look.color}'/>{words if label else ''}</g>"
