"""What page 20 offers: profilers, and whom each of them blames in each case."""

from types import SimpleNamespace

import pytest

from safepointlab.course.nb20_blame import experiments, panel
from safepointlab.course.nb20_blame.panel import CASES, PROFILERS
from safepointlab.errors import RunFailed
from safepointlab.run.request import make
from safepointlab.widgets import panel_records

RECORD = {"values": {"samples": [["farAway", "level9", 118, 18], ["farAway", "sum", 36, 2], ["inlined", "sum", 36, 5]]}}


@pytest.mark.parametrize(
    ("profiler", "flags", "settings"),
    [
        ("dumps", experiments.APART, {"args": "250 dumps"}),
        ("jfr+lines", f"{experiments.APART} {experiments.LINES}", {"args": "250", "log": "jfr=ExecutionSample"}),
    ],
)
def test_a_choice_is_the_run_of_the_page_itself(profiler, flags, settings):
    page = make("blame/KnownAnswer", 17, gc="Serial", flags=flags, **settings)
    assert panel_records.request_key(PROFILERS, {**PROFILERS.default, "profiler": profiler}) == page.key


@pytest.mark.parametrize(
    "case, look, word",
    [("farAway", "bad", "level9 90 %"), ("inlined", "good", "sum 100 %"), ("notInlined", "none", "no samples")],
)
def test_the_method_with_most_samples_is_blamed(case, look, word):
    tile = panel.tile(RECORD, {**PROFILERS.default, "case": case})
    assert (tile.look, tile.word) == (look, word)


def test_each_case_shows_one_line_that_takes_the_time():
    source = panel.source()["source"]
    for case, methods in CASES.items():
        hot = [text for method in methods for _, text, burns in source[method] if burns]
        assert len(hot) == 1, case


def test_cpu_time_samples_are_not_asked_of_a_jdk_that_has_none():
    chosen = {"profiler": "cpu+lines", "jdk": "21", "gc": "G1", "case": "inlined"}
    assert "JEP 509" in panel.impossible(chosen)
    assert not panel.impossible({**chosen, "jdk": "25"}) and not panel.impossible({**chosen, "profiler": "jfr"})


def measured(output: str) -> dict:
    request = SimpleNamespace(log=(), flags=())
    return panel.measure(SimpleNamespace(output=output, request=request))


def test_samples_are_kept_as_case_method_line_and_count_and_a_run_without_one_is_no_record():
    assert measured("blamed inlined drive 42 38\n")["samples"] == [["inlined", "drive", 42, 38]]
    with pytest.raises(RunFailed, match="no sample of any case"):
        measured("nothing\n")


def test_a_line_that_a_profiler_does_not_tell_is_none(profiled):
    run = profiled({"inlined": {"sum": 7}}, log=["async=ctimer"])
    assert panel.measure(run)["samples"] == [["inlined", "sum", None, 7]]
