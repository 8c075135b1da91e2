"""Parts and what was left out -> one HTML page: the finding as its title, then each log's pictures and tables.

Pictures are data of the page itself, with words for who cannot see them. The page's own policy forbids every request
and every script, so a log that somebody else wrote can do nothing there.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path

from safepointlab.culprit.log_report import summary
from safepointlab.culprit.log_report.parts import LeftOut, Part
from safepointlab.culprit.log_report.pauses import Table
from safepointlab.culprit.log_report.summary import Picture

GENERATOR = '<meta name="generator" content="safepoint report'
POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
KINDS = {
    "safepoint": "stops",
    "gc": "collections",
    "compilation": "compilations",
    "hdr": "latencies",
    "jfr": "recording",
}
FIRST = ("safepoint", "gc")  # their finding is the page's; else it is that of the first log


@dataclass(frozen=True)
class Origin:
    """What made the page: the command as it was typed, the lab's version, and when."""

    command: str
    version: str
    when: str


class _Section:
    """One part with its tables and pictures, which are made once."""

    def __init__(self, part: Part, number: int) -> None:
        self.part, self.id = part, f"log-{number}"
        self.subject = f"{KINDS.get(part.kind, part.kind)} in {part.name}"

    @cached_property
    def tables(self) -> list[Table]:
        return summary.tables(self.part)

    @cached_property
    def pictures(self) -> list[Picture]:
        return summary.pictures(self.part)

    @property
    def finding(self) -> str:
        """The title of the first picture; without one, how much there is."""
        return self.pictures[0].finding if self.pictures else self.part.counts

    def html(self) -> str:
        notes = "".join(f'<p class="note">{escape(note)}</p>' for note in self.part.notes)
        head = f'<p class="subject">{escape(self.subject)}</p><h2>{escape(self.finding)}</h2>'
        images = "".join(_image(picture, place) for place, picture in enumerate(self.pictures))
        sums = "".join(_table(table) for table in self.tables)
        return f'<section id="{self.id}">{head}{notes}{images}{sums}<p class="small">{self._read()}</p></section>'

    def _read(self) -> str:
        also = f"safepoint parse {self.part.kind} {self.part.name}"
        table = (
            ""
            if self.part.name == "standard input" or self.part.kind == "jfr"
            else f" All rows: <code>{escape(also)}</code>"
        )
        return f"Read as {escape(self.part.kind)}: {escape(self.part.counts)}.{table}"


def page(parts: Sequence[Part], left_out: Sequence[LeftOut], origin: Origin) -> str:
    """The whole page as text."""
    sections = [_Section(part, number) for number, part in enumerate(parts, 1)]
    first = _gravest(sections)
    names = ", ".join(dict.fromkeys(part.name for part in parts))
    head = f'<p class="subject">Safepoint report of {escape(names)}</p><h1>{escape(first.finding)}</h1>'
    body = "".join(section.html() for section in sections)
    main = f"{_contents(sections)}{_left_out(left_out)}{body}"
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n{GENERATOR} {escape(origin.version)}">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(first.finding)} · {escape(names)}</title>\n<style>{_look()}</style></head>\n"
        f"<body><header>{head}</header>\n<main>{main}</main>\n<footer>{_made(origin)}</footer></body></html>\n"
    )


def _gravest(sections: Sequence[_Section]) -> _Section:
    """The section whose finding is the page's: the log with the longest stop, else that with the longest pause."""
    for kind in FIRST:
        own = [section for section in sections if section.part.kind == kind]
        if own:
            return max(own, key=lambda section: summary.longest_ms(section.part))
    return sections[0]


def _look() -> str:
    return (Path(__file__).parent / "look.css").read_text("utf-8")


def _contents(sections: Sequence[_Section]) -> str:
    if len(sections) < 2:
        return ""
    items = "".join(
        f'<li><a href="#{one.id}">{escape(one.subject)}</a>: {escape(one.finding)}</li>' for one in sections
    )
    return f'<nav aria-label="Logs"><ol>{items}</ol></nav>'


def _left_out(left_out: Sequence[LeftOut]) -> str:
    if not left_out:
        return ""
    items = "".join(f"<li><strong>{escape(each.name)}</strong>: {escape(each.reason)}</li>" for each in left_out)
    return f'<section class="note"><h2>Left out</h2><ul>{items}</ul></section>'


def _image(picture: Picture, place: int) -> str:
    """The first picture's finding is the heading above it; the others' is a caption, as a phone shows them small."""
    caption = f"<figcaption>{escape(picture.finding)}</figcaption>" if place else ""
    image = f'<img src="data:image/png;base64,{picture.png}" alt="{escape(picture.words)}">'
    return f'<figure><div class="wide" {_scrolled("Picture")}>{image}</div>{caption}</figure>'


def _scrolled(name: str) -> str:
    """What can be scrolled sideways can be reached by keyboard, and has a name."""
    return f'tabindex="0" role="group" aria-label="{escape(name)}"'


def _table(table: Table) -> str:
    head = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in table.head)
    rows = "".join(_row(row) for row in table.rows)
    return (
        f'<div class="wide" {_scrolled(table.caption)}><table><caption>{escape(table.caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _row(row: Sequence[str]) -> str:
    cells = "".join(f"<td>{escape(cell)}</td>" for cell in row[1:])
    return f'<tr><th scope="row">{escape(row[0])}</th>{cells}</tr>'


def _made(origin: Origin) -> str:
    made = f"Made by <code>{escape(origin.command)}</code>, version {escape(origin.version)} of the lab, {origin.when}."
    return f"<p>{made} A duration that a log does not hold is called not logged; it is never counted as 0.</p>"
