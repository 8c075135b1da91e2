"""The glossary, handout.toml and this machine's JDKs -> a handout in HTML that prints on two A4 pages."""

import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from html import escape
from pathlib import Path

from safepointlab import jdks
from safepointlab.course import glossary
from safepointlab.errors import LabError
from safepointlab.html import inline
from safepointlab.jdks import default_collector
from safepointlab.jdks.flag_facts import COLLECTOR
from safepointlab.jdks.flags import Flag, known
from safepointlab.process import machine
from safepointlab.run import profile

TEMPLATES = Path(__file__).parent / "templates"
TITLE = "Safepoint Lab: flags, words and the map of JDKs"
SPELLING = """<p><small>Write <code>-XX:+Name</code>, <code>-XX:-Name</code> or <code>-XX:Name=value</code>;
diagnostic and experimental ones need <code>-XX:+UnlockDiagnosticVMOptions</code> or
<code>-XX:+UnlockExperimentalVMOptions</code> in front. The lab puts it there by itself.</small></p>"""
COMMANDS = (
    ("safepoint doctor --workshop", "is this machine ready?"),
    ("safepoint run hang/KillerTask --jdk 17 --gc Serial --args 600 --deadline 5", "a JVM that can't exit"),
    ("safepoint late --after 30 --every 200 -- java ...", "which thread and line delay your own program"),
    ("safepoint workbench MyProgram.java", "your own program on several JDKs, one change at a time"),
    ("safepoint claims 000-11 --jdk 8 25", "run a statement of a post again"),
)
WITHOUT_STRIPS = """With Serial and Parallel, <code>UseCountedLoopSafepoints</code> is off on each of these JDKs,
there are no strips, and a counted loop has no poll by default."""  # a test asks the JDKs here
Flags = Mapping[str, Flag]
STOPPED = "PrintGCApplicationStoppedTime"
NOT_HERE, NOT_KNOWN = "not here", "–"  # a JDK that this machine lacks; a flag that a JDK does not know
MACHINES = {"collector on a server": (4, 8.0), "collector with 1 CPU": (1, 1.0)}  # cores and GiB: HotSpot's two kinds


def handout() -> str:
    """The whole page; defaults are those of this machine's JDKs."""
    told = tomllib.loads((TEMPLATES / "handout.toml").read_text("utf-8"))
    look = (TEMPLATES / "handout.css").read_text("utf-8")
    heads = [str(major) for major in majors()]
    flags = [
        [f"<code>{flag['name']}</code>", escape(flag["does"]), *(escape(default(flag["name"], n)) for n in majors())]
        for flag in told["flag"]
    ]
    words = (glossary.find(name) for name in told["words"])
    meanings = (f"<div><dt>{escape(word.word)}</dt> <dd>{inline(word.means)}</dd></div>" for word in words)
    jdk_map = ([escape(name), *map(escape, row)] for name, row in rows().items())
    commands = ([f"<code>{escape(line)}</code>", escape(what)] for line, what in COMMANDS)
    first = (
        f"<h1>{TITLE}</h1>{_builds()}"
        f"<h2>The map of JDKs</h2>{_table('map', ['', *(f'JDK {head}' for head in heads)], jdk_map)}"
        f"<h2>The flags</h2>{_table('flags', ['flag', 'what it does', *heads], flags)}{SPELLING}"
    )
    second = f"<h2>The words</h2><dl>{''.join(meanings)}</dl>"
    second += f"<h2>In JupyterLab’s terminal</h2>{_table('lines', [], commands)}"
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{TITLE}</title>'
    body = f"<section>{first}</section><section>{second}</section>"
    return f'<!doctype html>\n<html lang="en"><head>{head}<style>\n{look}</style></head>\n<body>{body}</body></html>\n'


def _builds() -> str:
    found = {jdk.major: jdk for jdk in sorted(jdks.find(), key=jdks.preference) if jdk.major in majors()}
    builds = ", ".join(f"{jdk.version} ({jdk.vendor})" for _, jdk in sorted(found.items())) or "none"
    where = f"{machine.cores()} cores, {machine.memory_gib():.0f} GiB, {machine.system()}"
    return (
        f"<p><small>Defaults as these builds print them on a machine with {escape(where)}: {escape(builds)}. "
        f"{NOT_KNOWN}: this JDK has no such thing. Some depend on the collector; these are those of the one that the "
        f"JDK chooses there, and which the row on strip mining names. {WITHOUT_STRIPS}</small></p>"
    )


def _table(kind: str, head: list[str], lines: Iterable[list[str]]) -> str:
    top = f"<thead><tr>{''.join(f'<th>{title}</th>' for title in head)}</tr></thead>" if head else ""
    body = (f"<tr><th>{first}</th>{''.join(f'<td>{cell}</td>' for cell in rest)}</tr>" for first, *rest in lines)
    return f"<table class='{kind}'>{top}<tbody>{''.join(body)}</tbody></table>"


def majors() -> list[int]:
    """The columns: the lab's set of JDKs, and the newest release that is here."""
    return [*profile.LAB_SET, *profile.newest_release()]


@cache
def flags_of(major: int) -> Flags | None:
    """The flags of this machine's JDK of that version; None if there is none that starts."""
    try:
        return known(jdks.get(major))
    except LabError:
        return None


def default(name: str, major: int) -> str:
    """A flag's default on that JDK, on this machine, in words: on, off, a number; or why there is none."""
    flags = flags_of(major)
    if flags is None:
        return NOT_HERE
    if name not in flags:
        return NOT_KNOWN
    value = flags[name].default
    return {"true": "on", "false": "off"}.get(value, value.removesuffix(".000000"))


def rows() -> dict[str, list[str]]:
    """The map: what a row is about -> what is so on each JDK of the columns, from the oldest on."""
    found = [flags_of(major) for major in majors()]
    facts = [_facts(flags) if flags is not None else {} for flags in found]
    collectors = {
        name: [default_collector.choice(major, cores, gib)[0] for major in majors()]
        for name, (cores, gib) in MACHINES.items()
    }
    return {**collectors, **{name: [of_jdk.get(name, NOT_HERE) for of_jdk in facts] for name in _facts({})}}


def _facts(flags: Flags) -> dict[str, str]:

    def number(flag: str) -> int:
        return int(flags[flag].default) if flag in flags else 0

    def switch(flag: str, on: str = "on", off: str = "off", absent: str = NOT_KNOWN) -> str:
        return absent if flag not in flags else on if flags[flag].default == "true" else off

    used = (COLLECTOR.fullmatch(flag.name) for flag in flags.values() if flag.default == "true")
    collector = next((match[1] for match in used if match), "none")  # which this JDK chooses on this machine
    strips = f"{collector}: strips of {number('LoopStripMiningIter'):,}"
    delay, interval = number("BiasedLockingStartupDelay"), number("GuaranteedSafepointInterval")
    experimental = "UseZGC" in flags and flags["UseZGC"].kind == "experimental"
    return {
        "strip mining": switch("UseCountedLoopSafepoints", strips, f"{collector}: off")
        if "LoopStripMiningIter" in flags
        else "none yet",
        "tiered compilation": switch("TieredCompilation"),
        "biased locking": switch(
            "UseBiasedLocking", f"on after {delay:,} ms" if delay else "on from the start", absent="gone"
        ),
        "guaranteed safepoint": f"each {interval:,} ms, if needed" if interval else "never by itself",
        "log of the stops": STOPPED if STOPPED in flags else "-Xlog:safepoint",
        "ZGC": "experimental" if experimental else switch("UseZGC", "there", "there"),
        "Shenandoah, in this build": switch("UseShenandoahGC", "there", "there"),
        "compact object headers": switch("UseCompactObjectHeaders"),
        "method profiles in an AOT cache": switch("AOTReplayTraining", "there", "there"),
    }
