"""What page 02 offers: the topic's own runs, their outcomes in words."""

import pytest

from safepointlab.course.nb02_hang import experiments as hang
from safepointlab.course.nb02_hang import panel as hang_panel
from safepointlab.course.nb02_hang.panel import KILLER
from safepointlab.course.nb20_blame import panel as blame_panel
from safepointlab.run.request import make
from safepointlab.widgets import panel_records


def record(outcome="exited", wall_ms=700, **values):
    return {
        "outcome": outcome,
        "wall_ms": wall_ms,
        "values": {"main_returned": True, "ttsp_ms": None, "holdup": None, **values},
    }


def test_the_default_is_the_run_of_the_topic_itself():
    topics = make(hang.KILLER, 17, gc=hang.NO_POLLS, args=[hang.SLEEP_MS], log=hang.LOG)
    assert panel_records.request_key(KILLER, KILLER.default) == topics.key


@pytest.mark.parametrize(
    "record, look, word, says",
    [
        (record(ttsp_ms=0.2), "good", "exits", "time to safepoint was less than 1 ms"),
        (record(wall_ms=2500), "late", "late", "The JVM lived for 2.50 s"),
        (record("hung", 3001, holdup="killer"), "bad", "HUNG", "The thread killer holds up its last safepoint."),
        (record("hung", 3001, main_returned=False), "bad", "HUNG", "main has not returned"),
    ],
)
def test_an_outcome_has_a_look_a_word_and_a_sentence(record, look, word, says):
    tile = hang_panel.tile(record, KILLER.default)
    assert (tile.look, tile.word) == (look, word) and says in tile.says


def test_every_jdk_collector_and_flag_is_to_be_recorded_and_the_rest_without_a_flag():
    keys = [KILLER.key(chosen) for chosen in KILLER.combinations()]
    assert len(keys) == 6 * 4 * 5 + 2 * 6 * 4
    assert "8 G1 polls javac warm" in keys and "8 G1 none ecj warm" in keys and "8 G1 polls ecj warm" not in keys


@pytest.mark.parametrize("panel", [KILLER, blame_panel.PROFILERS], ids=lambda panel: panel.name)
def test_each_record_is_of_the_program_as_it_is_now(panel):
    for key, record in panel_records.load(panel).records.items():
        now = panel_records.request_key(panel, panel.chosen(key))
        assert record["request"] == now, f"{key}: the sample changed. Run: safepoint panels record {panel.name}"
