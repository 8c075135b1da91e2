"""What page 13 offers: places for a poll, and what one pass of each compiled loop does there."""

import pytest

from safepointlab.course.nb13_optimisation import panel as optimisation_panel
from safepointlab.course.nb13_optimisation.panel import PASSES
from safepointlab.widgets import panel_records

LONG = {"ns": 530, "work": "unrolled", "per_pass": 4, "range_checks": 8, "poll": "around", "code": "jae …\trange check"}
INT = {"ns": 41, "work": "vector", "per_pass": 64, "range_checks": 0, "poll": "none", "code": "jl …"}


@pytest.mark.parametrize(
    ("index", "change", "look", "word", "says"),
    [
        (
            "long",
            {},
            "late",
            "unrolled ×4",
            "4 iterations, with 8 range checks. A loop around it polls. A call took 530",
        ),
        (
            "int",
            {},
            "good",
            "vector ×64",
            "64 iterations, on vectors, without a range check. Nothing polls. A call took",
        ),
        ("long", {"per_pass": 1, "range_checks": 1}, "late", "unrolled", "does 1 iteration, with 1 range check."),
    ],
)
def test_a_pass_is_told_in_words_beside_the_other_index(index, change, look, word, says):
    record = {"values": {"copyLong": {**LONG, **change}, "copyInt": INT}}
    tile = optimisation_panel.tile(record, {**PASSES.default, "index": index})
    assert (tile.look, tile.word) == (look, word) and says in tile.says


def test_strips_are_not_asked_of_a_jdk_that_has_none():
    assert "JDK-8186027" in optimisation_panel.impossible({**PASSES.default, "poll": "strips", "jdk": "8"})
    assert not optimisation_panel.impossible({**PASSES.default, "poll": "strips", "jdk": "11"})
    assert not optimisation_panel.impossible({**PASSES.default, "poll": "pass", "jdk": "8"})


@pytest.mark.live
def test_a_record_has_each_loop_with_its_time_and_the_pass_itself():
    kept = panel_records.record(PASSES, {**PASSES.default, "jdk": "17"})["values"]
    assert set(kept) == {f"{loop}{index}" for loop in optimisation_panel.LOOPS for index in ("Int", "Long")}
    assert kept["copyLong"]["code"].count("\trange check") == kept["copyLong"]["range_checks"] > 0
    assert "\tvector" in kept["copyInt"]["code"] and "0x7f" not in kept["copyInt"]["code"]
