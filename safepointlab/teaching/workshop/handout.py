"""The glossary, handout.toml and this machine's JDKs -> a handout in HTML that prints on two A4 pages.

That of one agenda has a page more, with what its pages say in short and where to read on, and only flags and words of
theirs.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
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
from safepointlab.phrases import listed
from safepointlab.process import machine
from safepointlab.run import profile
from safepointlab.teaching.workshop.announce import Agenda, in_order
from safepointlab.teaching.workshop.page import Page
from safepointlab.teaching.workshop.recap import recap, texts

TEMPLATES = Path(__file__).parent / "templates"
TITLE = "Safepoint Lab: flags, words and the map of JDKs"
SPELLING = """<p><small>Write <code>-XX:+Name</code>, <code>-XX:-Name</code> or <code>-XX:Name=value</code>.
{marks}</small></p>"""
MARKS = {"D": "Diagnostic", "E": "Experimental"}
COMMANDS = (
    ("safepoint doctor --workshop", "is this machine ready?"),
    ("safepoint run hang/KillerTask --jdk 17 --gc Serial --args 600 --deadline 5", "a JVM that can't exit"),
    (
        "safepoint late --after 30 --every 200 -- java ...",
        "requests a stop every 200 ms; who is late by 30 or more?",
    ),
    ("safepoint late --pid 4711", "the same of a JVM that runs already, with less evidence"),
    ("safepoint workbench MyProgram.java", "your own program on several JDKs, one change at a time"),
    ("safepoint claims 000-11 --jdk 8 25", "run a page's claim again, by its number"),
)
WITHOUT_STRIPS = """With Serial and Parallel, <code>UseCountedLoopSafepoints</code> is off on each of these JDKs,
there are no strips, and a counted loop has no poll by default."""  # a test asks the JDKs here
Flags = Mapping[str, Flag]
STOPPED = "PrintGCApplicationStoppedTime"
NOT_HERE, NOT_KNOWN = "not here", "–"  # a JDK that this machine lacks; a flag that a JDK does not know
MACHINES = {
    "collector on a server": (4, 8.0),
    "collector with 1 CPU, or below 1,792 MB": (1, 1.0),
}  # cores and GiB: HotSpot's two kinds


def handout(agenda: Agenda | None = None, pages: Sequence[Page] = ()) -> str:
    """The whole page; defaults are those of this machine's JDKs.

    Args:
        agenda: of the class that gets it, if it is for one; `pages` are all of the course.
    """
    import mistune

    own = [(page, *texts(agenda, page)) for page in in_order(agenda, pages)] if agenda else []
    text = "\n".join(shown for _, shown, _ in own)
    told = tomllib.loads((TEMPLATES / "handout.toml").read_text("utf-8"))
    look = (TEMPLATES / "handout.css").read_text("utf-8")
    heads = [str(major) for major in majors()]
    flags = [
        [_spelled(flag["name"]), escape(flag["does"]), *(escape(default(flag["name"], n)) for n in majors())]
        for flag in told["flag"]
        if not agenda or flag["name"] in text
    ]
    summary = recap(agenda, pages) if agenda else ""
    names = {name for name in told["words"] if not agenda or _occurs(name, summary)}
    for page, _, left_out in own:
        new = glossary.new_words(page.text)
        names.update(name for name in new if _occurs(name, text) or not _occurs(name, left_out))
    words = [glossary.find(name) for name in sorted(names, key=str.casefold)]
    meanings = (f"<div><dt>{escape(word.word)}</dt> <dd>{inline(word.means)}</dd></div>" for word in words)
    jdk_map = ([escape(name), *map(_breakable, row)] for name, row in rows().items())
    commands = ([f"<code>{escape(line)}</code>", escape(what)] for line, what in COMMANDS)
    taught = f"Safepoint Lab: what we saw in {listed([page.number for page, *_ in own])}" if own else TITLE
    title = f"<h1>{taught}</h1>"
    as_html = mistune.create_markdown(escape=False, plugins=["table"])
    seen = f"<section>{title}{as_html(summary)}</section>" if agenda else ""
    flag_table = _table("flags", ["flag", "what it does", *heads], flags)
    first = (
        f"{'' if seen else title}{_builds()}"
        f"<h2>The map of JDKs</h2>{_table('map', ['', *(f'JDK {head}' for head in heads)], jdk_map)}"
        f"<h2>The flags</h2>{flag_table}{SPELLING.format(marks=_marks(flags))}"
    )
    second = f"<h2>The words</h2><dl>{''.join(meanings)}</dl>"
    second += f"<h2>In JupyterLab’s terminal</h2>{_table('lines', [], commands)}"
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{taught}</title>'
    body = f"{seen}<section>{first}</section><section>{second}</section>"
    return f'<!doctype html>\n<html lang="en"><head>{head}<style>\n{look}</style></head>\n<body>{body}</body></html>\n'


def _occurs(word: str, text: str) -> bool:
    """Whether a text has the word, in any form of it: "inlining" and "inlined"."""
    stems = (re.escape(re.sub(r"(?:e|ed|ing|s)$", "", each)) for each in word.split())
    return re.search(r"\w*\W+".join(stems), text, re.IGNORECASE) is not None


def _marks(flags: Iterable[list[str]]) -> str:
    """What to write in front of the flags that are marked."""
    first = "".join(name for name, *_ in flags)
    lines = [
        f"In front of one marked {mark}, write <code>-XX:+Unlock{kind}VMOptions</code>; the lab does it for you."
        for mark, kind in MARKS.items()
        if f"<small>{mark}</small>" in first
    ]
    return " ".join(lines)


def _breakable(cell: str) -> str:
    """A cell as HTML, whose long flag breaks between its words."""
    return escape(cell).replace(STOPPED, re.sub("(?=Application|Stopped|Time)", "<wbr>", STOPPED))


def _spelled(name: str) -> str:
    """The flag's name, marked if the newest JDK that knows it wants it unlocked."""
    known_by = [flags[name] for major in majors() if (flags := flags_of(major)) and name in flags]
    mark = next((mark for mark, kind in MARKS.items() if known_by and kind.lower() == known_by[-1].kind), "")
    return f"<code>{name}</code>" + (f" <small>{mark}</small>" if mark else "")


def _builds() -> str:
    found = {jdk.major: jdk for jdk in sorted(jdks.find(), key=jdks.preference) if jdk.major in majors()}
    builds = ", ".join(f"{jdk.version} ({jdk.vendor})" for _, jdk in sorted(found.items())) or "none"
    where = f"{machine.cores()} cores, {machine.memory_gib():.0f} GiB, {machine.system()}"
    return (
        f"<p><small>Defaults as these builds print them on a machine with {escape(where)}: {escape(builds)}. "
        f"{NOT_KNOWN}: this JDK has no such thing. Where the collector matters, the value is for the one that the JDK "
        f"chooses on this machine. {WITHOUT_STRIPS}</small></p>"
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

    def collector_here(flag: str) -> str:
        return "experimental" if flag in flags and flags[flag].kind == "experimental" else switch(flag, "yes", "yes")

    return {
        "strip mining": switch("UseCountedLoopSafepoints", strips, f"{collector}: off")
        if "LoopStripMiningIter" in flags
        else "none yet",
        "tiered compilation": switch("TieredCompilation"),
        "biased locking": switch(
            "UseBiasedLocking", f"on after {delay:,} ms" if delay else "on from the start", absent="gone"
        ),
        "guaranteed safepoint": f"each {interval:,} ms, if needed" if interval else "never by itself",
        "log of the stops": f"-XX:+{STOPPED}" if STOPPED in flags else "-Xlog:safepoint",
        "ZGC": collector_here("UseZGC"),
        "Shenandoah, in this build": collector_here("UseShenandoahGC"),
        "compact object headers": switch("UseCompactObjectHeaders"),
        "method profiles in an AOT cache": switch("AOTReplayTraining", "yes", "yes"),
    }
