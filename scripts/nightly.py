"""Everything that is tested, the gate included -> what passed, in how many minutes; 1 if any part failed.

    .venv/bin/python scripts/nightly.py           # all parts, which takes hours; the result goes into docs/figures.md
    .venv/bin/python scripts/nightly.py live soak # these parts alone; the result is printed

Nothing else should run on the machine. A test that compares times (`timed`) fails where other programs take the CPU;
one JVM is one sample, so each of these tests runs up to five times and has to pass four times.
"""

import argparse
import os
import platform
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree

import section

from safepointlab import jdks

PROJECT = Path(__file__).resolve().parents[1]
REPORT = PROJECT / "build" / "nightly.xml"
HEADING = "The last nightly"
TRIES, NEEDED = 5, 4  # of a test that compares times
ALONE = "timed or notebook or browser or newcomer or container"

Outcome = tuple[str, str, str]  # of a test: its name; passed, failed or skipped; why it was skipped


@dataclass
class Result:
    """What one part came to. Tests are counted where pytest ran them; a script has its exit status alone."""

    ok: bool
    counts: Counter[str] = field(default_factory=Counter)
    failed: list[str] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)
    once: list[str] = field(default_factory=list)  # failed one of their tries

    def words(self) -> str:
        """The cell of the table."""
        tests = ", ".join(f"{number:,} {word}" for word, number in self.counts.items() if number)
        return f"{'passed' if self.ok else '**failed**'}{f': {tests}' if tests else ''}"


Part = Callable[[bool], Result]  # whether it is part of a whole night -> what it came to


def main() -> int:
    """Run the parts, print what each came to, and write the section if it was all of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", choices=[[], *PARTS], help=f"of {', '.join(PARTS)}")
    chosen = parser.parse_args().parts or list(PARTS)
    whole = chosen == list(PARTS)
    results, minutes = {}, {}
    for part in chosen:
        print(f"\n=== {part}: {PARTS[part][0]}", flush=True)
        begin = time.monotonic()
        results[part] = PARTS[part][1](whole)
        minutes[part] = (time.monotonic() - begin) / 60
    text = described(results, minutes)
    print(f"\n{text}")
    if whole:
        section.write(HEADING, text)
    return int(not all(result.ok for result in results.values()))


def tests(chosen: str, *options: str) -> Part:
    """The part that consists of the tests with these markers."""
    return lambda _: pytest("-m", chosen, *options)


def pytest(*options: str) -> Result:
    """One run of pytest."""
    REPORT.parent.mkdir(exist_ok=True)
    REPORT.unlink(missing_ok=True)
    command = [sys.executable, "-uP", "-m", "pytest", "--durations=15", f"--junitxml={REPORT}", *options]
    status = subprocess.run(command, cwd=PROJECT, check=False).returncode
    result = Result(ok=status == 0)
    for name, outcome, why in outcomes(REPORT) if REPORT.exists() else ():
        result.counts[outcome] += 1
        if outcome == "failed":
            result.failed.append(name)
        elif outcome == "skipped":
            result.skipped[why] += 1
    return result


def outcomes(report: Path) -> Iterator[Outcome]:
    """Each test of a JUnit report."""
    for case in ElementTree.parse(report).iter("testcase"):
        name = f"{case.get('classname', '')}::{case.get('name', '')}".removeprefix("tests.")
        skipped = case.find("skipped")
        if case.find("failure") is not None or case.find("error") is not None:
            yield name, "failed", ""
        elif skipped is not None:
            yield name, "skipped", skipped.get("message", "")
        else:
            yield name, "passed", ""


def times(_: bool) -> Result:
    """The tests that compare times; a try that other programs disturbed has failed."""

    def tries() -> Iterator[list[Outcome]]:
        for _ in range(TRIES):
            pytest("-m", "timed", "-n", "0")
            yield list(outcomes(REPORT)) if REPORT.exists() else []

    return decided(tries())


def decided(tries: Iterable[Iterable[Outcome]]) -> Result:
    """Which tests pass four tries of five; a fifth is not asked for if four decide them all."""
    passed, failed, skipped = Counter[str](), Counter[str](), Counter[str]()
    for number, tried in enumerate(tries, 1):
        for name, outcome, why in tried:
            if outcome == "skipped":
                skipped[why] += number == 1
            else:
                (passed if outcome == "passed" else failed)[name] += 1
        if number == NEEDED and all(failed[name] != TRIES - NEEDED for name in failed):
            break
    names = passed | failed
    wrong = sorted(name for name in names if passed[name] < NEEDED)
    once = sorted(name for name in failed if name not in wrong)
    counts = Counter(passed=len(names) - len(wrong), failed=len(wrong), skipped=skipped.total())
    return Result(not wrong and bool(names), counts, wrong, skipped, once)


def script(name: str, *options: str, writes: bool = True) -> Part:
    """The part that is one of scripts/; in a whole night it writes what it measured into docs/figures.md itself."""
    words = [sys.executable, f"scripts/{name}.py", *options]
    return lambda whole: command(*words, *["--write"] * (whole and writes))(whole)


def command(*words: str, **environment: str) -> Part:
    """The part that is a command; it passes if the exit status is 0."""
    env = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", **environment}
    return lambda _: Result(ok=subprocess.run(words, cwd=PROJECT, env=env, check=False).returncode == 0)


PARTS: dict[str, tuple[str, Part]] = {
    "gate": ("what `make test` runs", tests("not nightly", "-n", "2", "--dist", "worksteal")),
    "live": ("runs in JVMs of each JDK", tests(f"nightly and not ({ALONE})", "-n", "2", "--dist", "loadfile")),
    "times": ("relations between times, each in up to five runs", times),
    "course": (
        "every page, live, in the profile standard",
        command("safepoint", "notebooks", SAFEPOINTLAB_PROFILE="standard"),
    ),
    "bundle": ("the file for a room without a network", command("make", "bundle")),
    "whole": (
        "browsers, a newcomer's first minutes, wheel, bundle, image",
        tests("nightly and not timed and (notebook or browser or newcomer or container)"),
    ),
    "class": ("twenty students on one JupyterHub", script("class_of_twenty")),
    "soak": ("a thousand hung JVMs", script("soak")),
    "flood": ("programs that write 10 GB", script("flood")),
    "fuzz": ("a million damaged lines", script("fuzz", writes=False)),
    "cuts": ("the tests' logs, cut at every 97th byte", script("fuzz", "--cuts", writes=False)),
    "gigabyte": ("a gigabyte of each kind of log", script("gigabyte")),
    "harness": ("what the harness and its logs cost", script("harness")),
}


def described(results: dict[str, Result], minutes: dict[str, float]) -> str:
    """The section's text: a table of the parts, what failed, and what was skipped."""
    commit = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=PROJECT, capture_output=True, text=True)
    majors = ", ".join(str(major) for major in sorted({jdk.major for jdk in jdks.find()}))
    machine = f"{platform.system()} {platform.machine()}, {len(os.sched_getaffinity(0))} cores"
    first = f"`make nightly`, {datetime.now(UTC):%Y-%m-%d}, commit {commit.stdout.strip()}, {machine}, JDKs {majors}."
    rows = [(part, PARTS[part][0], results[part].words(), f"{minutes[part]:.0f}") for part in results]
    rows.append(("in all", "", "", f"{sum(minutes.values()):.0f}"))
    table = section.table(("part", "what it runs", "result", "minutes"), [tuple(row) for row in rows])
    return "\n\n".join([first, table, *notes(results)])


def notes(results: dict[str, Result]) -> Iterator[str]:
    failed = [f"- {part}: `{name}`" for part, result in results.items() for name in result.failed]
    once = [f"- `{name}`" for result in results.values() for name in result.once]
    skipped = sum((result.skipped for result in results.values()), Counter[str]())
    if failed:
        yield "\n".join(["Failed:", "", *failed])
    if once:
        yield "\n".join(["Passed four times of five:", "", *once])
    if skipped:
        yield "\n".join(["Skipped:", "", *(f"- {number}: {why}" for why, number in skipped.most_common())])


if __name__ == "__main__":
    sys.exit(main())
