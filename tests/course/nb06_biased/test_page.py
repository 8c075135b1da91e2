"""Notebook 06's questions: by what a run shows, which of the outcomes came; and the lanes that its pictures draw."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab import plot
from safepointlab.course import lessons
from safepointlab.course.nb06_biased import answers as biased_page
from safepointlab.course.nb06_biased import experiments as biased
from safepointlab.course.nb06_biased import lanes as biased_lanes
from safepointlab.errors import BadInput, FlagRejected
from safepointlab.plot import _alternative

PASSES = {"passes_from_s": 3.8, "pass1_ms": 800.0, "pass2_ms": 800.0}
SWITCH = ("EnableBiasedLocking", 4.05, 549.0, 550.0)
TIMER = ("no vm operation", 1.01, 0.2, 0.3)


@pytest.fixture
def ran(monkeypatch):
    """ran(late, stops): a stand-in for a run with sleeps that begin at 4.05 s, 4.15 s, ... and are so late, in ms."""
    monkeypatch.setattr(biased, "sleeps", lambda run: run.sleeps)

    def make(*late, stops=(TIMER,), gc=(), compiled=()):
        sleeps = pd.DataFrame({"begin_s": [4.05 + 0.1 * n for n in range(len(late))], "overslept_ms": late})
        log = pd.DataFrame(stops, columns=["operation", "begin_s", "ttsp_ms", "total_ms"]).assign(kind="safepoint")
        code = pd.DataFrame({"uptime_ms": list(compiled), "method": "ByteSummer::sum"})
        values = {**PASSES, "overslept_ms": max(late)}
        collections = pd.DataFrame({"uptime_s": list(gc)}, dtype=float)
        return SimpleNamespace(sleeps=sleeps, safepoints=log, gc=collections, compilations=code, values=values)

    return make


@pytest.mark.parametrize(
    ("late", "key"), [((0.1, 2.9), "prompt"), ((0.1, 50.0), "noise"), ((0.1, 550.0), "once"), ((300.0, 550.0), "often")]
)
def test_the_latest_sleep_is_prompt_noise_or_held_up(ran, late, key):
    assert lessons.prediction("06-sleep").classify(ran(*late)).keys == {key}


@pytest.mark.parametrize(
    ("evidence", "key"),
    [
        ({"stops": (TIMER, SWITCH)}, "stop"),
        ({"stops": (TIMER, SWITCH), "gc": (4.3,)}, "gc"),
        ({"compiled": (4_300.0,)}, "compiler"),
        ({"compiled": (130.0,)}, "nothing"),
    ],
)
def test_the_culprit_is_what_was_logged_at_that_moment(ran, evidence, key):
    assert lessons.prediction("06-suspect").classify(ran(0.1, 0.1, 550.0, **evidence)).keys == {key}


def test_a_flag_helps_if_no_stop_waits_for_long():
    names = [biased_lanes.NO_FLAG, biased_page.DELAY, biased_page.OFF, biased_page.POLLS, biased_page.TIMER]
    ways = pd.DataFrame({"name": names, "longest_ms": [550.0, 9.0, 9.0, 300.0, 540.0]})
    assert lessons.prediction("06-ways").classify(ways).keys == {biased_page.DELAY, biased_page.OFF}
    with pytest.raises(BadInput, match="GuaranteedSafepointInterval"):
        lessons.prediction("06-ways").classify(ways.head(4))


def on_later(stalls, jdks=(11, 17, 25)):
    texts = (biased_lanes.OWN, biased_lanes.OLD)
    rows = [(jdk, text, jdk >= 18 and text == biased_lanes.OLD) for jdk in jdks for text in texts]
    frame = pd.DataFrame(rows, columns=["jdk", "flags", "refused"])
    frame["outcome"] = frame["refused"].map({True: "not possible", False: "exited"})
    frame["switch_ms"] = [550.0 if stalls(jdk, text) and not refused else 0.1 for jdk, text, refused in rows]
    return frame.assign(name=frame["flags"])


@pytest.mark.parametrize(
    ("stalls", "jdks", "keys"),
    [
        (lambda jdk, text: text == "flags of 8", (11, 17, 25), {"known"}),
        (lambda jdk, text: text == "flags of 8", (11, 17), {"flags"}),
        (lambda jdk, text: True, (11, 17, 25), {"everywhere"}),
        (lambda jdk, text: False, (11, 17), {"nowhere"}),
        (lambda jdk, text: jdk == 11, (11, 17, 25), set()),
    ],
)
def test_where_it_stalls_tells_who_still_knows_the_flags(stalls, jdks, keys):
    assert lessons.prediction("06-later").classify(on_later(stalls, jdks)).keys == keys


def test_a_jdk_without_the_flags_has_a_lane_that_says_so(monkeypatch, ran):
    def summer(jdk, flags):
        if flags and jdk > 17:
            raise FlagRejected("unknown")
        return SimpleNamespace(**vars(ran(9.0)), outcome="exited")

    monkeypatch.setattr(biased, "summer", summer)
    monkeypatch.setattr(biased, "switch_ms", lambda run, column: 0.1)
    lanes = biased_lanes.lanes(biased_lanes.later([17, 25]))
    assert list(lanes.loc[lanes["text"] == "does not start", "lane"]) == ["JDK 25, flags of 8"]


def test_the_picture_says_who_waited_and_for_how_long(ran):
    ax = plot.who_waits(biased_lanes.threads(ran(0.1, 550.0, stops=(TIMER, SWITCH))))
    assert ax.get_title(loc="left") == f"The stop requested at 4.05 s is reached 549{plot.style.MS} later"
    assert "the sleeper: late from 4.15 to 4.70 s" in _alternative.of(ax.figure)


def test_a_stop_too_short_to_be_seen_has_its_length_beside_it_and_the_operation_is_in_the_key(ran):
    ax = plot.who_waits(biased_lanes.runs({"cured": ran(9.0, stops=(("EnableBiasedLocking", 4.05, 0.2, 0.3),))}))
    assert f"stop: 0{plot.style.MS}" in [text.get_text() for text in ax.texts]
    assert "the operation" in [text.get_text() for text in ax.get_legend().get_texts()]


def test_a_late_sleep_is_a_stops_if_the_log_has_one_of_half_its_length():
    table = pd.DataFrame(
        {"name": ["machine", "stop", "prompt", "switch"], "overslept_ms": [15.0, 15.0, 3.0, 550.0],
         "longest_ms": [2.0, 14.0, 2.0, 549.0]}
    )  # fmt: skip
    assert list(biased_lanes.late_by_a_stop(table)["name"]) == ["stop"]


def test_the_picture_of_several_runs_names_those_in_which_a_stop_waits(ran):
    frame = biased_lanes.runs({"no flag": ran(550.0, stops=(TIMER, SWITCH)), "cured": ran(9.0), "unknown": None})
    title = plot.who_waits(frame).get_title(loc="left").replace("\n", " ")
    assert title == "In 1 of 2 runs a stop waits for the loop: no flag"
