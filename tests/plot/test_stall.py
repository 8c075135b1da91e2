"""A stall and the queue behind it: the script's formula is the model's; the still form has its numbers."""

import importlib
import json
import shutil
import subprocess

import matplotlib
import numpy as np
import pytest

matplotlib.use("agg")

from safepointlab import plot
from safepointlab.course.nb22_omission import queueing
from safepointlab.plot import interactive

stall = importlib.import_module("safepointlab.plot.stall")
NODE = shutil.which("node")
SETTING = {"rate": 400, "stall_ms": 800, "service_ms": 1.25, "servers": 2, "period_s": 4}
TABLE = queueing.stalled(**SETTING)
LOADS = [SETTING, {**SETTING, "rate": 1200}, {**SETTING, "stall_ms": 50, "service_ms": 4}, {**SETTING, "servers": 1}]


def by_script(expression: str) -> list:
    """What the expression, with the settings of LOADS as `all`, is to the functions of the script."""
    code = (
        f"{interactive.source('stall')}\nconst all = {json.dumps(LOADS)};\nconsole.log(JSON.stringify({expression}));"
    )
    done = subprocess.run([NODE, "--input-type=module"], input=code, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.skipif(not NODE, reason="no node: the browser's test compares the numbers on the page")
@pytest.mark.parametrize("percent", queueing.PERCENTS)
def test_the_script_and_the_topic_say_the_same_percentiles(percent):
    wanted = [queueing.stalled(**each, percents=[percent])["wait_ms"].item() for each in LOADS]
    assert by_script(f"all.map(each => percentile(each, {percent}))") == pytest.approx(wanted)


@pytest.mark.skipif(not NODE, reason="no node: the browser's test compares the numbers on the page")
def test_the_scripts_queue_and_wait_are_those_of_the_still_picture():
    at_ms = [0, 300, 800, 1000, 1066, 3000]
    found = by_script(f"all.map(each => {at_ms}.map(at => [queueAt(each, at), waitOf(each, at)]))")
    for each, values in zip(LOADS, found, strict=True):
        load = queueing.stalled(**each)["load"].iloc[0]
        wanted = [stall.queue(each, np.array(at_ms)), stall.waits_ms(each, load, np.array(at_ms))]
        assert pytest.approx(np.array(wanted)) == np.array(values).T


def test_a_setting_by_name_is_worked_out_as_the_lesson_does():
    for each in [*LOADS, {**SETTING, "rate": 1700}]:
        assert plot.stall(**each).still == plot.stall(queueing.stalled(**each)).still


@pytest.mark.parametrize(("stall_ms", "shown"), [(40.4, 40), (0.1, 1)])
def test_a_measured_stall_is_one_of_whole_milliseconds_as_the_slider_has_it(stall_ms, shown):
    assert plot.stall(stall_ms=stall_ms).data["setting"]["stall_ms"] == shown


def test_the_queue_is_empty_when_the_formula_says_that_nobody_waits_any_more():
    empty_ms = np.array([800 / (1 - 0.25)])
    assert stall.queue(SETTING, empty_ms) == pytest.approx(0, abs=1e-9)
    assert stall.waits_ms(SETTING, 0.25, empty_ms) == pytest.approx(0, abs=1e-9)


def test_the_formula_agrees_with_a_simulation_of_each_request():
    requests = queueing.serve(queueing.schedule(400, 1600), 0.00125, servers=2, stalls=[(0.0, 0.8)])
    at_ms = 1000 * requests["due_s"].to_numpy()
    assert requests["wait_ms"].to_numpy() == pytest.approx(stall.waits_ms(SETTING, 0.25, at_ms), abs=2.5)


def test_the_title_says_how_many_requests_wait():
    assert repr(plot.stall(TABLE)) == "A stall of 800 ms in each 4 s, at 400 requests per second: 27 % of them wait"


def test_the_words_beside_the_picture_are_rounded_like_its_table():
    words = stall._words(TABLE.assign(percent=99, wait_ms=32.5).iloc[:1])
    assert words == "99 % wait 32.5 ms at most" and "32.5" in stall._table(TABLE.assign(wait_ms=32.5))


def test_measured_percentiles_stand_beside_the_formulas():
    page = plot.stall(TABLE.assign(measured_ms=[0.2, 510.7, 768.1, None]))
    assert page.data["measured"] == [0.2, 510.7, 768.1, None] and "510.7" in page.still


def test_measured_waits_may_be_given_by_their_percentiles():
    by_name = plot.stall(**SETTING, measured_ms={"p50": 0.2, "p90": 510.7, "p99": 768.1, "max": 812.0})
    assert by_name.still == plot.stall(TABLE.assign(measured_ms=[0.2, 510.7, 768.1, None])).still


def test_more_than_can_be_done_has_no_percentiles():
    page = plot.stall(queueing.stalled(**{**SETTING, "rate": 1700}))
    assert "the queue never gets empty" in repr(page) and "NaN" not in str(page.data)


def test_without_rows_there_is_a_sentence():
    assert repr(plot.stall(TABLE.iloc[:0])) == "No stall to draw"
