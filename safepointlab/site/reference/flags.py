"""The flags of the course and docs/flags.json -> the index of flags: which JDKs know each, its default, who uses it.

`make flags` writes docs/flags.json on a machine with JDKs (scripts/flags_facts.py); the book is built without any.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any

from safepointlab.errors import BadInput
from safepointlab.jdks.flag_history import HISTORY
from safepointlab.process import home
from safepointlab.site.reference import filters, flags_used, markup
from safepointlab.site.reference.course import Page
from safepointlab.site.reference.flags_used import Use
from safepointlab.site.reference.verdicts import span

KIND = "safepointlab flags"
UNKNOWN, IGNORED, NOT_RECORDED = "✗ unknown", "ignored with a warning", "? not recorded"
SWITCHED = {"true": "on", "false": "off"}
HEAD = """# Index of flags

Every flag of the JVM that a notebook, an experiment behind it or a sample uses. A cell says the flag's default on
that JDK. *✗ unknown* means that this JDK does not start with the flag. A flag that is *diagnostic* or *experimental*
has to be unlocked, which the lab does by itself. Below a flag's name stands what became of it, and what replaced it.

"""
DAMAGED = "{} is damaged ({}). Write it anew, on a machine with the lab's JDKs: make flags"


@dataclass(frozen=True)
class Facts:
    """What was recorded: the builds by feature number, the machine, and of each flag what each JDK says."""

    jdks: Mapping[int, str]
    about: Mapping[str, Any]
    flags: Mapping[str, Mapping[str, Any]]


def write(folder: Path, project: Path, pages: Mapping[str, Page]) -> None:
    """Write the page."""
    facts = read(project / "docs" / "flags.json")
    markup.save(folder, "flags.md", page(flags_used.collect(project, pages), facts, pages))


def exists(name: str, facts: Facts) -> bool:
    """Whether it is a flag at all: a name that every JDK refuses, and that no post ever knew, stands for any flag."""
    return name in HISTORY or name not in facts.flags or any(said is not None for said in facts.flags[name].values())


def read(file: Path) -> Facts:
    """What `make flags` has recorded; nothing if there is no file.

    Raises:
        BadInput: the file holds something else.
    """
    if not file.exists():
        return Facts({}, {}, {})
    try:
        made = json.loads(file.read_text("utf-8"))
        if made["kind"] != KIND:
            raise ValueError("another kind of file")
        return Facts({int(jdk): build for jdk, build in made["jdks"].items()}, made, made["flags"])
    except (ValueError, KeyError, TypeError, AttributeError) as cause:
        raise BadInput(DAMAGED.format(home.shown(file), cause)) from cause


def page(used: Mapping[str, Use], facts: Facts, pages: Mapping[str, Page]) -> str:
    """The page in MyST Markdown."""
    choices = {"page": {name: f"{name[:2]} {page.title}" for name, page in pages.items()}}
    table = markup.wide(_table(used, facts, pages), "All flags of the course")
    form = filters.form("flags", choices, "flags")
    return HEAD + _about(facts) + markup.raw(form + table)


def _about(facts: Facts) -> str:
    if not facts.jdks:
        return "No JDK was asked yet: `make flags` does it.\n\n"
    builds = "; ".join(markup.plain(build) for build in facts.jdks.values())
    machine = facts.about.get("machine", {})
    where = f"{machine.get('cores', '?')} cores, {machine.get('system', 'unknown system')}"
    when = str(facts.about.get("made", ""))[:10]
    return f"Asked {when} on {markup.plain(where)}; some defaults depend on the machine. The JDKs: {builds}.\n\n"


def _table(used: Mapping[str, Use], facts: Facts, pages: Mapping[str, Page]) -> str:
    jdks = "".join(f'<th scope="col">JDK {jdk}</th>' for jdk in facts.jdks)
    head = f'<th scope="col">flag</th>{jdks}<th scope="col">used by</th>'
    rows = "\n".join(row(name, use, facts, pages) for name, use in used.items() if exists(name, facts))
    return f'<table class="table sl-flags" id="flags"><thead><tr>{head}</tr></thead>\n<tbody>{rows}</tbody></table>'


def row(name: str, use: Use, facts: Facts, pages: Mapping[str, Page]) -> str:
    """One flag in HTML, with its name as the anchor."""
    data = f'id="{escape(name.strip("-"))}" data-page="{" ".join(use.pages)}"'
    shown = " ".join(pages[page].anchor("../") for page in pages if page in use.pages)
    fate = f"<br><small>{markup.html(_sentence(HISTORY[name]))}</small>" if name in HISTORY else ""
    title = f'<th scope="row"><code>{escape(spelling(name, facts))}</code>{_kind(name, facts)}{fate}</th>'
    return f"<tr {data}>{title}{_cells(name, facts)}<td>{shown}{_samples(use)}</td></tr>"


def _samples(use: Use) -> str:
    """A fold with the samples' links."""
    links = "<br>".join(f'<a href="samples/{sample}.html">{escape(sample)}</a>' for sample in use.samples)
    count = f"{len(use.samples)} sample{'s' * (len(use.samples) > 1)}"
    return f"<details><summary>{count}</summary>{links}</details>" if links else ""


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}." if text else ""


def spelling(name: str, facts: Facts) -> str:
    """The flag as it is typed: a switch with +, another with =; "-Xint" as it is."""
    if name.startswith("-"):
        return name
    types = {about["type"] for _, about in _known(name, facts)}
    return f"-XX:+{name}" if types == {"bool"} else f"-XX:{name}=" if types else f"-XX:{name}"


def _known(name: str, facts: Facts) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for jdk, about in facts.flags.get(name, {}).items():
        if isinstance(about, Mapping) and "type" in about:
            yield jdk, about


def _kind(name: str, facts: Facts) -> str:
    """ "diagnostic", "product on 8, diagnostic on 11": what is not simply a product flag."""
    kinds = groupby(_known(name, facts), key=lambda entry: str(entry[1]["kind"]))
    spans = [(kind, [jdk for jdk, _ in members]) for kind, members in kinds]
    if {kind for kind, _ in spans} <= {"product"}:
        return ""
    parts = [f"{kind} on {span(jdks)}" for kind, jdks in spans] if len(spans) > 1 else [spans[0][0]]
    return f"<br><small>{', '.join(parts)}</small>"


def _cells(name: str, facts: Facts) -> str:
    """A cell for each default that neighbouring JDKs share."""
    groups = groupby(facts.jdks, key=lambda jdk: said(name, jdk, facts))
    return "".join(_cell(text, [str(jdk) for jdk in jdks]) for text, jdks in groups)


def _cell(text: str, jdks: list[str]) -> str:
    columns = f' colspan="{len(jdks)}"' if len(jdks) > 1 else ""
    look = "" if len(jdks) > 1 else ' class="sl-jdk"'  # the column says it, but where a phone has none
    where = f" <small{look}>({span(jdks)})</small>"
    return f"<td{columns}>{escape(text)}{where}</td>"


def said(name: str, jdk: int, facts: Facts) -> str:
    """The flag's default on a JDK, or what this JDK does with the flag."""
    by_jdk = facts.flags.get(name)
    if by_jdk is None or str(jdk) not in by_jdk:
        return NOT_RECORDED
    about = by_jdk[str(jdk)]
    if about is None:
        return UNKNOWN
    if about.get("ignored"):
        return IGNORED
    return _default(about) if "type" in about else "✓ known"


def _default(about: Mapping[str, Any]) -> str:
    default = str(about["default"])
    return SWITCHED.get(default, default) if about["type"] == "bool" else default or "empty"
