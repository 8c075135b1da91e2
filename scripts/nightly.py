"""Everything that is tested, the gate included -> what passed, in how many minutes; 1 if any part failed.

    .venv/bin/python scripts/nightly.py                   # all parts, which takes hours
    .venv/bin/python scripts/nightly.py live soak         # these parts alone
    .venv/bin/python scripts/nightly.py live soak --write # and their rows in docs/figures.md, as after all parts

The last result of each part is kept in docs/nightly.json, from which the section in docs/figures.md is made.

Nothing else should run on the machine. A test that compares times (`timed`) fails where other programs take the CPU;
one JVM is one sample, so each of these tests runs up to five times and has to pass four times.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import section

from safepointlab import jdks

PROJECT = Path(__file__).resolve().parents[1]
REPORT = PROJECT / "build" / "nightly.xml"
RECORD = PROJECT / "docs" / "nightly.json"  # by part: what it came to, when, at which commit, in how many minutes
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


Part = Callable[[bool], Result]  # whether a script writes what it measured into docs/figures.md -> what it came to


def main() -> int:
    """Run the parts, print what each came to, and write it down if it was all of them or is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", choices=[[], *PARTS], help=f"of {', '.join(PARTS)}")
    parser.add_argument("--write", action="store_true", help="keep the result of these parts")
    arguments = parser.parse_args()
    writes = arguments.write or not arguments.parts
    records, ok = dict[str, dict[str, Any]](), True
    for part in arguments.parts or PARTS:
        print(f"\n=== {part}: {PARTS[part][0]}", flush=True)
        begin, commit = time.monotonic(), described_commit()
        result = PARTS[part][1](writes)
        ok = ok and result.ok
        minutes = round((time.monotonic() - begin) / 60)
        records[part] = {
            "date": f"{datetime.now(UTC):%Y-%m-%d}",
            "commit": commit,
            "minutes": minutes,
            **vars(result),
        }
    if writes:
        kept = json.loads(RECORD.read_text("utf-8")) if RECORD.exists() else {}
        records = {part: {**kept, **records}[part] for part in PARTS if part in kept or part in records}
        RECORD.write_text(json.dumps(records, indent=1) + "\n", "utf-8")
        section.write(HEADING, described(records))
    print(f"\n{described(records)}")
    return int(not ok)


def described_commit() -> str:
    """The commit, and "-dirty" where the tree has other changes than this script's own records."""
    done = subprocess.run(["git", "describe", "--always"], cwd=PROJECT, capture_output=True, text=True, check=True)
    changes = subprocess.run(["git", "status", "--short"], cwd=PROJECT, capture_output=True, text=True, check=True)
    own = {"docs/figures.md", "docs/nightly.json"}
    return done.stdout.strip() + "-dirty" * any(line[3:] not in own for line in changes.stdout.splitlines())


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
    """The part that is one of scripts/; where results are kept, it writes what it measured into docs/figures.md."""
    words = [sys.executable, f"scripts/{name}.py", *options]
    return lambda keep: command(*words, *["--write"] * (keep and writes))(keep)


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
    "surprises": ("the answers of pages 17, 18 and 24, 20 times", script("surprises")),
    "surprises_busy": ("the same beside two busy loops", script("surprises", "--busy", "2", "--jobs", "2")),
    "gigabyte": ("a gigabyte of each kind of log", script("gigabyte")),
    "harness": ("what the harness and its logs cost", script("harness")),
}


def described(records: Mapping[str, Mapping[str, Any]]) -> str:
    """The section's text: a table of the parts, what failed, and what was skipped."""
    majors = ", ".join(str(major) for major in sorted({jdk.major for jdk in jdks.find()}))
    machine = f"{platform.system()} {platform.machine()}, {len(os.sched_getaffinity(0))} cores"
    first = f"`make nightly`, {machine}, JDKs {majors}; each part when it ran last."
    rows = []
    for part, record in records.items():
        tests = ", ".join(f"{number:,} {word}" for word, number in record["counts"].items() if number)
        outcome = f"{'passed' if record['ok'] else '**failed**'}{f': {tests}' if tests else ''}"
        rows.append((part, PARTS[part][0], outcome, str(record["minutes"]), record["date"], record["commit"]))
    rows.append(("in all", "", "", str(sum(record["minutes"] for record in records.values())), "", ""))
    table = section.table(("part", "what it runs", "result", "minutes", "date", "commit"), rows)
    return "\n\n".join([first, table, *notes(records)])


def notes(records: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    failed = [f"- {part}: `{name}`" for part, record in records.items() for name in record["failed"]]
    once = [f"- `{name}`" for record in records.values() for name in record["once"]]
    skipped = sum((Counter[str](record["skipped"]) for record in records.values()), Counter[str]())
    if failed:
        yield "\n".join(["Failed:", "", *failed])
    if once:
        yield "\n".join(["Passed four times of five:", "", *once])
    if skipped:
        yield "\n".join(["Skipped:", "", *(f"- {number}: {why}" for why, number in skipped.most_common())])


if __name__ == "__main__":
    sys.exit(main())
