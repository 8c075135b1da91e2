"""The pictures of stops over time: safepoints and timeline; a missing value is never drawn as 0."""

import pandas as pd
import pytest

from safepointlab import plot

BIASED = {"operation": "EnableBiasedLocking", "ttsp_ms": 2324.0, "cleanup_ms": 0.0, "operation_ms": 0.0}
LATE = pd.DataFrame([{"uptime_s": 4.095, "kind": "safepoint", **BIASED, "leaving_ms": pd.NA, "total_ms": 2324.0}])
SHAKES = pd.DataFrame({"uptime_s": [0.5, 0.7], "kind": "handshake", "operation": "x", "total_ms": [0.1, pd.NA]})
JITTER = pd.DataFrame({"uptime_s": [1.0, 4.1, 7.0], "jitter_ms": [0.1, 2323.0, 0.2]})


class HungRun:
    """As much of a Run as the pictures look at."""

    outcome = "hung"
    wall_ms = 6000.0
    safepoints = LATE.assign(uptime_s=0.4, total_ms=1.0, ttsp_ms=1.0)


def test_the_title_says_where_the_time_of_the_longest_went(title):
    expected = "The only safepoint took 2,324 ms: 2,324 ms of that went into reaching it"
    assert title(plot.safepoints(LATE)) == expected
    twice = pd.concat([LATE, LATE.assign(uptime_s=9.0, ttsp_ms=2.0, total_ms=9.0, operation_ms=7.0)])
    assert title(plot.safepoints(twice)).startswith("The longest of 2 safepoints took 2,324 ms:")


def test_a_stops_name_stands_over_its_own_bar_and_over_no_taller_one():
    lengths = {"uptime_s": [0.14, 0.243, 0.345, 0.447, 0.549], "total_ms": [2.6, 2.0, 1.56, 1.37, 1.15]}
    stops = pd.DataFrame({**lengths, "operation": "GenCollectFull", "ttsp_ms": 0.1})
    ax = plot.safepoints(stops)
    [text] = [text for text in ax.texts if "GenCollectFull" in text.get_text()]  # of one operation once
    width = 0.0145 * 21 * (ax.get_xlim()[1] - ax.get_xlim()[0])
    left = text.xy[0] - {"left": 0.0, "center": width / 2, "right": width}[text.get_ha()]
    assert stops[stops["uptime_s"].between(left, left + width) & (stops["total_ms"] > text.xy[1])].empty


def test_a_phase_that_the_jdk_does_not_log_is_not_drawn_and_time_that_no_phase_accounts_for_is(words):
    drawn = words(plot.safepoints(LATE.assign(operation_ms=100.0, total_ms=2424.0)))
    assert "reaching" in drawn and "leaving" not in drawn
    stopped = pd.DataFrame({"uptime_s": [1.0], "operation": ["GenCollectFull"], "ttsp_ms": [0.2], "total_ms": [7.0]})
    assert "not split by this log" in words(plot.safepoints(stopped))


def test_handshakes_alone_do_not_count_as_stops(title):
    assert "No safepoint, 2 handshakes" in title(plot.safepoints(SHAKES))


def test_a_hung_run_shows_the_safepoint_that_was_never_reached(title, words):
    ax = plot.safepoints(HungRun())
    assert "none after it: 5.6 s later the JVM was killed" in title(ax) and "no safepoint\nis reached" in words(ax)
    run = HungRun()
    run.safepoints = LATE.iloc[:0]
    assert title(plot.safepoints(run)) == "No safepoint was ever reached: 6.0 s after its start the JVM was killed"


def test_a_log_that_ends_in_a_safepoint_begun_shows_where_it_began(title):
    unreached = LATE.iloc[:0].copy()
    unreached.attrs["begun_s"] = 1.044
    assert title(plot.safepoints(unreached)).startswith("A safepoint was begun at 1.0 s and never reached")


def test_a_log_without_time_stamps_is_drawn_in_its_order():
    ax = plot.safepoints(LATE.assign(uptime_s=pd.NA))
    assert ax.get_xlabel() == "line of the log (it has no time stamps)"


def test_stops_of_very_different_length_get_a_log_axis():
    mixed = pd.concat([LATE.assign(uptime_s=float(n), total_ms=1.0, ttsp_ms=1.0) for n in range(5)] + [LATE])
    ax = plot.safepoints(mixed)
    assert ax.get_yscale() == "log"
    assert 1.0 in ax.lines[0].get_ydata() and 2324.0 in ax.lines[0].get_ydata()  # a phase is at its own length


def test_ten_thousand_stops_become_the_longest_of_each_slice(words):
    many = pd.DataFrame({"uptime_s": range(10_000), "operation": "op", "ttsp_ms": 1.0, "total_ms": 1.0})
    many.loc[7777, ["ttsp_ms", "total_ms"]] = 9.0
    ax = plot.safepoints(many)
    assert len(ax.patches) < 600 and "9.0\xa0ms" in words(ax)


@pytest.mark.parametrize(
    ("ms", "says"),
    [(2324.0, "comes with the safepoint for EnableBiasedLocking, 2,324 ms"), (3.0, "comes with no safepoint")],
)
def test_the_timeline_names_the_stop_that_is_the_longest_jitter_and_blames_none_of_another_length(ms, says, title):
    stops = LATE.assign(ttsp_ms=ms, total_ms=ms)
    assert says in title(plot.timeline({"jitter": JITTER, "safepoints": stops}))


def test_a_panel_alone_is_told_by_its_largest_value(title):
    said = "The largest jitter is 2,323 ms, at 4.10 s; half of the 3 values are at most 0.2 ms"
    assert title(plot.timeline({"jitter": JITTER})) == said


def test_a_few_compiles_have_a_row_for_each_compiler_and_are_counted_in_words():
    rows = [(134.0, 1, True, 3, "compiled"), (135.0, 2, True, 4, "compiled"), (140.0, 1, True, 3, "made not entrant")]
    columns = ["uptime_ms", "compile_id", "osr", "tier", "event"]
    few = pd.DataFrame(rows, columns=columns).assign(method="A::a")
    [panel] = plot.timeline({"compilations": few}).child_axes
    assert [text.get_text() for text in panel.get_yticklabels()] == ["C1", "C2"]
    counted = [text.get_text() for text in panel.texts]
    assert counted == [f"1 compile (1 OSR), {gone} not entrant, by 0.14 s" for gone in (1, 0)]
    many = pd.concat([few.assign(compile_id=few["compile_id"] + 10 * n) for n in range(20)])
    [panel] = plot.timeline({"compilations": many}).child_axes
    assert not panel.texts
