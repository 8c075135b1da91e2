"""The pictures of page 18: stops by the number of parked threads, and heartbeats beside spinners."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course.nb18_virtual import experiments as virtual
from safepointlab.course.nb18_virtual import pictures
from safepointlab.errors import BadInput
from safepointlab.plot import _alternative

ROWS = [
    (21, "virtual", 10, 0.007, 2.4),
    (21, "virtual", 1_000_000, 0.008, 3050.0),
    (21, "platform", 10, 0.007, 2.6),
    (21, "platform", 10_000, 1.64, 38.0),
    (27, "virtual", 10, 0.005, 2.3),
    (27, "virtual", 1_000_000, 0.005, 1600.0),
    (27, "platform", 10, 0.005, 4.4),
    (27, "platform", 10_000, 1.74, 49.0),
]
NO_RUNS = pd.DataFrame({"jdk": [], "run": []})
OUTPUT = "beats of platform: -5.0 5.1 10.2\nbeats of virtual-0: -4.0 880.5\nspin_ms=880.1\n"


def heartbeats_run(silent_ms, args=("2",), **values):
    """A run of Heartbeats on JDK 25; the platform heart beats, the virtual ones are silent for so long."""
    told = {"spin_ms": 880.0, "platform_silent_ms": 6.0, "virtual_silent_ms": silent_ms, **values}
    return SimpleNamespace(output=OUTPUT, values=told, major=25, request=SimpleNamespace(args=args))


def test_each_panel_compares_the_most_threads_of_each_kind_with_the_fewest(monkeypatch, title):
    columns = ["jdk", "kind", "threads", "reaching_ms", "collection_ms"]
    monkeypatch.setattr(virtual, "parked", lambda runs: pd.DataFrame(ROWS, columns=columns))
    above, below = pictures.parked(NO_RUNS).figure.axes
    assert title(above) == (
        "Time to safepoint: 1,000,000 virtual threads take about as long as 10; "
        "10,000 platform threads take at least 234 times as long as 10"
    )
    assert title(below) == (
        "A full collection: 1,000,000 virtual threads take at least 696 times as long as 10; "
        "10,000 platform threads take at least 11 times as long as 10"
    )


def test_the_beats_are_read_from_what_the_program_printed():
    assert virtual.beats_ms(heartbeats_run(880.0)) == {"platform": [-5.0, 5.1, 10.2], "virtual-0": [-4.0, 880.5]}


def test_the_title_and_the_text_tell_who_falls_silent_in_which_run(monkeypatch, title):
    asked = heartbeats_run(880.0, ("1", "100"), platform_silent_ms=770.0, request_ms=104.2)
    both = heartbeats_run(880.0, ("2", "100"), platform_silent_ms=770.0, request_ms=104.2)
    runs = [heartbeats_run(7.0, ("1",)), heartbeats_run(870.0), asked, both]
    monkeypatch.setattr(virtual, "heartbeats", lambda frame: runs)
    drawn = pictures.heartbeats(NO_RUNS)
    assert title(drawn) == (
        "1 spinner: no heart falls silent 2 spinners: the virtual hearts fall silent "
        "1 or 2 spinners and a request: all hearts fall silent"
    )
    said = _alternative.of(drawn.figure)
    assert "1 spinner, no stop is requested: no heart falls silent." in said
    assert "2 spinners, no stop is requested: the virtual hearts fall silent." in said
    assert "1 spinner, a stop is requested at 104 ms: all hearts fall silent." in said


def test_nothing_that_was_run_is_an_empty_picture_and_another_table_is_refused(title):
    assert title(pictures.heartbeats(NO_RUNS)) == "Nothing was run"
    assert title(pictures.parked(NO_RUNS)) == "Nothing was measured"
    with pytest.raises(BadInput, match="heartbeats: the table has no column run"):
        pictures.heartbeats(pd.DataFrame({"jdk": [25]}))
