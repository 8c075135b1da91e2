"""Collapsed stacks (a frame, a run, or several by name) -> a flame graph: a frame as wide as its share of the samples.

    plot.flame(run)
    plot.flame({"AsyncGetCallTrace": agct, "VMStructs": vm})         side by side

The outermost caller is at the bottom, the code that ran on top. Siblings are sorted by their share, the largest at the
left; a frame with less than `least` of all samples is left out. Colours tell Java, native code, kernel, and samples
without a Java stack.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from textwrap import wrap
from typing import Any, Literal

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Patch, Rectangle

from safepointlab.logs import collapsed as reader
from safepointlab.plot import style
from safepointlab.plot._picture import picture

KINDS = {
    "java": style.Look("Java", "#F5E663"),
    "native": style.Look("native, stubs, the VM", "#E69F00"),
    "kernel": style.Look("kernel", "#4795C2"),
    "task": style.Look("a method being compiled", "#A3CDEA"),
    "lost": style.Look("no Java stack", "#6B6B6B"),
    "other": style.Look("all samples", "#E8E8E8"),
}
THREAD = "thread "


@dataclass
class Node:
    """A frame with the frames that it called, and the number of samples that contain it."""

    name: str
    samples: int = 0
    below: dict[str, "Node"] = field(default_factory=dict)

    def call(self, name: str) -> "Node":
        """The frame of that name that this one called."""
        return self.below.setdefault(name, Node(name))


@picture("logs.collapsed or a Run", "frames", "count", kind="stacks")
def flame(
    subject: Any,
    ax: Axes | None = None,
    title: str | None = None,
    least: float = 0.015,
    depth: int = 16,
    threads: bool | Literal["alike"] = False,
) -> Axes:
    """Draw one flame graph, or one for each entry of a mapping; returns the (first) Axes.

    Args:
        least: the share of all samples below which a frame is left out.
        depth: how many frames from the bottom are drawn.
        threads: put the threads at the bottom, if the profiler kept them apart; "alike" merges threads whose names
            differ in the number at their end only.
    """
    if isinstance(subject, Mapping):
        return _side_by_side(subject, title, least, depth, threads)
    root = tree(style.table(subject, "stacks"), threads)
    ax = _canvas(ax, min(depth, height(root, least * root.samples)))
    if not root.samples:
        return style.empty(ax, title or "No sample was taken")
    style.key(ax, _looks(_draw(ax, root, least, depth)))
    style.finding(ax, title or _finding(root, bool(threads)))
    return ax


def tree(stacks: pd.DataFrame, threads: bool | str = False) -> Node:
    """The stacks, merged from the outermost frame on; the marks of async-profiler's option `ann` are dropped."""
    root = Node("all")
    named = stacks["thread"].fillna("without a name") if threads else pd.Series("", index=stacks.index)
    if threads == "alike":
        named = named.str.replace(r"#?\d+$", "#", regex=True)  # C1 and C2 are no numbers
    for frames, count, thread in zip(stacks["frames"], stacks["count"], named, strict=True):
        node, path = root, ([f"{THREAD}{thread}"] if thread else []) + (frames.split(";") if frames else [])
        node.samples += int(count)
        for frame in path:
            node = node.call(reader.plain(frame))
            node.samples += int(count)
    return root


def _side_by_side(subjects: Mapping[Any, Any], title: str | None, least: float, depth: int, threads: Any) -> Axes:
    """One column per entry, all of one height, with one key, so that each has room for its name and its finding."""
    roots = {str(name): tree(style.table(subject, "stacks"), threads) for name, subject in subjects.items()}
    levels = max((min(depth, height(root, least * root.samples)) for root in roots.values()), default=1)
    size = (max(8.0, 4.2 * len(roots)), _inches(levels) + (0.4 if title else 0.0))
    figure, row = plt.subplots(1, len(roots), figsize=size, dpi=style.DPI, layout="constrained", squeeze=False)
    kinds: set[str] = set()
    for ax, (name, root) in zip(row[0], roots.items(), strict=True):
        _canvas(ax, levels)
        kinds |= _draw(ax, root, least, depth) if root.samples else set()
        words = _finding(root, bool(threads)).replace(r"\$", "$") if root.samples else "no sample was taken"
        fitting = wrap(words, int(style._columns(ax) * style.TITLE_PT / style.TEXT_PT) + 2, break_long_words=False)
        ax.set_title("\n".join([name, *fitting]), loc="left", fontsize=style.TEXT_PT, color=style.INK, parse_math=False)
    patches = [Patch(fc=look.color, ec=style.INK, label=look.label) for look in _looks(kinds)]
    figure.legend(handles=patches, loc="outside lower left", ncols=4, fontsize=style.SMALL_PT, frameon=False)
    if title:
        figure.suptitle(title, x=0.01, ha="left", fontsize=style.TITLE_PT, fontweight="bold", color=style.INK)
    leftmost: Axes = row[0][0]
    return leftmost


def _canvas(ax: Axes | None, levels: int) -> Axes:
    ax = style.canvas(ax, height=_inches(levels))
    ax.spines["left"].set_visible(False)
    ax.set(yticks=[], xlim=(0, 100), ylim=(-0.1, levels + 1.1))
    style.axis_names(ax, "samples, %", "")
    return ax


def _inches(levels: int) -> float:
    return 1.5 + 0.3 * (levels + 1)


def height(node: Node, least: float) -> int:
    """The number of frames above this one, without those that have less than `least` samples."""
    return max((1 + height(child, least) for child in node.below.values() if child.samples >= least), default=0)


def _draw(ax: Axes, root: Node, least: float, depth: int) -> set[str]:
    """Draw all frames; returns the kinds that there are."""
    kinds: set[str] = set()
    room = style._columns(ax) * 1.55  # characters of small text in the width of the Axes
    pending = [(root, 0.0, 0)]
    while pending:
        node, left, level = pending.pop()
        width = 100.0 * node.samples / root.samples
        if width < 100 * least or level > depth:
            continue
        kinds.add(_bar(ax, node.name, left, width, level, room))
        for child in sorted(node.below.values(), key=lambda child: -child.samples):
            pending.append((child, left, level + 1))
            left += 100.0 * child.samples / root.samples
    return kinds


def _looks(kinds: set[str]) -> list[style.Look]:
    return [look for name, look in KINDS.items() if name in kinds and name != "other"]


def _bar(ax: Axes, name: str, left: float, width: float, level: int, room: float) -> str:
    """One frame; returns its kind."""
    frame_kind = kind(name, level)
    look = KINDS[frame_kind]
    ax.add_patch(Rectangle((left, level), width, 0.94, fc=look.color, ec=style.PAPER, lw=0.8))
    if text := _fitting(short(name), int(width / 100 * room) - 1):
        ink = style.ink_on(look.color)
        ax.text(
            left + 0.4,
            level + 0.45,
            text,
            fontsize=style.SMALL_PT - 1,
            color=ink,
            va="center",
            clip_on=True,
            parse_math=False,
        )
    return frame_kind


def kind(name: str, level: int) -> str:
    """The kind of a frame, a key of KINDS; "other" for the bottom and the threads."""
    return "other" if level == 0 or name.startswith(THREAD) else reader.kind(name)


def short(frame: str) -> str:
    """A frame in short: a Java frame is its class without package, and its method.

    >>> short("java/util/zip/CRC32.update"), short("Compile::Compile"), short("Main$$Lambda$14/0x0000000800c03000.run")
    ('CRC32.update', 'Compile::Compile', 'Main$$Lambda.run')
    """
    if reader.kind(frame) != "java":
        return frame
    hidden, _, method = frame.rpartition(".")
    owner = hidden.partition("$$Lambda")[0].rpartition("/")[2]
    return f"{owner}{'$$Lambda' if '$$Lambda' in hidden else ''}.{method}"


def _fitting(text: str, room: int) -> str:
    """The text if it fits, else its beginning if that is long enough to be understood, else ""."""
    if len(text) <= room:
        return text
    return f"{text[: room - 1]}…" if room >= 5 else ""


def _finding(root: Node, threads: bool) -> str:
    """The share of samples without a Java stack; if small, the most frequent top frame. Of threads, the busiest."""
    total = root.samples
    if threads:
        most = max(root.below.values(), key=lambda node: node.samples)
        return f"{most.samples / total:.0%} of {total:,} samples are of {most.name}"
    lost = sum(leaf.samples for leaf in root.below.values() if reader.kind(leaf.name) == "lost")
    if lost > total / 20:
        return f"{lost / total:.0%} of {total:,} samples have no Java stack"
    tops: dict[str, int] = {}
    _tops(root, tops)
    top = max(tops, key=lambda name: tops[name])
    return f"{tops[top] / total:.0%} of {total:,} samples in {short(top)}".replace("$", r"\$")  # no formula begins here


def _tops(node: Node, tops: dict[str, int]) -> None:
    """Count how often each frame was the innermost one."""
    own = node.samples - sum(child.samples for child in node.below.values())
    if own > 0:
        tops[node.name] = tops.get(node.name, 0) + own
    for child in node.below.values():
        _tops(child, tops)
