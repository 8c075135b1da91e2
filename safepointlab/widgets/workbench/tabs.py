"""An attempt and the name of a tab -> the HTML that the tab shows; what cannot be shown says how to get it.

No tab raises: a log that was not captured, or that a killed JVM cut off, becomes a sentence. Each picture is made
without pyplot: nothing of it stays in the session, and no notebook cell shows it a second time.
"""

import base64
import io
import re
from collections.abc import Callable, Sequence
from html import escape
from typing import Any

from safepointlab.errors import LabError
from safepointlab.process.files import bounded_text
from safepointlab.run.run import Run
from safepointlab.widgets.workbench import hints
from safepointlab.widgets.workbench.bench import Attempt
from safepointlab.widgets.workbench.compare import compare

INCHES, DPI = (8.0, 4.2), 100  # of a picture
MOST_SHOWN = 40_000  # characters of output or of one log
MOST_ROWS = 15
NEAR = 2  # lines of source around one that the compiler complains about
MOST_PLACES = 5  # that a compiler complains about
COMPLAINT = re.compile(
    r"^\S*?\.java:(\d+): (?:error|warning)|^\d+\. ERROR in \S*\.java \(at line (\d+)\)", re.MULTILINE
)
WHAT_TO_DO = {
    "CompileFailed": "Correct the source, save it, and run it again.",
    "FlagRejected": "Change the flags, and run it again.",
    "JdkNotFound": "Tick another JDK, or install this one with the command above.",
    "Stopped": "You stopped it, and nothing is left running.",
}
SAFEPOINT_COLUMNS = ["begin_s", "kind", "operation", "ttsp_ms", "operation_ms", "leaving_ms", "total_ms"]
COMPILATION_COLUMNS = ["uptime_ms", "compile_id", "tier", "osr", "method", "event", "reason"]


def show(tab: str, attempt: Attempt, field: str = "") -> str:
    """The HTML of a tab of TABS; `field` is what was typed in the tab itself: a method, a text to find."""
    try:
        if attempt.run is None and tab not in ("outcome", "command"):
            return _sentence(f"Nothing to show here: {attempt.outcome}. The tab Outcome has the message.")
        if tab in LOGS and not attempt.logged(LOGS[tab]):
            return _sentence(f"This run has no {LOGS[tab]} log. Tick “{LOGS[tab]}” under “log”, and run it again.")
        return TABS[tab](attempt, field)
    except (LabError, OSError) as error:
        return _sentence(str(error))


def _outcome(attempt: Attempt, _: str) -> str:
    took = "" if attempt.seconds is None else f" after {attempt.seconds:.1f} s"
    parts = [f"<p class='sl-outcome'>{escape(attempt.outcome + took)}</p>"]
    if run := attempt.run:
        memory = f" · memory {run.finished.max_rss_mib:.0f} MiB" if run.finished.max_rss_mib else ""
        quiet = f" · {run.quiet.warning}" if run.quiet and run.quiet.warning else ""
        replay = " · a recording, not run now" if run.finished.replayed else ""
        parts.append(_sentence(f"CPU {run.finished.cpu_ms / 1000:.1f} s{memory}{quiet}{replay}"))
        deadline = f"{attempt.choice.deadline:g} s"
        if run.overdue:
            asked = " It answered nothing." if run.hung else ""
            end = f"so it was examined and killed.{asked}"
            end = "and ended by itself while it was examined." if run.ended_late else end
            parts.append(_sentence(f"It was still running at its deadline of {deadline}, {end}"))
        if run.outcome == "flooded":
            told = "It wrote more than a run may write, so it was stopped. Only the beginning and the end are shown."
            parts.append(_sentence(told))
        if run.finished.at_deadline:
            parts.append(run.forensics._repr_html_())
        if attempt.logged("safepoint"):
            from safepointlab.culprit.log_report import run_notes

            parts += map(_sentence, run_notes.of_run(run))
    if attempt.error:  # in its own words, the lines of the source that it names, and what to do
        parts.append(f"<pre role='alert'>{escape(attempt.error)}</pre>")
        lines = attempt.source.splitlines()
        named = [int(first or second) for first, second in COMPLAINT.findall(attempt.error)][:MOST_PLACES]
        for number in dict.fromkeys(named):
            near = range(max(1, number - NEAR), min(len(lines), number + NEAR) + 1) if number <= len(lines) else ()
            rows = [f"{'▶' if n == number else ' '} {n:4d}  {escape(lines[n - 1])}" for n in near]
            parts += ["<pre class='sl-source'>" + "\n".join(rows) + "</pre>"] if rows else []
        parts.append(_sentence(WHAT_TO_DO.get(attempt.kind, "")))
    if attempt.run and attempt.run.values:
        values = [(name, f"{v:,}" if isinstance(v, float) else v) for name, v in attempt.run.values.items()]
        parts.append(f"<p>What it measured:</p>{_table(['name', 'value'], values)}")
    return "".join(parts)


def _output(attempt: Attempt, _: str) -> str:
    assert attempt.run
    parts = {"stdout": attempt.run.finished.stdout, "stderr": attempt.run.finished.stderr}
    texts = {name: bounded_text(path, MOST_SHOWN) for name, path in parts.items()}
    shown = [f"<h4>{name}</h4><pre tabindex='0'>{escape(text)}</pre>" for name, text in texts.items() if text]
    return "".join(shown) or _sentence("It printed nothing.")


def _command(attempt: Attempt, _: str) -> str:
    """The run's command line, the same in a cell, both with a button to copy them; and about each flag a line."""
    pre = "<pre class='sl-copy' tabindex='0'>{}</pre>".format
    run, code = attempt.run, pre(escape(attempt.choice.code(attempt.jdk)))
    shell = f"<p>To paste into a terminal:</p>{pre(escape(run.command))}" if run else ""
    lines = hints.about_flags(attempt.choice.flags, [attempt.jdk])
    facts = f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in lines)}</ul>" if lines else ""
    folder = _sentence(f"Recorded as {run.id}; lab.load({run.id!r}) finds it.") if run else ""
    return f"{shell}<p>The same in a cell:</p>{code}{facts}{folder}"


def _safepoints(attempt: Attempt, _: str) -> str:
    from safepointlab import plot

    run = attempt.run
    assert run
    frame = run.safepoints
    columns = [name for name in SAFEPOINT_COLUMNS if frame[name].notna().any()]
    count = f"{len(frame):,} safepoints and handshakes" + (", the longest:" if len(frame) > MOST_ROWS else ":")
    table = _sentence(count) + _frame(frame.nlargest(MOST_ROWS, "total_ms")[columns]) if len(frame) else ""
    return _picture(lambda ax: plot.safepoints(run, ax=ax)) + table


def _compilations(attempt: Attempt, _: str) -> str:
    """The life of the program's own methods; of everything that was compiled, where none of them was."""
    from safepointlab import plot

    run = attempt.run
    assert run
    frame = run.compilations
    own = frame[frame["method"].astype("string").str.contains(run.name, regex=False).fillna(False)]
    columns = [name for name in COMPILATION_COLUMNS if name in own and own[name].notna().any()]
    words = f"{len(frame):,} lines in the log, {len(own):,} of them on the program's own methods"
    rest = f", the last {MOST_ROWS}:" if len(own) > MOST_ROWS else ":" if len(own) else "."
    picture = _picture(lambda ax: plot.compilations(own if len(own) else run, ax=ax))
    return picture + _sentence(words + rest) + _frame(own[columns].tail(MOST_ROWS))


def _picture(draw: Callable[[Any], Any]) -> str:
    """What a function draws into Axes, as an image whose text is the finding and the numbers."""
    from matplotlib.figure import Figure

    from safepointlab.plot import _alternative, _spoken

    figure = Figure(figsize=INCHES, dpi=DPI, facecolor="white", layout="constrained")
    draw(figure.subplots())
    file = io.BytesIO()
    figure.savefig(file, format="png")
    return _spoken.html(base64.b64encode(file.getvalue()).decode(), _alternative.of(figure))


def _code(attempt: Attempt, method: str) -> str:
    """Source, bytecode and machine code of a method; unless one is named, of the first of `methods`."""
    from safepointlab import plot

    assert attempt.run
    named = method or attempt.choice.method
    named = named.replace(".", "::") if "::" not in named else named
    advice = "Source and bytecode only. For the machine code tick the log “assembly”, and run it again."
    note = "" if attempt.logged("assembly") else _sentence(advice)
    shown = plot.code(attempt.run, named or next(iter(methods(attempt.run)), ""))
    return note + str(shown._repr_html_())


def methods(run: Run) -> list[str]:
    """The methods of the program's class files, "Class::method": those that C2 compiled with a loop come first.

    Then come the other ones with machine code, those that the compilation log names, and those with bytecode alone: of
    the class that was started before those of its records. Constructors are last of their kind.
    """
    from safepointlab.logs.bytecode import back_edges

    listings, bytecode = [*_of_table(run, "loops"), *_of_table(run, "assembly")], _of_table(run, "bytecode")
    compiled = [name for name in _compiled(run) if name in bytecode]
    if compiled:
        looping = set(back_edges(run.bytecode)["method"])
        compiled.sort(key=lambda name: (name.endswith("<init>"), name not in looping))
    own = re.compile(rf"(.*\.)?{re.escape(run.name)}::")
    bytecode.sort(key=lambda name: (name.endswith("<init>"), not own.match(name)))
    return list(dict.fromkeys([*listings, *compiled, *bytecode]))


def _compiled(run: Run) -> list[str]:
    """The methods of the compilation log, by the highest tier first; none if the run has no such log."""
    try:
        frame = run.compilations[run.compilations["event"] == "compiled"]
    except LabError:
        return []
    by_tier = frame.assign(tier=frame["tier"].fillna(4)).sort_values("tier", ascending=False, kind="stable")
    return list(map(str, by_tier["method"].dropna().unique()))


def _of_table(run: Run, table: str) -> list[str]:
    """The methods of one of a run's tables, in its order; none if the run has no such table."""
    try:
        frame = getattr(run, table)
    except LabError:
        return []
    return list(map(str, frame["method"].dropna().unique())) if len(frame) else []


def _raw(attempt: Attempt, wanted: str) -> str:
    """Each log in a fold; with something to find, only the lines that have it, opened."""
    assert attempt.run
    shown = []
    for path in sorted(attempt.run.folder.iterdir()):
        lines = bounded_text(path, MOST_SHOWN * 10).splitlines() if path.suffix in (".log", ".txt", ".json") else []
        chosen = [f"{n:6d}  {line}" for n, line in enumerate(lines, 1) if wanted.lower() in line.lower()]
        if not chosen:
            continue
        text = "\n".join(chosen)
        cut = "\n… the rest is in the run's folder" if len(text) > MOST_SHOWN else ""
        count = f"{len(chosen):,} of {len(lines):,} lines" if wanted else f"{len(lines):,} lines"
        shown.append(
            f"<details{' open' if wanted else ''}><summary>{escape(path.name)}, {count}</summary>"
            f"<pre tabindex='0'>{escape(text[:MOST_SHOWN] + cut)}</pre></details>"
        )
    return "".join(shown)


def comparison(before: Attempt, after: Attempt) -> str:
    compared = compare(before, after)
    head = ["", f"#{before.number}", f"#{after.number}"]
    changed = _table(head, compared.changed) or _sentence("Nothing was changed. This is the same run again.")
    different = _table(head, compared.different) or _sentence("Nothing that the workbench compares.")
    once = "One run each: repeat before you believe a difference in time."
    same = _sentence(f"About the same: {', '.join(compared.same)}. {once}" if compared.same else once)
    return f"<h4>Changed</h4>{changed}<h4>Became different</h4>{different}{same}"


def _sentence(text: str) -> str:
    return f"<p>{escape(text)}</p>" if text else ""


def _table(head: list[str], rows: Sequence[Sequence[object]]) -> str:
    if not rows:
        return ""
    titles = "".join(f"<th scope='col'>{escape(title)}</th>" for title in head)
    body = "".join(
        f"<tr><th scope='row'>{escape(str(first))}</th>{''.join(f'<td>{escape(str(cell))}</td>' for cell in rest)}</tr>"
        for first, *rest in rows
    )
    return f"<div class='sl-wide'><table><thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table></div>"


def _frame(frame: Any) -> str:
    """A table of a log; what this JDK does not log is a dash."""
    rows = frame.round(3).astype("object").where(frame.notna(), "–")
    return _table(list(map(str, rows.columns)), rows.to_numpy().tolist())


TABS: dict[str, Callable[[Attempt, str], str]] = {
    "outcome": _outcome, "output": _output, "command": _command, "safepoints": _safepoints,
    "compilations": _compilations, "code": _code, "raw": _raw,
}  # fmt: skip
LOGS = {"safepoints": "safepoint", "compilations": "compilation"}  # the log that a tab needs
