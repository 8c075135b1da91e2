"""disturbances.py: a request counts as disturbed if no run of it was quiet."""

import json
import os

import pytest

from safepointlab.process import disturbances, home
from safepointlab.process.quiet import Quiet
from safepointlab.process.recording import RECORD, Finished, as_json

BUSY, CALM = Quiet(1000.0, 1, 500.0, 0.0, 0.0), Quiet(1000.0, 1, 0.0, 0.0, 0.0)


@pytest.fixture
def record(tmp_path, monkeypatch):
    monkeypatch.setenv("SAFEPOINTLAB_RUNS", str(tmp_path))

    def write(name, quiet, at=2000.0):
        folder = home.runs() / name
        folder.mkdir()
        data = Finished(("java",), folder, "exited", 0, "", 1000.0, 900.0, 1.0, quiet=quiet.to_dict() if quiet else {})
        (folder / RECORD).write_text(json.dumps(as_json(data)))
        os.utime(folder / RECORD, (at, at))

    return write


def test_a_disturbed_run_is_named_with_its_numbers(record):
    record("Tick-0aff-20261122T100000-1", BUSY)
    [line] = disturbances.disturbed(since=1000.0)
    assert line.startswith("Tick-0aff disturbed: other processes took 0 %") and "the host 50 %" in line


def test_a_request_that_was_run_again_quietly_is_not(record):
    record("Tick-0aff-20261122T100000-1", BUSY)
    record("Tick-0aff-20261122T100001-2", CALM)
    assert disturbances.disturbed(since=1000.0) == []


def test_runs_from_before_and_without_numbers_do_not_count(record):
    record("Tick-0aff-20261122T100000-1", BUSY, at=500.0)
    record("Tock-0aff-20261122T100000-1", None)
    assert disturbances.disturbed(since=1000.0) == []


def test_runs_made_side_by_side_on_purpose_do_not_count(record):
    record("Tick-0aff-20261122T100000-1", Quiet(1000.0, 1, 500.0, 0.0, 0.0, beside=2))
    assert disturbances.disturbed(since=1000.0) == []
