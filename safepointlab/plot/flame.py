"""Collapsed stacks (a frame or a run) -> a flame graph: a frame as wide as its share of the samples.

    plot.flame(run)                           an image
    plot.flame_svg(run)                       in a notebook, and in its exported page: point at a frame, or walk with
                                              the arrow keys
    plot.flame_svg(run).save("profile.html")  a page of its own

The outermost caller is at the bottom, the code that ran on top. Siblings are sorted by their share, the largest at the
left; thin frames are left out, and deep ones cut. Colours tell Java, native code, kernel, and samples
without a Java stack. Where no script runs (an untrusted notebook, GitHub) the second one is a picture with the table of
its widest frames. Its own page needs no script: pointing at a frame shows its name and share.
"""

from base64 import b64encode
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from safepointlab.logs import collapsed
from safepointlab.plot import interactive, style
from safepointlab.plot._picture import picture
from safepointlab.run.run import Run

KINDS = {
    "java": style.Look("Java", "#F5E663"),
    "native": style.Look("native, stubs, the VM", "#E69F00"),
    "kernel": style.Look("kernel", "#4795C2"),
    "task": style.Look("a method being compiled", "#A3CDEA"),
    "lost": style.Look("no Java stack", "#6B6B6B"),
    "other": style.Look("all samples", "#E8E8E8"),
}
THIN, DEEP = 0.015, 16  # of an image: the share of all samples, and the frames from the bottom, that are drawn
THIN_SVG, DEEP_SVG = 0.005, 40  # of the other
WIDTH, ROW, LETTER = 960, 20, 7.2  # pixels; a letter of 12 px is about 7 wide
WIDEST = 12  # rows of the table
COMPILER = "::compile_method"  # async-profiler (features=comptask) puts the method that it compiles above it
PASSED_ON = 0.9  # a caller of one frame with that share of its samples is no row of its own


@dataclass
class Node:
    """A frame with the frames that it called, and the number of samples that contain it."""

    name: str
    samples: int = 0
    below: dict[str, "Node"] = field(default_factory=dict)


class Bar(NamedTuple):
    """A frame as drawn: `left` and `samples` in samples, `level` in frames above the bottom, `caller` its place."""

    name: str
    samples: int
    left: int
    level: int
    caller: int
    kind: str  # a key of KINDS


@picture("logs.collapsed or a Run", "frames", "count", kind="stacks")
def flame(subject: Any, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Draw a flame graph."""
    root = tree(style.table(subject, "stacks"))
    bars = list(_bars(root, THIN, DEEP))
    levels = max((bar.level for bar in bars), default=0)
    ax = style.canvas(ax, height=1.5 + 0.3 * (levels + 1))
    ax.spines["left"].set_visible(False)
    ax.set(yticks=[], xlim=(0, 100), ylim=(-0.1, levels + 1.1))
    style.axis_names(ax, "samples, %", "")
    if not root.samples:
        return style.empty(ax, title or "No sample was taken")
    room = style.columns(ax) * 1.55  # characters of small text in the width of the Axes
    for bar in bars:
        left, width = 100.0 * bar.left / root.samples, 100.0 * bar.samples / root.samples
        color = KINDS[bar.kind].color
        ax.add_patch(Rectangle((left, bar.level), width, 0.94, fc=color, ec=style.PAPER, lw=0.8))
        look: dict[str, Any] = {"fontsize": style.SMALL_PT - 1, "color": style.ink_on(color), "va": "center"}
        if text := _shorten(short(bar.name), int(width / 100 * room) - 1):
            ax.text(left + 0.4, bar.level + 0.45, text, clip_on=True, **look)
    kinds = {bar.kind for bar in bars}
    style.key(ax, [look for name, look in KINDS.items() if name in kinds and name != "other"])
    style.finding(ax, title or _finding(root))
    return ax


@dataclass(frozen=True)
class Flame:
    """A flame graph; a notebook shows it, alive where scripts run."""

    title: str
    bars: tuple[Bar, ...]

    @property
    def total(self) -> int:
        return self.bars[0].samples if self.bars else 0

    @property
    def text(self) -> str:
        """The picture as SVG."""
        levels, drawn = max((bar.level for bar in self.bars), default=0), []
        for bar in self.bars:
            left, width = WIDTH * bar.left / self.total, WIDTH * bar.samples / self.total
            top, color = (levels - bar.level + 1) * ROW, KINDS[bar.kind].color
            tooltip = escape(f"{bar.name}: {bar.samples:,} samples, {bar.samples / self.total:.1%}")
            place = f"x='{left:.1f}' y='{top}' width='{max(0.5, width - 0.8):.1f}' height='{ROW - 1}'"
            label = _shorten(_label(bar), int(width / LETTER) - 1)
            at = f"x='{left + 3:.1f}' y='{top + 14}' fill='{style.ink_on(color)}'"
            words = f"<text {at}>{escape(label)}</text>" if label else ""
            drawn.append(f"<g><title>{tooltip}</title><rect {place} fill='{color}'/>{words}</g>")
        head = f"<text x='0' y='16' font-weight='bold' font-size='16'>{escape(self.title)}</text>"
        look = f"style='max-width:{WIDTH}px;font:12px sans-serif;background:{style.PAPER}'"
        box = f"viewBox='0 0 {WIDTH} {(levels + 2) * ROW + 6}' width='100%'"
        return f"<svg xmlns='http://www.w3.org/2000/svg' {box} {look} role='img'>{head}{''.join(drawn)}</svg>"

    def __repr__(self) -> str:
        return f"<Flame graph: {_in_words(self)}>"

    def _repr_html_(self) -> str:
        kinds = {name: [look.label, look.color, style.ink_on(look.color)] for name, look in KINDS.items()}
        frames = [[bar.name, _label(bar), bar.samples, bar.left, bar.level, bar.kind, bar.caller] for bar in self.bars]
        data = {"title": self.title, "kinds": kinds, "frames": frames}
        return interactive.page("flame", data, _still(self), f"Flame graph: {_in_words(self)}")

    def save(self, path: str | Path) -> Path:
        """Write it as a page that any browser opens."""
        Path(path).write_text(f"<!doctype html><meta charset='utf-8'>{self.text}\n", "utf-8")
        return Path(path)


@picture("logs.collapsed or a Run", "frames", "count", kind="stacks")
def flame_svg(subject: Any, title: str = "") -> Flame:
    """Draw a flame graph that answers to mouse and keys."""
    root = tree(style.table(subject, "stacks"))
    bars = tuple(_bars(root, THIN_SVG, DEEP_SVG))
    finding = f"{root.samples:,} samples" if bars else "No sample was taken"
    if bars and isinstance(subject, Run):  # which it is, and how many of its samples have no Java stack
        options = [option for log in subject.request.log if log.kind == "async" for option in log.argument.split(",")]
        walker = [option for option in options if option.startswith("cstack=")]
        lost = 1 - collapsed.lost(subject.stacks).set_index("outcome")["share"].get("walked", 0.0)
        which = ", ".join([subject.name, subject.jdk.label, *subject.request.flags, *walker])
        finding = f"{which}: {lost:.0%} of {root.samples:,} samples have no Java stack"
    return Flame(title or finding, bars)


def tree(stacks: pd.DataFrame) -> Node:
    """The stacks, merged from the outermost frame on; the marks of async-profiler's option `ann` are dropped."""
    root = Node("all")
    for frames, count in zip(stacks["frames"], stacks["count"], strict=True):
        node = root
        node.samples += int(count)
        for frame in frames.split(";") if frames else []:
            name = collapsed.plain(frame)
            node = node.below.setdefault(name, Node(name))
            node.samples += int(count)
    return root


def _bars(root: Node, least: float, depth: int) -> Iterator[Bar]:
    """Every frame that is drawn, a caller before those that it called. A method that is compiled does not run."""
    pending, place = [(root, 0, 0, -1, False)] if root.samples else [], 0
    while pending:
        node, left, level, caller, compiled = pending.pop()
        if node.samples < least * root.samples or level > depth:
            continue
        yield Bar(node.name, node.samples, left, level, caller, "task" if compiled else _kind(node.name, level))
        for child in sorted(node.below.values(), key=lambda child: -child.samples):
            task = node.name.endswith(COMPILER) and _kind(child.name, level + 1) == "java"
            pending.append((child, left, level + 1, place, task))
            left += child.samples
        place += 1


def _kind(name: str, level: int) -> str:
    """The kind of a frame, a key of KINDS; "other" for the bottom."""
    return collapsed.kind(name) if level else "other"


def short(frame: str) -> str:
    """A frame in short: a Java frame is its class without package, and its method.

    >>> short("java/util/zip/CRC32.update"), short("Compile::Compile"), short("Main$$Lambda$14/0x0000000800c03000.run")
    ('CRC32.update', 'Compile::Compile', 'Main$$Lambda.run')
    """
    if collapsed.kind(frame) != "java":
        return frame
    hidden, _, method = frame.rpartition(".")
    owner = hidden.partition("$$Lambda")[0].rpartition("/")[2]
    return f"{owner}{'$$Lambda' if '$$Lambda' in hidden else ''}.{method}"


def _label(bar: Bar) -> str:
    """The text in the box: the frame's short name, and in the lowest box how many samples there are."""
    return short(bar.name) if bar.level else f"{bar.name}: {bar.samples:,} samples"


def _shorten(text: str, room: int) -> str:
    """The text if it fits, else its beginning if that is long enough to be understood, else ""."""
    if len(text) <= room:
        return text
    return f"{text[: room - 1]}…" if room >= 5 else ""


def _finding(root: Node) -> str:
    """The share of samples without a Java stack; if small, the most frequent top frame."""
    total = root.samples
    lost = sum(leaf.samples for leaf in root.below.values() if collapsed.kind(leaf.name) == "lost")
    if lost > total / 20:
        return f"{lost / total:.0%} of {total:,} samples have no Java stack"
    tops: Counter[str] = Counter()  # how often each frame was the innermost one
    pending = [root]
    while pending:
        node = pending.pop()
        tops[node.name] += node.samples - sum(child.samples for child in node.below.values())
        pending += reversed(node.below.values())
    top = max(tops, key=lambda name: tops[name])
    return f"{tops[top] / total:.0%} of {total:,} samples in {short(top)}"


def _still(flame: Flame) -> str:
    """A picture, and its widest frames as a table: both pass the sanitiser, which drops inline SVG."""
    source = f"data:image/svg+xml;base64,{b64encode(flame.text.encode()).decode()}"
    image = f"<img src='{source}' alt='{escape(_in_words(flame), quote=True)}' style='max-width:100%' width='{WIDTH}'>"
    rows = ""
    for bar, name in _widest(flame):
        cells = [escape(name), f"{bar.samples:,}", _share(bar, flame.total), escape(KINDS[bar.kind].label)]
        rows += "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"
    head = "<tr><th>frame</th><th>samples</th><th>share</th><th>kind</th></tr>"
    folded = f"<details><summary>The widest frames as a table</summary><table>{head}{rows}</table></details>"
    return image + (folded if rows else "")


def _share(bar: Bar, total: int) -> str:
    """The frame's part of all samples, with a decimal where it is small."""
    part = bar.samples / total
    return f"{part:.0%}" if part >= 0.1 else f"{part:.1%}"


def _widest(flame: Flame) -> Iterator[tuple[Bar, str]]:
    """The frames with the most samples and their short names, without callers that do little but call one frame.

    Where two share a name, each has its caller's: "copy in main".
    """
    called: dict[int, int] = {}
    for bar in flame.bars:
        called[bar.caller] = max(bar.samples, called.get(bar.caller, 0))
    telling = [bar for place, bar in enumerate(flame.bars) if place and called.get(place, 0) < PASSED_ON * bar.samples]
    bars = sorted(telling, key=lambda bar: -bar.samples)[:WIDEST]
    names = [bar.name for bar in bars]
    for bar in bars:
        caller = f" in {short(flame.bars[bar.caller].name)}" if bar.caller and names.count(bar.name) > 1 else ""
        yield bar, short(bar.name) + caller


def _in_words(flame: Flame) -> str:
    """The title and the three widest frames: "1,525 samples; VmTime.compile 41%, Compile::Optimize 31%"."""
    shares = [f"{name} {_share(bar, flame.total)}" for bar, name in islice(_widest(flame), 3)]
    return "; ".join([flame.title, *([", ".join(shares)] if shares else [])])
