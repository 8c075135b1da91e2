"""A stall and the queue behind it: the script's formula is the model's; the still form has its numbers."""

import importlib
import json
import shutil
import subprocess

import numpy as np
import pytest

from safepointlab import plot
from safepointlab.course.nb22_omission import queueing
from safepointlab.plot import interactive

stall = importlib.import_module("safepointlab.plot.stall")
NODE = shutil.which("node")
SETTING = {"rate": 400, "stall_ms": 800, "service_ms": 1.25, "servers": 2, "period_s": 4}
LOADS = [SETTING, {**SETTING, "rate": 1200}, {**SETTING, "stall_ms": 50, "service_ms": 4}, {**SETTING, "servers": 1}]


def by_script(expression: str) -> list:
    """What the expression, with the settings of LOADS as `all`, is to the functions of the script."""
    code = (
        f"{interactive.source('stall')}\nconst all = {json.dumps(LOADS)};\nconsole.log(JSON.stringify({expression}));"
    )
    done = subprocess.run([NODE, "--input-type=module"], input=code, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.skipif(not NODE, reason="no node: the browser's test compares the numbers on the page")
def test_the_scripts_percentiles_queue_and_wait_are_those_of_the_model_and_of_the_still_picture():
    at_ms = [0, 300, 800, 1000, 1066, 3000]
    found = by_script(f"all.map(each => {at_ms}.map(at => [queueAt(each, at), waitOf(each, at)]))")
    percents = by_script(f"all.map(each => {list(queueing.PERCENTS)}.map(one => percentile(each, one)))")
    for each, values, waits in zip(LOADS, found, percents, strict=True):
        model = queueing.stalled(**each)
        wanted = [stall.queue(each, np.array(at_ms)), stall.waits_ms(each, model["load"].iloc[0], np.array(at_ms))]
        assert pytest.approx(np.array(wanted)) == np.array(values).T
        assert waits == pytest.approx(model["wait_ms"].tolist())


@pytest.mark.parametrize("setting", LOADS)
def test_the_still_form_has_the_models_percentiles(setting):
    model = queueing.stalled(**setting, percents=plot.stall(**setting).data["percents"])
    still = plot.stall(**setting).still
    assert all(f"<td>{wait:,.1f}</td>" in still for wait in model["wait_ms"])
    assert f"{model['percent'].iloc[-1]:g} % wait {model['wait_ms'].iloc[-1]:,.1f} ms at most" in still


@pytest.mark.parametrize(("stall_ms", "shown"), [(40.4, 40), (0.1, 1)])
def test_a_measured_stall_is_one_of_whole_milliseconds_as_the_slider_has_it(stall_ms, shown):
    assert plot.stall(stall_ms=stall_ms).data["setting"]["stall_ms"] == shown


def test_the_formula_agrees_with_a_simulation_of_each_request():
    requests = queueing.serve(queueing.schedule(400, 1600), 0.00125, servers=2, stalls=[(0.0, 0.8)])
    at_ms = 1000 * requests["due_s"].to_numpy()
    assert requests["wait_ms"].to_numpy() == pytest.approx(stall.waits_ms(SETTING, 0.25, at_ms), abs=2.5)
    empty_ms = np.array([800 / (1 - 0.25)])  # when nobody waits any more, the queue is empty
    assert [*stall.queue(SETTING, empty_ms), *stall.waits_ms(SETTING, 0.25, empty_ms)] == pytest.approx([0, 0])


def test_the_title_says_how_many_requests_wait():
    assert repr(plot.stall(**SETTING)) == "A stop of 800 ms every 4 s, at 400 requests per second: 27 % of them wait"
    page = plot.stall(**{**SETTING, "rate": 1700})
    assert "the queue never gets empty" in repr(page) and "NaN" not in str(page.data)


def test_measured_waits_stand_beside_the_formulas_by_their_percentiles():
    page = plot.stall(**SETTING, measured_ms={"p50": 0.2, "p90": 510.7, "p99": 768.1, "max": 812.0})
    assert page.data["measured"] == [0.2, 510.7, 768.1, None] and "510.7" in page.still
