"""The glossary, handout.toml and the map of JDKs -> a handout in HTML that prints on two A4 pages."""

import tomllib
from collections.abc import Iterable
from html import escape
from pathlib import Path

from safepointlab import jdks
from safepointlab.course import glossary
from safepointlab.html import inline
from safepointlab.process import machine
from safepointlab.run.profile import LAB_SET
from safepointlab.teaching.workshop import jdk_map

FILE = Path(__file__).with_name("handout.toml")
TITLE = "Safepoint Lab: flags, words and the map of JDKs"
LOOK = """
@page { size: A4; margin: 11mm 12mm }
* { box-sizing: border-box } html { -webkit-print-color-adjust: exact }
body { font: 8.3pt/1.25 "Liberation Sans", Arial, Helvetica, "DejaVu Sans Condensed", sans-serif; color: #111; background: #fff; margin: 0 auto; max-width: 186mm }
section + section { break-before: page } h1 { font-size: 14pt; margin: 0 0 1mm } h2 { font-size: 10.5pt; margin: 3mm 0 1mm }
table { border-collapse: collapse; table-layout: fixed; width: 100% } .map th:first-child { width: 20% } .flags th:first-child { width: 28% } .flags th:nth-child(n+3) { width: 7% } .lines th { width: 55% }
 th, td { text-align: left; vertical-align: top; padding: .55mm 1.5mm .55mm 0; border-bottom: .2mm solid #bbb }
thead th { border-bottom: .4mm solid #111 } tbody th { font-weight: normal } td { overflow-wrap: anywhere } code { font: .93em ui-monospace, monospace; overflow-wrap: anywhere }
dl { columns: 2; column-gap: 6mm; margin: 0 } dl div { break-inside: avoid; margin-bottom: .9mm } dt { font-weight: 700; display: inline } dd { display: inline; margin: 0 }
p { margin: 1mm 0 } small { color: #444 }
@media screen { body { padding: 8mm 4mm } section + section { margin-top: 12mm } }
"""  # noqa: E501
SPELLING = """<p><small>Write <code>-XX:+Name</code>, <code>-XX:-Name</code> or <code>-XX:Name=value</code>;
diagnostic and experimental ones need <code>-XX:+UnlockDiagnosticVMOptions</code> or
<code>-XX:+UnlockExperimentalVMOptions</code> in front. The lab puts it there by itself.</small></p>"""
COMMANDS = (
    ("safepoint doctor --workshop", "is this machine ready?"),
    ("safepoint run hang/KillerTask --jdk 17 --gc Serial --args 600 --deadline 5", "a JVM that cannot exit"),
    ("safepoint late --after 30 --every 200 -- java ...", "which thread and line hold up your own program"),
    ("safepoint workbench MyProgram.java", "your own program on several JDKs, one change at a time"),
    ("safepoint claims 000-11 --jdk 8 25", "run a statement of a post again"),
)


def handout(file: Path = FILE) -> str:
    """The whole page; defaults are those of this machine's JDKs."""
    told = tomllib.loads(file.read_text("utf-8"))
    flags = {flag["name"]: flag["does"] for flag in told["flag"]}
    first = f"<h1>{TITLE}</h1>{_builds()}<h2>The map of JDKs</h2>{_map()}<h2>The flags</h2>{_flags(flags)}"
    second = f"<h2>The words</h2>{_words(told['words'])}<h2>In a terminal</h2>{_commands()}"
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{TITLE}</title>'
    body = f"<section>{first}</section><section>{second}</section>"
    return f'<!doctype html>\n<html lang="en"><head>{head}<style>{LOOK}</style></head>\n<body>{body}</body></html>\n'


def _builds() -> str:
    found = {jdk.major: jdk for jdk in sorted(jdks.find(), key=jdks.preference) if jdk.major in LAB_SET}
    builds = ", ".join(f"{jdk.version} ({jdk.vendor})" for _, jdk in sorted(found.items())) or "none"
    where = f"{machine.cores()} cores, {machine.memory_gib():.0f} GiB, {machine.system()}"
    return (
        f"<p><small>Defaults as these builds print them on a machine with {escape(where)}: {escape(builds)}. "
        f"{jdk_map.NOT_KNOWN}: this JDK has no such thing.</small></p>"
    )


def _map() -> str:
    lines = ([escape(name), *map(escape, row)] for name, row in jdk_map.rows().items())
    return _table("map", ["", *map(_jdk, LAB_SET)], lines)


def _jdk(major: int) -> str:
    return f"JDK {major}"


def _flags(flags: dict[str, str]) -> str:
    lines = [
        [f"<code>{name}</code>", escape(does), *(escape(jdk_map.default(name, major)) for major in LAB_SET)]
        for name, does in flags.items()
    ]
    return _table("flags", ["flag", "what it does", *map(str, LAB_SET)], lines) + SPELLING


def _words(names: Iterable[str]) -> str:
    chosen = [glossary.find(name) for name in names]
    lines = (f"<div><dt>{escape(word.word)}</dt> <dd>{inline(word.means)}</dd></div>" for word in chosen)
    return f"<dl>{''.join(lines)}</dl>"


def _commands() -> str:
    return _table("lines", [], [[f"<code>{escape(line)}</code>", escape(what)] for line, what in COMMANDS])


def _table(kind: str, head: list[str], lines: Iterable[list[str]]) -> str:
    top = f"<thead><tr>{''.join(f'<th>{title}</th>' for title in head)}</tr></thead>" if head else ""
    rows = (f"<tr><th>{first}</th>{''.join(f'<td>{cell}</td>' for cell in rest)}</tr>" for first, *rest in lines)
    return f"<table class='{kind}'>{top}<tbody>{''.join(rows)}</tbody></table>"
