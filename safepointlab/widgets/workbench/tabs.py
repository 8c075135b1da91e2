"""An attempt and the name of a tab -> the HTML that stands there; what cannot be shown says how to get it.

No tab raises: a log that was not captured, or that a killed JVM cut off, becomes a sentence.
"""

import re
from collections.abc import Callable, Mapping
from html import escape
from typing import Any

from safepointlab.errors import LabError
from safepointlab.process.files import bounded_text
from safepointlab.widgets.workbench import flag_help, pictures
from safepointlab.widgets.workbench.attempt import Attempt
from safepointlab.widgets.workbench.compare import Comparison, Difference, compare

MOST_SHOWN = 40_000  # characters of output or of one log
MOST_ROWS = 15
NEAR = 2  # lines of source around one that the compiler complains about
COMPLAINT = re.compile(
    r"^\S*?\.java:(\d+): (?:error|warning)|^\d+\. ERROR in \S*\.java \(at line (\d+)\)", re.MULTILINE
)
WHAT_TO_DO = {
    "CompileFailed": "Correct the source, save it, and run it again.",
    "FlagRejected": "Change the flags, and run it again.",
    "JdkNotFound": "Tick another JDK, or install this one with the command above.",
    "Stopped": "Nothing of it runs any more.",
}
SAFEPOINT_COLUMNS = ["begin_s", "kind", "operation", "ttsp_ms", "operation_ms", "total_ms"]
COMPILATION_COLUMNS = ["uptime_ms", "compile_id", "tier", "osr", "method", "event", "reason"]


def show(tab: str, attempt: Attempt, field: str = "") -> str:
    """The HTML of a tab of TABS; `field` is what was typed in the tab itself: a method, a text to find."""
    try:
        if attempt.run is None and tab not in ("outcome", "command"):
            return _no_run(attempt)
        return PLAIN[tab](attempt) if tab in PLAIN else WITH_FIELD[tab](attempt, field)
    except (LabError, OSError) as error:
        return _sentence(str(error))


def _outcome(attempt: Attempt) -> str:
    took = "" if attempt.seconds is None else f" after {attempt.seconds:.1f} s"
    head = f"<p class='sl-outcome'>{escape(attempt.outcome + took)}</p>"
    if attempt.run is None:
        return head + _error(attempt)
    run = attempt.run
    memory = f" · memory {run.finished.max_rss_mib:.0f} MiB" if run.finished.max_rss_mib else ""
    facts = f"CPU {run.finished.cpu_ms / 1000:.1f} s{memory}"
    quiet = f" · {run.quiet}" if run.quiet and run.quiet.disturbed else ""
    replay = " · a recording, not run now" if run.finished.replayed else ""
    return head + _sentence(facts + quiet + replay) + _ending(attempt) + _values(run.values)


def _ending(attempt: Attempt) -> str:
    """What is to be said about the way a run ended."""
    assert attempt.run
    endings = {
        "hung": f"It was still running at its deadline of {attempt.choice.deadline:g} s, and was examined and killed.",
        "flooded": "It wrote more than a run may write, and was stopped. What is shown is the beginning and the end.",
    }
    said = _sentence(endings[attempt.run.outcome]) if attempt.run.outcome in endings else ""
    forensics = attempt.run.forensics._repr_html_() if attempt.run.hung and attempt.run.finished.at_deadline else ""
    return said + forensics + _error(attempt)


def _error(attempt: Attempt) -> str:
    """The error in its own words, the lines of the source that it names, and what to do."""
    if not attempt.error:
        return ""
    advice = WHAT_TO_DO.get(attempt.kind, "")
    return f"<pre role='alert'>{escape(attempt.error)}</pre>{_places(attempt)}{_sentence(advice)}"


def _places(attempt: Attempt) -> str:
    """The source around each line that the compiler names."""
    lines = attempt.source.splitlines()
    named = [int(first or second) for first, second in COMPLAINT.findall(attempt.error)][:5]
    blocks = [_around(lines, number) for number in dict.fromkeys(named) if 0 < number <= len(lines)]
    return "".join(f"<pre class='sl-source'>{block}</pre>" for block in blocks)


def _around(lines: list[str], number: int) -> str:
    first, last = max(1, number - NEAR), min(len(lines), number + NEAR)
    rows = [f"{'▶' if n == number else ' '} {n:4d}  {escape(lines[n - 1])}" for n in range(first, last + 1)]
    return "\n".join(rows)


def _values(values: Mapping[str, float | str]) -> str:
    rows = [(name, f"{value:,}" if isinstance(value, float) else value) for name, value in values.items()]
    return f"<p>What it measured:</p>{_table(['name', 'value'], rows)}" if rows else ""


def _output(attempt: Attempt) -> str:
    assert attempt.run
    parts = {"stdout": attempt.run.finished.stdout, "stderr": attempt.run.finished.stderr}
    texts = {name: bounded_text(path, MOST_SHOWN) for name, path in parts.items()}
    shown = [f"<h4>{name}</h4><pre tabindex='0'>{escape(text)}</pre>" for name, text in texts.items() if text]
    return "".join(shown) or _sentence("It printed nothing.")


def _command(attempt: Attempt) -> str:
    shell = f"<p>To paste into a terminal:</p>{_copied(attempt.run.command)}" if attempt.run else ""
    code = f"<p>The same in a cell:</p>{_copied(attempt.choice.code(attempt.jdk))}"
    lines = flag_help.facts(attempt.choice.flags, [attempt.jdk])
    facts = "".join(f"<li>{escape(line)}</li>" for line in lines)
    folder = _sentence(f"Recorded as {attempt.run.id}; lab.load({attempt.run.id!r}) finds it.") if attempt.run else ""
    return shell + code + (f"<ul>{facts}</ul>" if facts else "") + folder


def _safepoints(attempt: Attempt) -> str:
    if missing := _not_captured(attempt, "safepoint"):
        return missing
    assert attempt.run
    frame = attempt.run.safepoints
    columns = [name for name in SAFEPOINT_COLUMNS if frame[name].notna().any()]
    longest = frame.nlargest(MOST_ROWS, "total_ms")[columns]
    count = f"{len(frame):,} safepoints and handshakes" + (", the longest:" if len(frame) > MOST_ROWS else ":")
    return pictures.safepoints(attempt.run) + (_sentence(count) + _frame(longest) if len(frame) else "")


def _compilations(attempt: Attempt) -> str:
    if missing := _not_captured(attempt, "compilation"):
        return missing
    assert attempt.run
    frame = attempt.run.compilations
    own = frame[frame["method"].astype("string").str.contains(attempt.run.name, regex=False).fillna(False)]
    columns = [name for name in COMPILATION_COLUMNS if name in own and own[name].notna().any()]
    words = f"{len(frame):,} lines in the log, {len(own):,} of them on the program's own methods"
    rest = f", the last {MOST_ROWS}:" if len(own) > MOST_ROWS else ":" if len(own) else "."
    return pictures.compilations(attempt.run, own) + _sentence(words + rest) + _frame(own[columns].tail(MOST_ROWS))


def _code(attempt: Attempt, method: str) -> str:
    assert attempt.run
    method = method or attempt.choice.method
    note = ""
    if not any(log.kind == "assembly" for log in attempt.run.request.log):
        note = _sentence("Source and bytecode only. For the machine code tick the log “assembly”, and run it again.")
    return note + pictures.code(attempt.run, method.replace(".", "::") if "::" not in method else method)


def _raw(attempt: Attempt, wanted: str) -> str:
    assert attempt.run
    files = sorted(path for path in attempt.run.folder.iterdir() if path.suffix in (".log", ".txt", ".json"))
    return "".join(_file(path.name, bounded_text(path, MOST_SHOWN * 10), wanted) for path in files)


def _file(name: str, text: str, wanted: str) -> str:
    """A log in a fold; with something to find, only the lines that have it, opened."""
    lines = text.splitlines()
    chosen = [f"{n:6d}  {line}" for n, line in enumerate(lines, 1) if wanted.lower() in line.lower()]
    if not chosen:
        return ""
    shown = "\n".join(chosen)[:MOST_SHOWN]
    cut = "\n… the rest is in the run's folder" if len("\n".join(chosen)) > MOST_SHOWN else ""
    count = f"{len(chosen):,} of {len(lines):,} lines" if wanted else f"{len(lines):,} lines"
    opened = " open" if wanted else ""
    return (
        f"<details{opened}><summary>{escape(name)}, {count}</summary>"
        f"<pre tabindex='0'>{escape(shown + cut)}</pre></details>"
    )


def _no_run(attempt: Attempt) -> str:
    return _sentence(f"Nothing to show here: {attempt.outcome}. The tab Outcome has the message.")


def _not_captured(attempt: Attempt, kind: str) -> str:
    assert attempt.run
    if any(log.kind == kind for log in attempt.run.request.log):
        return ""
    return _sentence(f"This run has no {kind} log. Tick “{kind}” under Logs, and run it again.")


def comparison(before: Attempt, after: Attempt) -> str:
    """Two tables: what was changed, and what became different."""
    compared = compare(before, after)
    numbers = [f"#{before.number}", f"#{after.number}"]
    changed = _differences(compared.changed, numbers) or _sentence("Nothing was changed: the same once more.")
    different = _differences(compared.different, numbers) or _sentence("Nothing that this lab looks at.")
    return f"<h4>Changed</h4>{changed}<h4>Became different</h4>{different}{_same(compared)}"


def _same(compared: Comparison) -> str:
    once = "One run each: repeat before you believe a difference in time."
    return _sentence(f"About the same: {', '.join(compared.same)}. {once}" if compared.same else once)


def _differences(rows: tuple[Difference, ...], numbers: list[str]) -> str:
    return _table(["", *numbers], [(row.name, row.before, row.after) for row in rows]) if rows else ""


def _sentence(text: str) -> str:
    return f"<p>{escape(text)}</p>" if text else ""


def _copied(text: str) -> str:
    """A line that the page puts a button beside, to copy it."""
    return f"<pre class='sl-copy' tabindex='0'>{escape(text)}</pre>"


def _table(head: list[str], rows: list[tuple[Any, ...]]) -> str:
    titles = "".join(f"<th scope='col'>{escape(title)}</th>" for title in head)
    body = "".join(f"<tr>{''.join(_cell(place, text) for place, text in enumerate(row))}</tr>" for row in rows)
    return f"<div class='sl-wide'><table><thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table></div>"


def _cell(place: int, text: object) -> str:
    tag, scope = ("th", " scope='row'") if place == 0 else ("td", "")
    return f"<{tag}{scope}>{escape(str(text))}</{tag}>"


def _frame(frame: Any) -> str:
    """A table of a log; what this JDK does not log is a dash."""
    if not len(frame):
        return ""
    rows = frame.round(3).astype("object").where(frame.notna(), "–")
    return _table(list(map(str, rows.columns)), [tuple(row) for row in rows.to_numpy()])


PLAIN: dict[str, Callable[[Attempt], str]] = {
    "outcome": _outcome,
    "output": _output,
    "command": _command,
    "safepoints": _safepoints,
    "compilations": _compilations,
}
WITH_FIELD: dict[str, Callable[[Attempt, str], str]] = {"code": _code, "raw": _raw}  # a method; a text to find
TABS = (*PLAIN, *WITH_FIELD)
