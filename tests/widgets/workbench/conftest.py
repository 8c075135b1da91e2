"""Attempts without a JVM: a run's folder as a JVM would have left it."""

import pytest

from safepointlab.process.recording import Finished
from safepointlab.run import request
from safepointlab.run.run import Run
from safepointlab.widgets.workbench.bench import Attempt, Choice

STOP = (
    '[0.552s][info][safepoint] Safepoint "{name}", Time since last: 435972622 ns, Reaching safepoint: {ttsp} ns, '
    "At safepoint: 15947693 ns, Leaving safepoint: 14222 ns, Total: 15968294 ns, Threads: 1 runnable, 10 total\n"
)


def request_of(choice: Choice, jdk: str) -> request.Request:
    settings = {name: value for name, value in choice.settings().items() if name != "deadline"}
    return request.make(choice.program, jdk, **settings)


@pytest.fixture
def attempt(tmp_path):
    """attempt(1, output="...", outcome="hung", ...): a finished run of JDK 17, and the choice it was made by."""

    def make(number, outcome="exited", exit_code=0, output="", stops=(), wall_ms=400.0, source="", **choice) -> Attempt:
        chosen = Choice(**{"program": "hang/KillerTask", "jdk": ("17",), "log": ("safepoint",), **choice})
        folder = tmp_path / f"run{number}"
        folder.mkdir()
        (folder / "stdout.txt").write_text(output)
        (folder / "stderr.txt").write_text("")
        (folder / "safepoint.log").write_text("".join(STOP.format(name=name, ttsp=ttsp) for name, ttsp in stops))
        jdk = {"major": 17, "version": "17.0.15", "home": "/jdk"}
        about = {"request": request_of(chosen, "17").to_dict(), "jdk": jdk}
        code = exit_code if outcome == "exited" else None
        command = ("/jdk/bin/java", *chosen.flags.split(), "KillerTask")
        silent = {"question": "jcmd", "answered": False, "ms": 1.0}
        nobody = {"pid": 7, "took_ms": 1.0, "holdup": None, "holdup_why": "", "thread_uses": [], "late": []}
        at_deadline = {**nobody, "answers": [silent]} if outcome == "hung" else {}
        times = ("2026-01-01T00:00:00", wall_ms, wall_ms, 40.0)
        ended = Finished(command, folder, outcome, code, *times, at_deadline, about)
        return Attempt(number, chosen, "17", Run(ended), source=source)

    return make
