"""Parts and what was left out -> one HTML page: the finding as its title, then each log's pictures and tables.

What `safepoint late` found, where it left the logs, comes before them.

Pictures are those of `plot`, as data of the page itself, with words for readers who can't see them. The page's own
policy forbids every request and every script, so a log that somebody else wrote can do nothing there.
"""

import base64
import io
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from safepointlab import plot
from safepointlab.culprit.cause import PROBABLY
from safepointlab.culprit.log_report import recorded
from safepointlab.culprit.log_report.parts import LeftOut, Part
from safepointlab.culprit.log_report.tables import Table, pauses_of_all_threads, samples, stops_of_all_threads, tables
from safepointlab.culprit.report import Late
from safepointlab.html import inline
from safepointlab.logs.lines import rolled
from safepointlab.phrases import counted, listed
from safepointlab.plot import _alternative, style

GENERATOR = '<meta name="generator" content="safepoint report'
POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
SUBJECTS = {"safepoint": "stops", "gc": "collections", "compilation": "compilations"}
SUBJECTS |= {"hdr": "latencies", "jfr": "recording"}
SAMPLED = ("jfr", "stacks")
INCHES = (9.0, 4.4)
CONCURRENT = ("ZGC", "Shenandoah")  # the program fills the heap while they collect: what they freed is no difference
GENERATIONS = ("young", "mixed", "full")  # other kinds are phases of a concurrent cycle
BARS = 500  # of the heap's picture, as a bar for each of very many collections would take minutes
ENOUGH = 20  # values, from which on a line of percentiles shows more than the table does
UNSAID = "The compilations of the late methods are in the table above. All of them:"
Draw = Callable[[Axes], Any]


@dataclass(frozen=True)
class Origin:
    """What made the page: the command as it was typed, the lab's version, and when."""

    command: str
    version: str
    when: str


@dataclass(frozen=True)
class Picture:
    """A picture as PNG, the finding that is its title, and the whole of it in words."""

    png: str  # in base64
    finding: str
    words: str


class Section:
    """One part with its pictures, which are made once; it's named without the folder, where all parts are in one."""

    def __init__(self, part: Part, number: int, folder: str = "") -> None:
        self.part, self.id = part, f"log-{number}"
        self.subject = f"{SUBJECTS.get(part.kind, part.kind)} in {part.name.removeprefix(folder)}"

    @cached_property
    def pictures(self) -> list[Picture]:
        """The pictures of the part, the most telling first; a kind without one has none."""
        return [_picture(draw) for draw in _drawings(self.part)]

    @cached_property
    def finding(self) -> str:
        """What the part itself says of it, such as a full code cache; else the first picture's title, or its counts."""
        part = self.part
        said = part.code_cache_full or part.made_again or part.recorded_stops or part.unlogged or part.unended
        if said:
            return said
        few = part.kind in SAMPLED and _samples_of(part)["count"].sum() < recorded.TELLING
        return self.pictures[0].finding if self.pictures and not few else part.counts

    @property
    def tells_stops(self) -> bool:
        """Whether it has stops of all threads, or the operations in them."""
        return (
            self.part.kind == "safepoint" or self.part.kind == "jfr" and len(recorded.operations(self.part.frame)) > 0
        )

    @property
    def longest_ms(self) -> float:
        """The longest stop, operation or pause of the log; without end if a safepoint was never reached."""
        frame = self.part.frame
        if frame.attrs.get("begun_s") is not None:
            return float("inf")
        if self.part.kind == "safepoint":
            stops = stops_of_all_threads(frame)
            longest = pd.concat([style.numbers(stops, name) for name in ("total_ms", "ttsp_ms")]).max()
        elif self.part.kind == "jfr":
            longest = recorded.operations(frame)["duration_ms"].max()
        else:
            longest = style.numbers(pauses_of_all_threads(frame), "pause_ms").max()
        return 0.0 if pd.isna(longest) else float(longest)

    def html(self) -> str:
        """The finding as heading, then notes, pictures and tables, and how the log was read."""
        part = self.part
        notes = "".join(f'<p class="note">{inline(note)}</p>' for note in part.notes)
        head = f'<p class="subject">{escape(self.subject)}</p><h2>{escape(self.finding)}</h2>'
        images = "".join(_image(picture, self.finding) for picture in self.pictures)
        sums = "".join(_table(table) for table in tables(part.kind, part.frame))
        read = f"Read as {escape(part.kind)}: {escape(part.counts)}."
        if "standard input" not in part.files and part.frame.attrs.get("rows") and part.kind != "jfr":
            read += f" All rows: <code>{escape(_parsed(part))}</code>"
        return f'<section id="{self.id}">{head}{notes}{images}{sums}<p class="small">{read}</p></section>'


def page(parts: Sequence[Part], left_out: Sequence[LeftOut], origin: Origin, lates: Sequence[Late] = ()) -> str:
    ordered = sorted(parts, key=lambda part: part.kind != "safepoint") if lates else parts  # the stops are its subject
    unsaid = [part for part in ordered if lates and _tells_no_stop(part)]
    told = [part for part in ordered if not (lates and _tells_no_stop(part))]
    folder = f"{lates[0].folder}/" if lates else ""
    if not parts or not all(part.name.startswith(folder) for part in parts):  # they come from several
        folder = ""
    sections = [Section(part, number, folder) for number, part in enumerate(told, 1)]
    finding = lates[0].verdict if lates else _gravest(sections).finding
    names = folder or ", ".join(dict.fromkeys(part.name for part in parts)) or lates[0].command
    head = f'<p class="subject">Safepoint report of {escape(names)}</p><h1>{escape(finding)}</h1>'
    main = ""
    if len(sections) > 1:
        links = (f'<a href="#{one.id}">{escape(one.subject)}</a>: {escape(one.finding)}' for one in sections)
        main += f'<nav aria-label="Logs"><ol>{_items(links)}</ol></nav>'
    reasons = [(each.name, escape(each.reason)) for each in left_out]
    reasons += [(part.name, f"{escape(UNSAID)} <code>{escape(_parsed(part))}</code>") for part in unsaid]
    rows = (f"<strong>{escape(name.removeprefix(folder))}</strong>: {reason}" for name, reason in reasons)
    rest = f'<section class="note"><h2>Left out</h2><ul>{_items(rows)}</ul></section>' if reasons else ""
    found = [_found_by_late(late, late.verdict if late is not lates[0] else "") for late in lates]
    of_logs = [section.html() for section in sections]
    main += "".join([*found, *of_logs, rest] if lates else [rest, *of_logs])  # late's witnesses tell what is missing
    made = f"Made by <code>{escape(origin.command)}</code>, version {escape(origin.version)} of the lab, {origin.when}."
    look = (Path(__file__).parent / "look.css").read_text("utf-8")
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n{GENERATOR} {escape(origin.version)}">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(finding)} · {escape(names)}</title>\n<style>{look}</style></head>\n"
        f"<body><header>{head}</header>\n<main>{main}</main>\n<footer><p>{made} A duration that a log does not hold "
        "is called not logged; it is never counted as 0.</p></footer></body></html>\n"
    )


def how_sure(late: Late) -> str:
    """By whom thread, line and cause of the worst stop are known, in sentences; "" if no witness saw the thread."""
    if not len(late.stops) or not len(late.culprits):
        return ""
    worst, place = late.stops.iloc[0], late.culprits.iloc[0]
    if pd.isna(worst["thread"]) or worst["thread"] != place["thread"]:
        return ""
    named = listed(str(worst["witnesses"]).split(", "))
    stacks = counted(int(place["samples"]), "stack")
    said = f"How sure that is: {named} named the thread. Where it was is from {stacks}, told by {place['witnesses']}."
    if place["cause"] in ("counted loop", PROBABLY):
        said += " The cause is inferred from the loops in the class file, and not from the machine code."
    if not worst["over"]:
        said += f" When the thread would have come isn't known: `late` waited for {style.ms(worst['waited_ms'])}."
    return said


def _tells_no_stop(part: Part) -> bool:
    """Whether it has compilations and nothing else to say: `late` tells those of the late methods."""
    return part.kind == "compilation" and not (part.code_cache_full or part.made_again)


def _parsed(part: Part) -> str:
    """The command that prints all rows of the part."""
    first, several = Path(part.files[0]), len(part.files) > 1
    files = shlex.quote(str(first.with_name(rolled.log_name(first)) if several else first)) + "*" * several
    return f"safepoint parse {part.kind} {files}"


def _found_by_late(late: Late, heading: str) -> str:
    """The verdict, if it is not the page's, what `late` says below it, and what cannot be known."""
    head = f'<p class="subject">safepoint late: {escape(late.command)}<br>{escape(late.facts)}</p>'
    head += f"<h2>{escape(heading)}</h2>" if heading else ""
    named = {
        "The worst stops": late.worst,
        "Who was late, and where": late.places,
        "What was seen of the late threads": late.seen,
    }
    threads = "".join(_table(Table(name, rows[0], rows[1:])) for name, rows in named.items() if rows)
    threads += f'<p class="note">{inline(sure)}</p>' if (sure := how_sure(late)) else ""
    about = dict(zip(late.witnesses["witness"], late.witnesses["about"], strict=True))
    told: list[tuple[str, ...]] = [(name, about[name], said) for name, said in late.said]
    witnesses = _table(Table("Witnesses", ("witness", "what it is", "what it says"), told)) if told else ""
    steps = (f"{escape(why)}<ul>{_items(map(escape, steps))}</ul>" for why, steps in late.advice.items())
    advice = f"<h3>What to do</h3><ul>{_items(steps)}</ul>" if late.advice else ""
    threads += "".join(f'<p class="note">{inline(each)}</p>' for each in late.examined)
    notes = "".join(f'<p class="note">{inline(note)}</p>' for note in late.notes)
    return f"<section>{head}{threads}{advice}{notes}{witnesses}</section>"


def _gravest(sections: Sequence[Section]) -> Section:
    """The section whose finding is the page's.

    A safepoint that is never reached, else a full code cache, else the longest stop, else the longest pause; the first
    where no log tells any of these.
    """
    hung = [section for section in sections if section.part.frame.attrs.get("begun_s") is not None]
    full = [section for section in sections if section.part.code_cache_full]
    if hung or full:
        return [*hung, *full][0]
    of_stops = [section for section in sections if section.tells_stops]
    of_pauses = [section for section in sections if section.part.kind == "gc"]
    return max(of_stops or of_pauses, key=lambda section: section.longest_ms, default=sections[0])


def _items(lines: Any) -> str:
    return "".join(f"<li>{line}</li>" for line in lines)


def _image(picture: Picture, heading: str) -> str:
    """A finding that isn't the heading above the picture is its caption, as a phone shows it small."""
    caption = f"<figcaption>{escape(picture.finding)}</figcaption>" if picture.finding != heading else ""
    image = f'<img src="data:image/png;base64,{picture.png}" alt="{escape(picture.words)}">'
    return f'<figure><div class="wide" {_scrolled("Picture")}>{image}</div>{caption}</figure>'


def _scrolled(name: str) -> str:
    """What can be scrolled sideways can be reached by keyboard, and has a name."""
    return f'tabindex="0" role="group" aria-label="{escape(name)}"'


def _table(table: Table) -> str:
    head = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in table.head)
    rows = ""
    for first, *others in table.rows:
        cells = "".join(f"<td>{escape(cell)}</td>" for cell in others)
        rows += f'<tr><th scope="row">{escape(first)}</th>{cells}</tr>'
    return (
        f'<div class="wide" {_scrolled(table.caption)}><table><caption>{escape(table.caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _drawings(part: Part) -> list[Draw]:
    """The functions that draw a log of this kind; where collections let the program run, there's no picture of heap."""
    frame = part.frame
    if part.kind == "safepoint":
        if part.unlogged:
            return []
        stops = stops_of_all_threads(frame)
        phases = {"to safepoint": style.numbers(stops, "ttsp_ms"), "whole stop": style.numbers(stops, "total_ms")}
        title = _open_end(stops)
        return [lambda ax: plot.safepoints(frame, ax=ax, title=title), *_percentile_lines(phases)]
    if part.kind == "gc":
        pauses = pauses_of_all_threads(frame)
        sized = frame["before_mib"].notna() & frame["after_mib"].notna()
        whole = frame[frame["kind"].isin(GENERATIONS) & ~frame["collector"].isin(CONCURRENT) & sized]
        drawings: list[Draw] = [lambda ax: _draw_heap(ax, whole)] if len(whole) else []
        drawings += [lambda ax: _draw_pauses(ax, pauses)] if len(pauses) else []
        return [*drawings, *_percentile_lines({"pause": style.numbers(pauses, "pause_ms")})]
    if part.kind == "hdr":
        return [lambda ax: plot.hdr_percentiles(frame, ax=ax), lambda ax: plot.latency(frame, ax=ax)]
    if part.kind in SAMPLED:
        taken = _samples_of(part)
        return [lambda ax: plot.flame(taken, ax=ax)] if len(taken) else []
    return [lambda ax: plot.compilations(frame, ax=ax)] if part.kind == "compilation" and len(frame) else []


def _open_end(stops: pd.DataFrame) -> str | None:
    """That the longest stop may have been longer, of which only its wait is known; None if its length is known."""
    waits, lengths = style.numbers(stops, "ttsp_ms"), style.numbers(stops, "total_ms")
    if stops.empty or stops.attrs.get("begun_s") is not None:
        return None
    open_ms = waits[lengths.isna()].max()
    if pd.isna(open_ms) or open_ms <= lengths.max():
        return None
    which = f"The longest of {len(stops):,} safepoints" if len(stops) > 1 else "The only safepoint"
    return f"{which} waited {style.ms(open_ms)} for its threads,\nand took at least that long"


def _samples_of(part: Part) -> pd.DataFrame:
    """The samples of a recording or of collapsed stacks: frames, count, thread."""
    return samples(part.frame) if part.kind == "jfr" else part.frame


def _percentile_lines(columns: "dict[str, pd.Series[float]]") -> list[Draw]:
    known = {name: values[values > 0] for name, values in columns.items()}
    many = {name: values for name, values in known.items() if len(values) >= ENOUGH}
    return [lambda ax: plot.percentiles(many, ax=ax)] if many else []


def _draw_heap(ax: Axes, whole: pd.DataFrame) -> Axes:
    """What each collection kept and freed; of very many the last."""
    drawn: Axes = plot.promotion(whole.tail(BARS), ax=ax)
    if len(whole) > BARS:
        title = drawn.get_title(loc="left").replace("\n", " ")
        style.finding(drawn, f"Of the last {BARS:,} of {len(whole):,}: {title}")
    return drawn


def _draw_pauses(ax: Axes, pauses: pd.DataFrame) -> Axes:
    worst = pauses.iloc[int(pauses["pause_ms"].to_numpy().argmax())]
    longest = f"at most {style.ms(float(worst['pause_ms']))} ({worst['kind']})"
    times = f"{len(pauses):,} times, for {longest}" if len(pauses) > 1 else f"once, for {longest}"
    end_s, length_s = pauses["uptime_s"], pauses["pause_ms"] / 1000
    begin_s = end_s.where(pauses["gc_id"].isna(), end_s - length_s)  # 8, which has no number, logs the begin
    named = {"pauses": pauses[["uptime_s", "nanotime_ns", "time", "pause_ms"]].assign(begin_s=begin_s)}
    drawn: Axes = plot.timeline(named, ax=ax, title=f"The collector paused the program {times}")
    return drawn


def _picture(draw: Draw) -> Picture:
    """Drawn without pyplot, so that no window opens and no figure stays in memory."""
    figure = Figure(figsize=INCHES, dpi=style.DPI, facecolor=style.PAPER, layout="constrained")
    drawn = draw(figure.subplots())
    file = io.BytesIO()
    figure.savefig(file, format="png", bbox_inches="tight")  # where labels are long, a title is wider than its axes
    ax = drawn if isinstance(drawn, Axes) else figure.axes[0]
    finding = " ".join((ax.get_title(loc="left") or ax.get_title()).split())
    return Picture(base64.b64encode(file.getvalue()).decode(), finding, _alternative.of(figure))
