"""Notebooks, lessons, samples, docs/flags.json -> the index of flags: which JDKs know each, its default, who uses it.

"-XX:+UseSerialGC", gc="Serial"  ->  UseSerialGC          "-Xmx64m"  ->  -Xmx

`make flags` writes docs/flags.json on a machine with JDKs (scripts/flags_facts.py); the book is built without any.
"""

import ast
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any

from safepointlab.errors import BadInput
from safepointlab.jdks.flag_history import HISTORY
from safepointlab.jdks.flags import COLLECTORS
from safepointlab.phrases import counted
from safepointlab.process import home
from safepointlab.run import benchmarks, build, head
from safepointlab.run.head import Head
from safepointlab.site import markup
from safepointlab.site.reference import course
from safepointlab.site.reference.course import Page
from safepointlab.site.reference.verdicts import span

XX = re.compile(r"-XX:[+-]?([A-Za-z]\w+)")
PLAIN = re.compile(r"(?<![\w-])-X(int|comp|mixed|batch|log|loggc|mx|ms|mn|ss|rs|noclassgc|share|check:jni)(?![a-z])")
COLLECTOR = re.compile(r"""\bgc=(\[[^\]]*\]|\([^)]*\)|["']\w+["'])""")
KIND = "safepointlab flags"
UNKNOWN, IGNORED, NOT_RECORDED = "✗ unknown", "ignored with a warning", "? not recorded"
SWITCHED = {"true": "on", "false": "off"}
HEAD = """# Index of flags

Every flag of the JVM that a notebook, an experiment behind it or a sample uses. A cell says the flag's default on
that JDK. *✗ unknown* means that this JDK does not start with the flag. A flag that is *diagnostic* or *experimental*
has to be unlocked, which the lab does by itself. Below a flag's name stands what became of it, and what replaced it.
What else differs on a JDK after 25 is in [a table of its own](../docs/changes.md).

"""


@dataclass
class Use:
    """Where one flag is used: notebooks by name, samples as "hang/KillerTask"."""

    pages: dict[str, None] = field(default_factory=dict)
    samples: dict[str, None] = field(default_factory=dict)


@dataclass(frozen=True)
class Facts:
    """What was recorded: the builds by feature number, the machine, and of each flag what each JDK says."""

    jdks: Mapping[int, str]
    about: Mapping[str, Any]
    flags: Mapping[str, Mapping[str, Any]]


def write(folder: Path, project: Path, pages: Mapping[str, Page]) -> None:
    markup.save(folder, "flags.md", page(collect(project, pages), read(project / "docs" / "flags.json"), pages))


def flag_names(text: str) -> list[str]:
    """The flags in a text, each once: -XX flags by their bare name, others with their -X.

    >>> flag_names('lab.java("hang/X", gc="Serial", flags="-XX:LoopStripMiningIter=0 -Xmx64m -Xlog:safepoint*")')
    ['LoopStripMiningIter', '-Xmx', '-Xlog', 'UseSerialGC']
    """
    gcs = re.findall(r"\w+", " ".join(COLLECTOR.findall(text)))
    chosen = (flag for name in gcs for flag in COLLECTORS.get(name, []))
    plain = (f"-X{name}" for name in PLAIN.findall(text))
    return list(dict.fromkeys([*XX.findall(text), *plain, *(found for flag in chosen for found in XX.findall(flag))]))


def collect(project: Path, pages: Mapping[str, Page]) -> dict[str, Use]:
    heads = [head.read(source) for source in (*build.sample_files(), *benchmarks.sources())]
    return uses(pages, lesson_texts(project / "safepointlab" / "course"), heads)


def uses(pages: Mapping[str, Page], topics: Mapping[str, str], heads: Iterable[Head]) -> dict[str, Use]:
    """The flags with their uses.

    Args:
        topics: a topic's name -> the text of its experiments; its flags are used by the notebooks of that topic.
        heads: of the samples; the flags of a RUN line are used by the sample, and by the notebook of the sample.
    """
    found: dict[str, Use] = {}
    for page in pages.values():
        for name in flag_names(f"{page.code}\n{topics.get(page.topic, '')}"):
            found.setdefault(name, Use()).pages[page.name] = None
    for one in heads:
        notebook = " ".join(one.parts.get("NOTEBOOK", ())).partition("(")[0]  # without what else its line mentions
        for name in flag_names("\n".join(one.parts.get("RUN", ()))):
            use = found.setdefault(name, Use())
            use.samples[one.name] = None
            use.pages |= dict.fromkeys(page.name for page in course.named_in(notebook, pages))
    return dict(sorted(found.items(), key=lambda entry: entry[0].lower().lstrip("-")))


def lesson_texts(folder: Path) -> dict[str, str]:
    """The strings in the lessons' code and quizzes, by the lesson's word; no page runs its claims.

    Docstrings are left out; the choice of a collector (gc=...) is there as it is written.
    """
    texts: dict[str, list[str]] = {}
    for file in (*sorted(folder.glob("nb*/*.py")), *sorted(folder.glob("nb*/quiz.toml"))):
        if file.suffix == ".py" and file.stem.startswith(("claims", "demo")):
            continue
        found = texts.setdefault(file.parent.name.partition("_")[2], [])
        text = file.read_text("utf-8")
        if file.suffix == ".toml":
            found.append(text)
            continue
        tree = ast.parse(text)
        docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
                found.append(node.value)
            if isinstance(node, ast.keyword) and node.arg == "gc":
                found.append(f"gc={ast.unparse(node.value)}")
    return {topic: "\n".join(parts) for topic, parts in texts.items()}


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
        advice = "Write it again, on a machine with the lab's JDKs: make flags"
        raise BadInput(f"{home.shown(file)} is damaged ({cause}). {advice}") from cause


def page(used: Mapping[str, Use], facts: Facts, pages: Mapping[str, Page]) -> str:
    """The page in MyST Markdown. A name that every JDK refuses, and that no post ever knew, stands for any flag."""
    rows = [
        row(name, use, facts, pages)
        for name, use in used.items()
        if name in HISTORY or name not in facts.flags or any(said is not None for said in facts.flags[name].values())
    ]
    form = markup.filter_form("flags", {"page": {name: f"{name[:2]} {page.title}" for name, page in pages.items()}})
    table = markup.table(
        "flags", "All flags of the course", ["flag", *map("JDK {}".format, facts.jdks), "used by"], [rows]
    )
    if not facts.jdks:
        return f"{HEAD}No JDK was asked yet: `make flags` does it.\n\n{markup.raw(form + table)}"
    builds = "; ".join(markup.plain(build) for build in facts.jdks.values())
    machine = facts.about.get("machine", {})
    where = markup.plain(f"{machine.get('cores', '?')} cores, {machine.get('system', 'unknown system')}")
    asked = f"Asked {str(facts.about.get('made', ''))[:10]} on {where}; some defaults depend on the machine."
    return f"{HEAD}{asked} The JDKs: {builds}.\n\n{markup.raw(form + table)}"


def row(name: str, use: Use, facts: Facts, pages: Mapping[str, Page]) -> str:
    """One flag in HTML, with its name as the anchor: what it is, its default on each JDK, and who uses it."""
    entries = [(jdk, each) for jdk, each in facts.flags.get(name, {}).items() if each and "type" in each]
    title = f"<code>{escape(spelling(name, {each['type'] for _, each in entries}))}</code>{kind(entries)}"
    if fate := HISTORY.get(name):
        title += f"<br><small>{markup.html(f'{fate[0].upper()}{fate[1:]}.')}</small>"
    cells = []
    for text, group in groupby(facts.jdks, key=lambda jdk: default(name, jdk, facts)):
        jdks = list(group)
        look = "" if len(jdks) > 1 else ' class="sl-jdk"'  # the column says it, but where a phone has none
        cells.append(markup.cell(f"{escape(text)} <small{look}>({span(jdks)})</small>", len(jdks)))
    users = " ".join(pages[page].anchor("../") for page in pages if page in use.pages)
    if use.samples:
        count = counted(len(use.samples), "sample")
        links = "<br>".join(f'<a href="samples/{sample}.html">{escape(sample)}</a>' for sample in use.samples)
        users += f"<details><summary>{count}</summary>{links}</details>"
    return markup.row(title, [*cells, markup.cell(users)], id=name.strip("-"), data_page=" ".join(use.pages))


def spelling(name: str, types: set[str]) -> str:
    """The flag as it is typed: a switch with +, another with =; "-Xint" as it is."""
    if name.startswith("-"):
        return name
    return f"-XX:+{name}" if types == {"bool"} else f"-XX:{name}=" if types else f"-XX:{name}"


def kind(entries: Iterable[tuple[str, Mapping[str, Any]]]) -> str:
    """ "diagnostic", "product on JDK 8, diagnostic on JDK 11": what is not simply a product flag, in HTML."""
    groups = groupby(entries, key=lambda entry: str(entry[1]["kind"]))
    spans = [(kind, [jdk for jdk, _ in members]) for kind, members in groups]
    if {kind for kind, _ in spans} <= {"product"}:
        return ""
    parts = [f"{kind} on {span(jdks)}" for kind, jdks in spans] if len(spans) > 1 else [spans[0][0]]
    return f"<br><small>{', '.join(parts)}</small>"


def default(name: str, jdk: int, facts: Facts) -> str:
    """The flag's default on a JDK, or what this JDK does with the flag."""
    by_jdk = facts.flags.get(name)
    return NOT_RECORDED if by_jdk is None or str(jdk) not in by_jdk else described(by_jdk[str(jdk)])


def described(about: Mapping[str, Any] | None) -> str:
    """What a JDK does with a flag, in a word or two, from what docs/flags.json holds of it."""
    if about is None:
        return UNKNOWN
    if about.get("ignored"):
        return IGNORED
    if "type" not in about:
        return "✓ known"
    text = str(about["default"])
    return SWITCHED.get(text, text) if about["type"] == "bool" else text or "empty"
