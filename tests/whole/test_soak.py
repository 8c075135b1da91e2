"""scripts/soak.py and scripts/flood.py in small: what they demand of 1,000 hung JVMs and of 10 GB holds of a few."""

import subprocess
import sys

import pytest

from safepointlab import jdks


def script(project, name, *words):
    command = [sys.executable, project / "scripts" / name, *map(str, words)]
    return subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=240, check=False)


@pytest.mark.live
def test_labs_that_are_killed_crowded_or_short_of_disk_lose_no_run_and_leave_no_jvm(project):
    done = script(project, "soak.py", "--hangs", 12, "--jobs", 2, "--jdks", jdks.find()[-1].major)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "| labs killed by SIGKILL |" in done.stdout and "| recorded as hung |" in done.stdout
    assert "| recorded runs lost or half written | 0 |" in done.stdout


@pytest.mark.live
def test_a_flood_takes_no_memory_and_a_bounded_disk_and_the_result_says_so(project):
    done = script(project, "flood.py", "--gb", 3, "--jdk", jdks.find()[-1].major, "--ways", "stdout", "log", "files")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("| flooded |") == 3
