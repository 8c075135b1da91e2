"""Each RUN line of each head, typed in the sample's folder, ends and prints as its EXPECT says."""

import os
import re
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest

from safepointlab import jdks
from safepointlab.jdks import jars
from safepointlab.run import benchmarks, build, expectation, head
from safepointlab.run.expectation import Printed, Relation

DEADLINE_S = 150
HEADS = [head.read(source) for source in (*build.sample_files(), *benchmarks.sources())]

pytestmark = [pytest.mark.live, pytest.mark.timeout(4 * DEADLINE_S)]


def compares_times(one: head.Head) -> bool:
    terms = [term for line in one.expectations for term in expectation.parse(line).values()]
    return any(isinstance(term, Relation) for term in terms)


PARAMETERS = [
    pytest.param(one, number, id=f"{one.name}-{number + 1}", marks=[pytest.mark.timed] * compares_times(one))
    for one in HEADS
    for number in range(len(one.expectations))
]


@pytest.mark.parametrize(("one", "number"), PARAMETERS)
def test_a_run_line_does_what_its_head_expects(one, number, folders):
    if missing := needed(one) - installed():
        pytest.skip(f"no JDK {', '.join(map(str, sorted(missing)))}")
    printed = typed(one, number, prepared(one, folders))
    assert not expectation.wrong(one.expectations[number], printed), f"{printed.outcome}\n{printed.text[-4000:]}"


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where each sample that runs has a folder of its own."""
    return tmp_path_factory.mktemp("samples")


def needed(one: head.Head) -> set[int]:
    """The JDKs that its RUN lines want, by PATH or as `safepoint run --jdk 8`."""
    named = " ".join(re.findall(r"--jdk ([\d ]+)", " ".join(line.text for line in one.run_lines)))
    return {line.jdk for line in one.run_lines} | {int(major) for major in named.split()}


@cache
def installed() -> set[int]:
    return {jdk.major for jdk in jdks.find()}


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
    above = typed(one, number - 1, folder) if number else None
    return type_in(line, folder, above)


def type_in(line: head.Line, folder: Path, above: Printed | None = None, **environment: str) -> Printed:
    command = ["bash", "-c", line.text]
    shell = subprocess.Popen(
        command, cwd=folder, env=desk(line.jdk) | environment, text=True, start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    try:
        text = shell.communicate(timeout=DEADLINE_S)[0]
    finally:
        with suppress(ProcessLookupError):
            os.killpg(shell.pid, signal.SIGKILL)
    return Printed({0: "exited", -9: "hung", 137: "hung"}.get(shell.returncode, str(shell.returncode)), text, above)


def desk(jdk: int) -> dict[str, str]:
    """The environment of a reader who has that JDK, the lab and Eclipse's compiler at hand."""
    path = f"{jdks.get(jdk).java.parent}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    return os.environ | {"PATH": path, "ECJ": str(build.fetch_ecj([*build.ECJ][-1]))}
