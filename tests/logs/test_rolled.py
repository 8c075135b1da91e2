"""Files of a log that was rolled are read as the one log that they were, in whatever order they are given."""

import gzip
import itertools
from pathlib import Path

import pytest

from safepointlab.logs import gc, safepoint
from safepointlab.logs.lines import rolled
from tests.logs.conftest import DATA

STOP = (
    '{stamp}[info][safepoint] Safepoint "Cleanup", Time since last: 1 ns, Reaching safepoint: 5 ns, '
    "At safepoint: 3 ns, Total: 8 ns\n"
)


def files(folder: Path, texts: dict[str, str]) -> list[Path]:
    """The files, the last in front."""
    for name, text in texts.items():
        packed = gzip.compress(text.encode()) if name.endswith(".gz") else text.encode()
        (folder / name).write_bytes(packed)
    return [folder / name for name in reversed(texts)]


@pytest.mark.each(
    "names",
    [
        ("gc.log.0", "gc.log.1", "gc.log.2", "gc.log"),
        ("gc.log.3", "gc.log.4", "gc.log.0", "gc.log"),  # the number after the last is 0
        ("gc.log.09", "gc.log.10", "gc.log.00", "gc.log"),
        ("gc.log.1", "gc.log.2", "gc.log.0.current"),
        ("gc.log.3.gz", "gc.log.2.gz", "gc.log.1", "gc.log"),  # logrotate counts backwards
        ("gc.log-20240501.gz", "gc.log-20240502", "gc.log"),
        ("gc-pid7.log.2021-10-08_21-57-44.0", "gc-pid7.log.1.current"),
    ],
)
@pytest.mark.each("stamp", ["[{at}.000s]", "[2024-05-01T10:00:{at:02}.000+0000]"])
def test_files_are_ordered_by_when_they_were_begun(names, stamp, tmp_path):
    texts = {name: STOP.format(stamp=stamp.format(at=number)) for number, name in enumerate(names, 1)}
    [log] = rolled.joined(files(tmp_path, texts))
    assert [path.name for path in log] == list(names)
    assert len(safepoint.read(log)) == len(names)


def test_a_jvm_that_started_anew_goes_on_in_the_next_file(tmp_path):
    texts = {"gc.log.0": "[40.000s]", "gc.log.1": "[80.000s]", "gc.log.2": "[0.900s]", "gc.log": "[60.000s]"}
    paths = files(tmp_path, {name: STOP.format(stamp=stamp) for name, stamp in texts.items()})
    assert safepoint.read(paths)["uptime_s"].tolist() == [40.0, 80.0, 0.9, 60.0]


def test_other_logs_and_links_are_no_files_of_a_log(tmp_path):
    names = ("gc.log", "safepoint.log", "gc.log.0")
    paths = files(tmp_path, {name: STOP.format(stamp="[1.000s]") for name in names})
    (tmp_path / "gc.log.current").symlink_to(tmp_path / "gc.log")
    assert [len(log) for log in rolled.joined([*paths, tmp_path / "gc.log.current"])] == [2, 1]


@pytest.mark.each(
    ("name", "reader"), [("safepoint/jdk11-debug.log", safepoint), ("gc/jdk8-g1.log", gc), ("gc/jdk25-g1.log", gc)]
)
def test_a_roll_within_an_event_neither_loses_nor_doubles_it(name, reader, tmp_path):
    lines = (DATA / name).read_text().splitlines(True)
    whole = reader.read(DATA / name)
    inner = [number for number, line in enumerate(lines) if line.startswith("   [")]  # of 8's pauses, never a stamp's
    for cut in inner[::5] or itertools.chain(range(1, 60, 3), range(60, len(lines), 41)):
        paths = files(tmp_path, {"gc.log.0": "".join(lines[:cut]), "gc.log": "".join(lines[cut:])})
        assert reader.read(paths, strict=True).equals(whole), cut
