"""Attempts without a JVM: a run's folder as a JVM would have left it."""

from pathlib import Path

import pytest

from safepointlab.process.recording import Finished
from safepointlab.run.run import Run
from safepointlab.widgets.workbench.attempt import Attempt
from safepointlab.widgets.workbench.choice import Choice

STOP = (
    '[0.552s][info][safepoint] Safepoint "{name}", Time since last: 435972622 ns, Reaching safepoint: {ttsp} ns, '
    "At safepoint: 15947693 ns, Leaving safepoint: 14222 ns, Total: 15968294 ns, Threads: 1 runnable, 10 total\n"
)


@pytest.fixture
def attempt(tmp_path):
    """attempt(1, output="...", outcome="hung", ...): a finished run of JDK 17, and the choice it was made by."""

    def make(number, outcome="exited", exit_code=0, output="", stops=(), wall_ms=400.0, source="", **choice) -> Attempt:
        chosen = Choice(**{"program": "hang/KillerTask", "jdks": ("17",), "logs": ("safepoint",), **choice})
        folder = tmp_path / f"run{number}"
        folder.mkdir()
        (folder / "stdout.txt").write_text(output)
        (folder / "stderr.txt").write_text("")
        (folder / "safepoint.log").write_text("".join(STOP.format(name=name, ttsp=ttsp) for name, ttsp in stops))
        return Attempt(number, chosen, "17", Run(finished(folder, chosen, outcome, exit_code, wall_ms)), source=source)

    return make


def finished(folder: Path, choice: Choice, outcome: str, exit_code: int | None, wall_ms: float) -> Finished:
    about = {"request": choice.request("17").to_dict(), "jdk": {"major": 17, "version": "17.0.15", "home": "/jdk"}}
    code = exit_code if outcome == "exited" else None
    command = ("/jdk/bin/java", *choice.flags.split(), "KillerTask")
    return Finished(command, folder, outcome, code, "2026-01-01T00:00:00", wall_ms, wall_ms, 40.0, about=about)
