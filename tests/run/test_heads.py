"""Every Java file of the lab opens with a whole head; each of its RUN lines ends and prints as its EXPECT says.

    exited; heard = in_mid_loop; 3 * gc_ms < above.gc_ms; no /odd numbers/

hung, exited         the program was killed at its deadline, or ended by itself without an error
name = text          the program printed `name=text`, once
a > 2 * b            numbers: `name=12`, `At safepoint: 12 ns` in a log (At_safepoint), the score of a benchmark
median(a)            of a name that was printed several times: first, last, min, max, median, count
above.a              the value in the output of the RUN line before
/regex/              some line matches; `no /regex/`: no line; `/regex/ 5 times`, `/regex/ at least 5 times`
"""

import ast
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
from collections import defaultdict
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

from safepointlab import jdks
from safepointlab.jdks import jars
from safepointlab.process import home
from safepointlab.run import benchmarks, build, head

DEADLINE_S = 150
HEADS = [head.read(source) for source in (*build.sample_files(), *benchmarks.sources())]
NOTEBOOKS = {path.stem for path in (home.PROJECT / "notebooks").glob("*.ipynb")}
FORMS = {  # of a term
    "outcome": re.compile(r"hung|exited"),
    "lines": re.compile(r"(no )?/(.+)/(?: (at least )?(\d+) times)?"),
    "equal": re.compile(r"(\w+) = (\S+)"),
    "relation": re.compile(r".+ [<>]=? .+"),  # the one form that a busy machine may falsify
}
NUMBERS = (
    re.compile(r"\b([A-Za-z_]\w*)=([^\s,;]+)"),  # "gc_ms=929", "    558 heard=in_mid_loop" behind a line of a log
    re.compile(r"(?:^|[,\]] )([A-Za-z][\w ]*): +(\d[\d.]*)", re.MULTILINE),  # "Cleanup: 69679 ns", "request 1: 1261 ms"
)
# " 17 default   threads.BesideGc.side   side avgt        2     gc 111983.542750 us/op": benchmark, metric, score
SCORED = re.compile(r"\.(\w+) +\w+ +(?:avgt|thrpt|sample|ss) +\d+ +(\S+) +([\d.]+)")
PICKED = {
    "first": lambda values: values[0], "last": lambda values: values[-1], "min": min, "max": max,
    "median": statistics.median, "count": len,
}  # fmt: skip


class Printed(NamedTuple):
    """The result of a RUN line: its end ("exited", "hung" or the exit code), its output, the line above's result."""

    outcome: str
    text: str
    above: "Printed | None" = None

    @property
    def values(self) -> dict[str, list[str]]:
        """Each name with all its values, in the order of the output; a dot in a metric's name counts as `_`."""
        values = defaultdict(list)
        for name, value in [pair for numbers in NUMBERS for pair in numbers.findall(self.text)]:
            values[re.sub(r"\W", "_", name)].append(value)
        for method, metric, score in SCORED.findall(self.text):
            values[method if metric == "score" else metric.replace(".", "_")].append(score)
        return values

    @property
    def numbers(self) -> dict[str, Any]:
        """The numbers by name: one number, or a list of those that were printed several times."""
        numbers: dict[str, Any] = {}
        for name, values in self.values.items():
            with suppress(ValueError):
                parsed = [float(value) for value in values]
                numbers[name] = parsed if len(parsed) > 1 else parsed[0]
        return numbers


def expectations(one: head.Head) -> list[str]:
    """The lines under EXPECT that begin with `=`, without it: one for each RUN line that starts a program."""
    return [re.sub(r"\s+", " ", line[1:]).strip() for line in one.lines("EXPECT") if line.startswith("=")]


def form(term: str) -> str:
    return next((name for name, pattern in FORMS.items() if pattern.fullmatch(term)), "")


def terms(expectation: str) -> list[str]:
    return re.split(r"; *", expectation)


def holds(term: str, printed: Printed) -> bool:
    parts = FORMS[form(term)].fullmatch(term)
    match form(term):
        case "outcome":
            return printed.outcome == term
        case "equal":
            return printed.values.get(parts[1]) == [parts[2]]
        case "lines":
            no, pattern, at_least, times = parts.groups()
            matching = sum(bool(re.search(pattern, line)) for line in printed.text.splitlines())
            return (
                matching == int(times)
                if times and not at_least
                else matching == 0
                if no
                else matching >= int(times or 1)
            )
    names: dict[str, Any] = {name: picks(pick) for name, pick in PICKED.items()}
    names |= printed.numbers | ({"above": SimpleNamespace(**printed.above.numbers)} if printed.above else {})
    with suppress(NameError, AttributeError, TypeError):  # a name that was not printed, or several times
        return bool(eval(expression(term), names))
    return False


def picks(pick):
    """The function of a list, for numbers and lists of them."""
    return lambda *values: pick([one for each in values for one in (each if isinstance(each, list) else [each])])


def expression(term: str) -> str:
    return re.sub(r"\b(?!above\b)([A-Za-z_]\w*)\.(?=[A-Za-z])", r"\1_", term)


LOG = '[1.2s][info][safepoint] Safepoint "ThreadDump", Reaching safepoint: 15 ns, At safepoint: 200 ns, Total: 215 ns\n'
TABLE = " 17 default   cost.BesideDumps.beside   beside avgt        2 {} 55.6 46.3 us/op\n"


@pytest.mark.each(
    ("line", "text"),
    [
        ("exited", ""),
        ("heard = in_mid_loop", "    558 heard=in_mid_loop"),
        ("2 * gc_ms < heard_ms + 1", "gc_ms=2\nheard_ms=3.5"),
        ("Reaching_safepoint < At_safepoint / 10", LOG),
        ("count(Total) >= 2", LOG * 2),
        ("max(ns_1, ns_2) > 3", "ns_1=1\nns_2=4"),
        ("beside > 50; contains1 > 50", TABLE.format("score") + TABLE.format("contains1")),
        ("safepoints.pause > 50", TABLE.format("safepoints.pause")),
        ("request_1 > 1000", "request 1: 1261 ms"),
        ('/"ThreadDump"/ 2 times; /Safepoint/ at least 2 times; no /Cleanup/', LOG * 2),
        ("2 * gc_ms < above.gc_ms", "gc_ms=3"),
    ],
)
def test_what_a_run_printed_meets_its_expectation(line, text):
    printed = Printed("exited", text, above=Printed("exited", "gc_ms=7"))
    assert [term for term in terms(line) if not holds(term, printed)] == []


@pytest.mark.each("term", ["hung", "gc_ms = 3", "gc_ms > 7", "none > 0", "/gc/ 2 times", "no /gc/", "above.x > 2"])
def test_a_term_that_does_not_hold_is_noticed(term):
    assert not holds(term, Printed("exited", "gc_ms=7", above=Printed("exited", "x=1")))


def test_no_two_programs_share_a_name():
    names = [one.source.stem for one in HEADS]
    assert len(names) == len(set(names)) and {"KillerTask", "AddOne"} <= set(names)


@pytest.mark.each("one", HEADS)
def test_a_head_has_every_part_in_order_and_names_notebooks_that_there_are(one):
    assert len(one.about) == 2 and one.about[0].startswith(f"{one.source.stem}: ")
    optional = ("ARGUMENTS", "LANGUAGE")
    assert [part for part in one.parts if part not in optional] == [part for part in head.PARTS if part not in optional]
    assert all(any(lines) for lines in one.parts.values()) and "?" in " ".join(one.parts["QUESTION"])
    assert ("args.length" not in one.source.read_text()) or "ARGUMENTS" in one.parts
    assert {word.strip(",()") for word in one.parts["NOTEBOOK"][0].split()} & NOTEBOOKS


@pytest.mark.each("one", HEADS)
def test_each_run_line_that_starts_a_program_has_an_expectation_that_can_be_compared(one):
    assert len(expectations(one)) == len([line for line in one.run_lines if not line.compiles])
    for term in [term for line in expectations(one) for term in terms(line)]:
        assert form(term), term
        if form(term) == "relation":
            ast.parse(expression(term), mode="eval")


def test_a_run_line_goes_on_after_a_backslash_and_a_comment_names_its_jdk(tmp_path):
    sample = tmp_path / "topic" / "One.java"
    sample.parent.mkdir()
    run = "// RUN       # with JDK 8:\n//           java \\\n//           One\n"
    sample.write_text(f"// One: a queue, nearly empty, that\n// leaks. It is correct.\n{run}class One {{}}\n")
    one = head.read(sample)
    assert one.run_lines == [head.Line("java One", 8)] and one.title == "a queue, nearly empty, that leaks."


def test_a_line_compiles_if_a_compiler_is_its_last_command():
    lines = ["mkdir -p c && javac -d c A.java", "java -jar ${ECJ:-ecj.jar} A.java", "javac A.java && java A", "javap A"]
    assert [head.Line(line, 17).compiles for line in lines] == [True, True, False, False]


def test_the_samples_readme_is_what_the_heads_say():
    command = [sys.executable, str(home.PROJECT / "scripts" / "samples_readme.py"), "--check"]
    checked = subprocess.run(command, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr
    readme = home.PROJECT / "java-samples" / "README.md"
    text = readme.read_text()
    assert not [one.name for one in HEADS if f"({one.source.relative_to(readme.parent)})" not in text]
    assert not [word for word in head.PARTS if f"| `{word}` |" not in text]


def run_lines():
    for one in HEADS:
        relation = any(form(term) == "relation" for line in expectations(one) for term in terms(line))
        for number in range(len(expectations(one))):
            yield pytest.param(one, number, id=f"{one.name}-{number + 1}", marks=[pytest.mark.timed] * relation)


@pytest.mark.live
@pytest.mark.timeout(4 * DEADLINE_S)
@pytest.mark.parametrize(("one", "number"), list(run_lines()))
def test_a_run_line_does_what_its_head_expects(one, number, folders):
    by_option = " ".join(re.findall(r"--jdk ([\d ]+)", " ".join(line.text for line in one.run_lines)))
    needed = {line.jdk for line in one.run_lines} | {int(major) for major in by_option.split()}
    if missing := needed - {jdk.major for jdk in jdks.find()}:
        pytest.skip(f"no JDK {', '.join(map(str, sorted(missing)))}")
    printed = typed(one, number, prepared(one, folders))
    wrong = [term for term in terms(expectations(one)[number]) if not holds(term, printed)]
    assert not wrong, f"{wrong}: {printed.outcome}\n{printed.text[-4000:]}"


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where each sample that runs has a folder of its own."""
    return tmp_path_factory.mktemp("samples")


@cache
def prepared(one: head.Head, base: Path) -> Path:
    """The folder of a sample, with what its RUN lines need, compiled."""
    folder = base / one.name
    folder.mkdir(parents=True)
    shutil.copy(one.source, folder)
    for coordinate in one.libraries:
        shutil.copy(jars.fetch(coordinate), folder)
    for line in one.run_lines:
        if line.compiles:
            assert type_in(line, folder, JAVA_TOOL_OPTIONS="-XX:TieredStopAtLevel=1").outcome == "exited"
    return folder


@cache
def typed(one: head.Head, number: int, folder: Path) -> Printed:
    """What the line printed, after the one above it; each is typed once."""
    line = [line for line in one.run_lines if not line.compiles][number]
    return type_in(line, folder, typed(one, number - 1, folder) if number else None)


def type_in(line: head.Line, folder: Path, above: Printed | None = None, **environment: str) -> Printed:
    """The line in the environment of a reader who has that JDK, the lab and Eclipse's compiler at hand."""
    path = f"{jdks.get(line.jdk).java.parent}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    desk = os.environ | {"PATH": path, "ECJ": str(build.fetch_ecj([*build.ECJ][-1]))}
    shell = subprocess.Popen(
        ["bash", "-c", line.text], cwd=folder, env=desk | environment, text=True, start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    try:
        text = shell.communicate(timeout=DEADLINE_S)[0]
    finally:
        with suppress(ProcessLookupError):
            os.killpg(shell.pid, signal.SIGKILL)
    return Printed({0: "exited", -9: "hung", 137: "hung"}.get(shell.returncode, str(shell.returncode)), text, above)
