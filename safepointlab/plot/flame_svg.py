"""Collapsed stacks (a frame or a run) -> a flame graph that answers: point at a frame, or walk it with the arrow keys.

    plot.flame_svg(run)                       in a notebook, and in its exported page
    plot.flame_svg(run).save("profile.html")  a page of its own

The same tree, kinds and colours as plot.flame. Where no script runs (an untrusted notebook, GitHub) it is a picture
with the table of its widest frames. Its own page needs no script: pointing at a frame shows its name and share.
"""

from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from safepointlab.logs import collapsed
from safepointlab.plot import interactive, style
from safepointlab.plot._picture import picture
from safepointlab.plot.flame import KINDS, Node, height, kind, short, tree
from safepointlab.run.run import Run

WIDTH, ROW, LETTER = 960, 20, 7.2  # pixels; a letter of 12 px is about 7 wide
WIDEST = 12  # rows of the table
COMPILER = "::compile_method"  # async-profiler (features=comptask) puts the method that it compiles above it
PASSED_ON = 0.9  # a caller of one frame with that share of its samples is no row of its own


@dataclass(frozen=True)
class Bar:
    """A frame as drawn: `left` and `samples` in samples, `level` in frames above the bottom, `caller` its place."""

    name: str
    samples: int
    left: int
    level: int
    caller: int
    compiled: bool = False  # it does not run: its caller compiles it

    @property
    def kind(self) -> str:
        return "task" if self.compiled else kind(self.name, self.level)


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
        levels = max((bar.level for bar in self.bars), default=0)
        drawn = "".join(_drawn(bar, levels, self.total) for bar in self.bars)
        words = f"<text x='0' y='16' font-weight='bold' font-size='16'>{escape(self.title)}</text>"
        look = f"style='max-width:{WIDTH}px;font:12px sans-serif;background:{style.PAPER}'"
        box = f"viewBox='0 0 {WIDTH} {(levels + 2) * ROW + 6}' width='100%'"
        return f"<svg xmlns='http://www.w3.org/2000/svg' {box} {look} role='img'>{words}{drawn}</svg>"

    def __repr__(self) -> str:
        return f"<Flame graph: {_in_words(self)}>"

    def _repr_html_(self) -> str:
        return interactive.page("flame", _data(self), _still(self), f"Flame graph: {_in_words(self)}")

    def save(self, path: str | Path) -> Path:
        """Write it as a page that any browser opens."""
        Path(path).write_text(f"<!doctype html><meta charset='utf-8'>{self.text}\n", "utf-8")
        return Path(path)


@picture("logs.collapsed or a Run", "frames", "count", kind="stacks")
def flame_svg(
    subject: Any,
    title: str = "",
    least: float = 0.005,
    depth: int = 40,
    threads: bool | Literal["alike"] = False,
) -> Flame:
    """Draw the flame graph; the arguments are those of plot.flame."""
    root = tree(style.table(subject, "stacks"), threads)
    levels = min(depth, height(root, least * root.samples)) if root.samples else 0
    bars = tuple(_bars(root, least, levels)) if root.samples else ()
    return Flame(title or (_finding(subject, root.samples) if bars else "No sample was taken"), bars)


def _finding(subject: Any, samples: int) -> str:
    """How many samples there are; of a run also which it is, and how many of its samples have no Java stack."""
    if not isinstance(subject, Run):
        return f"{samples:,} samples"
    asked = [log.argument.split(",") for log in subject.request.log if log.kind == "async"]
    walker = [option for options in asked for option in options if option.startswith("cstack=")]
    lost = 1 - collapsed.lost(subject.stacks).set_index("outcome")["share"].get("walked", 0.0)
    which = ", ".join([subject.name, subject.jdk.label, *subject.request.flags, *walker])
    return f"{which}: {lost:.0%} of {samples:,} samples have no Java stack"


def _bars(root: Node, least: float, levels: int) -> Iterator[Bar]:
    """Every frame that is drawn, a caller before those that it called."""
    pending, place = [(root, 0, 0, -1, False)], 0
    while pending:
        node, left, level, caller, compiled = pending.pop()
        if node.samples < least * root.samples or level > levels:
            continue
        yield Bar(node.name, node.samples, left, level, caller, compiled)
        for child in sorted(node.below.values(), key=lambda child: -child.samples):
            task = node.name.endswith(COMPILER) and kind(child.name, level + 1) == "java"
            pending.append((child, left, level + 1, place, task))
            left += child.samples
        place += 1


def _drawn(bar: Bar, levels: int, total: int) -> str:
    left, width, top = WIDTH * bar.left / total, WIDTH * bar.samples / total, (levels - bar.level + 1) * ROW
    color, room, name = KINDS[bar.kind].color, int(width / LETTER) - 1, _label(bar)
    label = name if len(name) <= room else f"{name[: room - 1]}…" if room > 4 else ""
    words = f"<text x='{left + 3:.1f}' y='{top + 14}' fill='{style.ink_on(color)}'>{escape(label)}</text>"
    tooltip = escape(f"{bar.name}: {bar.samples:,} samples, {bar.samples / total:.1%}")
    place = f"x='{left:.1f}' y='{top}' width='{max(0.5, width - 0.8):.1f}' height='{ROW - 1}'"
    return f"<g><title>{tooltip}</title><rect {place} fill='{color}'/>{words if label else ''}</g>"


def _label(bar: Bar) -> str:
    """What stands in the box: the frame's short name, and in the lowest box how many samples there are."""
    return short(bar.name) if bar.level else f"{bar.name}: {bar.samples:,} samples"


def _data(flame: Flame) -> dict[str, Any]:
    """What the script draws; a frame is [name, in short, samples, left, level, kind, place of its caller]."""
    kinds = {name: [look.label, look.color, style.ink_on(look.color)] for name, look in KINDS.items()}
    frames = [[bar.name, _label(bar), bar.samples, bar.left, bar.level, bar.kind, bar.caller] for bar in flame.bars]
    return {"title": flame.title, "kinds": kinds, "frames": frames}


def _still(flame: Flame) -> str:
    """A picture, and its widest frames as a table: both pass the sanitiser, which drops inline SVG."""
    source = f"data:image/svg+xml;base64,{b64encode(flame.text.encode()).decode()}"
    image = f"<img src='{source}' alt='{escape(_in_words(flame), quote=True)}' style='max-width:100%' width='{WIDTH}'>"
    rows = "".join(_row(bar, name, flame.total) for bar, name in named(flame))
    head = "<tr><th>frame</th><th>samples</th><th>share</th><th>kind</th></tr>"
    folded = f"<details><summary>The widest frames as a table</summary><table>{head}{rows}</table></details>"
    return image + (folded if rows else "")


def _row(bar: Bar, name: str, total: int) -> str:
    cells = [escape(name), f"{bar.samples:,}", _share(bar, total), escape(KINDS[bar.kind].label)]
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"


def _share(bar: Bar, total: int) -> str:
    """The frame's part of all samples, with a decimal where it is small."""
    part = bar.samples / total
    return f"{part:.0%}" if part >= 0.1 else f"{part:.1%}"


def widest(flame: Flame) -> list[Bar]:
    """The frames with the most samples, the widest first, without callers that do little but call one frame."""
    called = dict[int, int]()
    for bar in flame.bars:
        called[bar.caller] = max(bar.samples, called.get(bar.caller, 0))
    telling = [bar for place, bar in enumerate(flame.bars) if place and called.get(place, 0) < PASSED_ON * bar.samples]
    return sorted(telling, key=lambda bar: -bar.samples)[:WIDEST]


def named(flame: Flame) -> Iterator[tuple[Bar, str]]:
    """The widest frames with their short names; where two share a name, each with its caller's: "copy in main"."""
    bars = widest(flame)
    names = [bar.name for bar in bars]
    for bar in bars:
        caller = f" in {short(flame.bars[bar.caller].name)}" if bar.caller and names.count(bar.name) > 1 else ""
        yield bar, short(bar.name) + caller


def _in_words(flame: Flame) -> str:
    """The title and the three widest frames: "1,525 samples; VmTime.compile 41%, Compile::Optimize 31%"."""
    shares = [f"{name} {_share(bar, flame.total)}" for bar, name in islice(named(flame), 3)]
    return "; ".join([flame.title, *([", ".join(shares)] if shares else [])])
