"""Every picture says its finding and its numbers in words, as the `alt` of its image and as its plain text."""

import inspect

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from safepointlab import plot
from safepointlab.logs import hdr
from safepointlab.plot import _alternative, _spoken, style

SWEEP = pd.DataFrame({"jdk": [8, 17], "flags": ["", "-Xint"], "outcome": ["hung", "exited"], "wall_ms": [9.0, 640.0]})
STOPS = pd.DataFrame({"kind": "safepoint", "operation": "GC", "begin_s": [1.0, 2.5], "ttsp_ms": [3.0, 0.25],
                      "operation_ms": 1.0, "total_ms": [4.0, 1.25]})  # fmt: skip


@pytest.fixture
def ax():
    yield style.canvas(None)
    plt.close("all")


def words(ax) -> str:
    return _alternative.of(ax.get_figure(root=True))


def test_a_picture_says_its_finding_first(ax):
    style.finding(ax, "C2 leaves the poll out of\none loop")
    assert words(ax) == "C2 leaves the poll out of one loop."


def test_tiles_are_said_with_the_names_of_row_and_column():
    said = words(plot.outcomes(SWEEP))
    assert said.startswith("The JVM hangs with no flag on JDK 8") and "JDK 8: HUNG (no flag). JDK 17: " in said


def test_bars_are_said_by_the_meaning_of_their_colour_and_with_the_axis_unit():
    said = words(plot.safepoints(STOPS))
    assert "Across: uptime, s, 1 to 2.5" in said and "Up: from request to resume, ms," in said
    assert "reaching the safepoint: at 1: 3; at 2.5: 0.25." in said


def test_of_many_values_the_range_and_the_median_are_said_or_the_lines_own_words(ax):
    [line] = ax.plot(range(101), range(101), label="response")
    assert words(ax) == "response: 101 values, 0 to 100, median 50."
    _alternative.series(line, "median 4, p99 9")
    assert words(ax) == "response: median 4, p99 9."


def test_a_curve_of_percentiles_is_said_by_its_percentiles_and_not_by_the_median_of_its_steps(monkeypatch):
    counts = pd.DataFrame({"value": range(1, 11), "count": [91, *[1] * 9], "histogram": ""})
    monkeypatch.setattr(hdr, "values", lambda part: counts)
    assert "service: median 1, p99 9, maximum 10." in words(plot.hdr_percentiles({"service": counts}))


def test_a_line_has_the_name_that_is_written_at_it_and_a_rule_is_no_series(ax):
    ax.axhline(3)
    ax.axvline(3)
    ax.plot([1, 2, 3], [4, 5, 6])
    style.label(ax, 3, 6, "JDK 17")
    assert words(ax) == "JDK 17: at 1: 4; at 2: 5; at 3: 6."


def test_words_that_no_series_has_are_said_at_the_end_and_a_drawing_may_say_it_in_words_of_its_own(ax):
    style.sign(ax, 0.5, 0.5, "HUNG")
    style.finding(ax, "The finding")
    style.label(ax, 0.2, 0.5, "88.8")  # the number of a point: its series has said it
    assert words(ax) == "The finding. Written in it: HUNG."
    _alternative.own(ax, "Bits 0 to 2: 101.")
    assert words(ax) == "The finding. Bits 0 to 2: 101."


def test_the_words_take_a_minute_at_most(ax):
    for name in range(200):
        style.label(ax, 0, 0, f"name {name}")
    assert len(words(ax)) <= _alternative.LONGEST and words(ax).endswith(" …")


def test_a_picture_goes_out_as_an_image_with_its_words_as_they_are_when_it_is_shown():
    ax = plot.outcomes(SWEEP, title="Drawn")
    ax.set_title("<8> hangs", loc="left")
    output = _spoken.bundle(ax.get_figure(root=True))
    assert output["text/html"].startswith("<img src='data:image/png;base64,iVBOR")
    assert "alt='&lt;8&gt; hangs. JDK 8: HUNG (no flag)." in output["text/html"]
    assert output["text/plain"].startswith("<8> hangs.") and set(output) == {"text/html", "text/plain"}


@pytest.mark.each("name", plot.names())
def test_every_drawing_function_that_returns_axes_is_a_picture_with_words(name):
    draw = getattr(plot, name)
    returns_axes = inspect.signature(draw).return_annotation in (plt.Axes, "Axes")
    assert not returns_axes or hasattr(draw, "__wrapped__")
