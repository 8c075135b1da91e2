"""Each picture: a frame of known content in, the finding in the title out; a missing value is never drawn as 0."""

import io
import itertools
import subprocess
import sys

import matplotlib
import pandas as pd
import pytest

matplotlib.use("agg")

import matplotlib.pyplot as plt

from safepointlab import plot
from safepointlab.plot import style

BIASED = {"operation": "EnableBiasedLocking", "ttsp_ms": 2324.0, "cleanup_ms": 0.0, "operation_ms": 0.0}
LATE = pd.DataFrame([{"uptime_s": 4.095, "kind": "safepoint", **BIASED, "leaving_ms": pd.NA, "total_ms": 2324.0}])
SHAKES = pd.DataFrame({"uptime_s": [0.5, 0.7], "kind": "handshake", "operation": "x", "total_ms": [0.1, pd.NA]})
COMPILES = pd.DataFrame(
    [
        (131, 16, True, 3, "OddC::odds", "compiled"),
        (132, 17, False, 3, "OddC::odds", "compiled"),
        (133, 18, True, 4, "OddC::odds", "compiled"),
        (134, 16, True, 3, "OddC::odds", "made not entrant"),
        (736, 18, True, 4, "OddC::odds", "made not entrant"),
        (900, 19, False, 1, "java.lang.String::length", "compiled"),
    ],
    columns=["uptime_ms", "compile_id", "osr", "tier", "method", "event"],
).astype({"tier": "Int8"})
SWEEP = pd.DataFrame(
    {
        "jdk": [8, 8, 17, 17],
        "flags": ["", "-Xint", "", "-Xint"],
        "outcome": ["hung", "exited", "exited", "exited"],
        "wall_ms": [8000.0, 640.0, 2500.0, 640.0],
    }
)
POLLS = pd.DataFrame(
    {
        "shape": ["int index", "int index", "long index", "long index"],
        "jdk": [8, 17, 8, 17],
        "polled": pd.array([False, False, True, pd.NA], dtype="boolean"),
    }
)
STOP = {"nanotime_ns": 1_060_000_000, "total_ms": 60.0, "ttsp_ms": 50.0, "operation_ms": 10.0}  # begun at 1000 ms
GAPS = pd.DataFrame(
    {"thread": ["polled", "counted"], "from_ns": [1_000_200_000, 1_048_000_000], "to_ns": 1_060_000_000}
)
JITTER = pd.DataFrame({"uptime_s": [1.0, 4.1, 7.0], "jitter_ms": [0.1, 2323.0, 0.2]})

COLLECTIONS = pd.DataFrame(
    {
        "kind": ["young", "young", "full", "remark"],
        "before_mib": [60.0, 120.0, 120.0, pd.NA],
        "after_mib": [58.0, 118.0, 1.0, pd.NA],
    }
)
DRAWN = {  # every picture with a frame of its own, and with one that has no rows
    "safepoints": (LATE, LATE.iloc[:0]),
    "compilations": (COMPILES, COMPILES.iloc[:0]),
    "outcomes": (SWEEP, SWEEP.iloc[:0]),
    "polls": (POLLS, POLLS.iloc[:0]),
    "percentiles": (JITTER[["jitter_ms"]], JITTER[["jitter_ms"]].iloc[:0]),
    "promotion": (COLLECTIONS, COLLECTIONS.iloc[:0]),
    "timeline": ({"jitter": JITTER, "safepoints": LATE}, {"jitter": JITTER.iloc[:0]}),
}


class HungRun:
    """As much of a Run as the pictures look at."""

    outcome = "hung"
    wall_ms = 6000.0
    safepoints = LATE.assign(uptime_s=0.4, total_ms=1.0, ttsp_ms=1.0)


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def title(ax: plt.Axes) -> str:
    """The finding, on one line and with plain blanks."""
    return " ".join(ax.get_title(loc="left").split())


def words(ax: plt.Axes) -> str:
    """All that is written in the picture."""
    return " ".join(text.get_text() for text in ax.findobj(matplotlib.text.Text))


def png_bytes(ax: plt.Axes) -> int:
    file = io.BytesIO()
    ax.figure.savefig(file, format="png", bbox_inches="tight")
    return len(file.getvalue())


def test_asking_for_no_picture_imports_no_matplotlib():
    code = "import sys, safepointlab.plot as p; dir(p); sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0


def test_every_file_of_the_folder_is_a_picture_of_that_name():
    assert {"safepoints", "compilations", "code", "timeline"} <= set(plot.names())
    assert all(callable(getattr(plot, name)) for name in plot.names())


def test_a_picture_stays_a_function_after_another_one_has_imported_its_module():
    plot.timeline(DRAWN["timeline"][0])  # imports the module plot.safepoints
    assert plot.safepoints(LATE) is not None


def test_an_unknown_picture_is_refused_with_the_list_of_those_there_are():
    with pytest.raises(AttributeError, match="safepoints"):
        plot.piechart  # noqa: B018


@pytest.mark.each("name", DRAWN)
def test_a_picture_returns_the_axes_that_it_was_given(name):
    _, ax = plt.subplots()
    assert getattr(plot, name)(DRAWN[name][0], ax=ax) is ax


@pytest.mark.each("name", DRAWN)
def test_a_frame_without_rows_gives_a_picture_that_says_so(name):
    assert "nothing to draw" in words(getattr(plot, name)(DRAWN[name][1]))


@pytest.mark.each("name", DRAWN)
def test_a_picture_stays_small_in_a_saved_notebook(name):
    assert png_bytes(getattr(plot, name)(DRAWN[name][0])) < 60_000


@pytest.mark.each("name", DRAWN)
def test_a_given_title_replaces_the_finding(name):
    assert title(getattr(plot, name)(DRAWN[name][0], title="My own words")) == "My own words"


@pytest.mark.parametrize("looks", [style.PHASES, style.OUTCOMES, style.TIERS])
def test_colours_that_stand_beside_each_other_differ_in_grey(looks):
    shades = [style.lightness(look.color) for look in looks.values()]
    assert min(abs(one - other) for one, other in itertools.pairwise(shades)) > 10


def test_phases_that_look_alike_in_grey_carry_different_hatches():
    looks = itertools.combinations(style.PHASES.values(), 2)
    close = [(a, b) for a, b in looks if abs(style.lightness(a.color) - style.lightness(b.color)) < 10]
    assert all(a.hatch != b.hatch for a, b in close)


def test_a_title_has_at_most_two_lines():
    _, ax = plt.subplots()
    style.finding(ax, "a word and another " * 40)
    assert ax.get_title(loc="left").count("\n") == 1


def test_a_number_is_not_parted_from_its_unit():
    assert [style.ms(0.0451), style.ms(7.04), style.ms(2324)] == ["0.045\xa0ms", "7.0\xa0ms", "2,324\xa0ms"]


def test_the_safepoints_title_says_where_the_time_of_the_longest_went():
    expected = "All threads were stopped once, for 2,324 ms: 2,324 ms of that went into reaching the safepoint"
    assert title(plot.safepoints(LATE)) == expected
    twice = pd.concat([LATE, LATE.assign(uptime_s=9.0, ttsp_ms=2.0, total_ms=9.0, operation_ms=7.0)])
    assert title(plot.safepoints(twice)).startswith("All threads were stopped 2 times, for at most 2,324 ms:")


def test_a_stops_name_stands_over_its_own_bar_and_over_no_taller_one():
    lengths = {"uptime_s": [0.14, 0.243, 0.345, 0.447, 0.549], "total_ms": [2.6, 2.0, 1.56, 1.37, 1.15]}
    stops = pd.DataFrame({**lengths, "operation": "GenCollectFull", "ttsp_ms": 0.1})
    ax = plot.safepoints(stops)
    written = [text for text in ax.texts if "GenCollectFull" in text.get_text()]
    width = 0.0145 * 21 * (ax.get_xlim()[1] - ax.get_xlim()[0])
    starts = {"left": 0.0, "center": width / 2, "right": width}
    spans = [(text.xy[0] - starts[text.get_ha()], text.xy[1]) for text in written]
    under = [stops[stops["uptime_s"].between(left, left + width) & (stops["total_ms"] > top)] for left, top in spans]
    assert written and all(taller.empty for taller in under)


def test_stops_of_one_operation_are_named_once():
    stops = pd.DataFrame(
        {"uptime_s": [0.1, 0.9], "total_ms": [2.0, 1.9], "operation": "GenCollectFull", "ttsp_ms": 0.1}
    )
    assert words(plot.safepoints(stops)).count("GenCollectFull") == 1


def test_a_phase_that_the_jdk_does_not_log_is_not_drawn_as_zero():
    drawn = words(plot.safepoints(LATE.assign(operation_ms=100.0, total_ms=2424.0)))
    assert "reaching" in drawn and "leaving" not in drawn


def test_time_that_no_phase_accounts_for_is_drawn_as_such():
    stopped = pd.DataFrame({"uptime_s": [1.0], "operation": ["GenCollectFull"], "ttsp_ms": [0.2], "total_ms": [7.0]})
    assert "not split by this log" in words(plot.safepoints(stopped))


def test_handshakes_alone_do_not_count_as_stops():
    assert "No safepoint, 2 handshakes" in title(plot.safepoints(SHAKES))


def test_a_hung_run_shows_the_safepoint_that_was_never_reached():
    ax = plot.safepoints(HungRun())
    assert "none after it: 5.6 s later the JVM was killed" in title(ax) and "no safepoint\nis reached" in words(ax)


def test_a_hung_run_without_any_safepoint_invents_none():
    run = HungRun()
    run.safepoints = LATE.iloc[:0]
    assert title(plot.safepoints(run)) == "No safepoint was ever reached: 6.0 s after its start the JVM was killed"


def test_a_log_that_ends_in_a_safepoint_begun_shows_where_it_began():
    unreached = LATE.iloc[:0].copy()
    unreached.attrs["begun_s"] = 1.044
    assert title(plot.safepoints(unreached)).startswith("A safepoint was begun at 1.0 s and never reached")


def test_a_log_without_time_stamps_is_drawn_in_its_order():
    ax = plot.safepoints(LATE.assign(uptime_s=pd.NA))
    assert ax.get_xlabel() == "line of the log (it has no time stamps)"


def test_stops_of_very_different_length_get_a_log_axis():
    mixed = pd.concat([LATE.assign(uptime_s=float(n), total_ms=1.0, ttsp_ms=1.0) for n in range(5)] + [LATE])
    assert plot.safepoints(mixed).get_yscale() == "log"


def test_ten_thousand_stops_become_the_longest_of_each_slice():
    many = pd.DataFrame({"uptime_s": range(10_000), "operation": "op", "ttsp_ms": 1.0, "total_ms": 1.0})
    many.loc[7777, ["ttsp_ms", "total_ms"]] = 9.0
    ax = plot.safepoints(many)
    assert len(ax.patches) < 600 and "9.0\xa0ms" in words(ax) and png_bytes(ax) < 60_000


def test_the_compilations_title_counts_what_was_compiled_and_thrown_away():
    assert title(plot.compilations(COMPILES, "odds")).startswith("OddC::odds: 3 compiles (2 by OSR), 2 thrown away")


def test_made_not_entrant_ends_the_compile_of_that_id():
    from safepointlab.plot.compilations import lifetimes

    lives = lifetimes(COMPILES).set_index("compile_id")
    assert lives["end_s"][16] == 0.134 and pd.isna(lives["end_s"][17])


def test_without_tiers_a_compile_is_not_drawn_as_a_tier():
    untiered = COMPILES.assign(tier=pd.array([pd.NA] * len(COMPILES), dtype="Int8"))
    assert "C1" not in words(plot.compilations(untiered, "odds"))


def test_many_compiles_are_drawn_one_row_a_tier():
    many = pd.concat([COMPILES.assign(compile_id=COMPILES["compile_id"] + 100 * n) for n in range(10)])
    assert title(plot.compilations(many)).startswith("40 compiles, 10 of them by C2")


def test_the_tiles_say_in_words_what_hangs_and_what_is_late():
    drawn = words(plot.outcomes(SWEEP, late_ms=2000))
    assert "HUNG" in drawn and "late\n2.5 s" in drawn and "on time" in drawn


@pytest.mark.parametrize(
    ("outcome", "says"),
    [
        (["hung", "exited"] * 2, "It hangs with no flag on JDK 8 and 17; it exits with -Xint"),
        (["hung", "hung", "hung", "exited"], "It hangs with no flag on JDK 8 and 17, with -Xint on JDK 8"),
        (["exited"] * 4, "It exits on time everywhere"),
        (["hung", "failed", "not recorded", "no JDK"], "It hangs with no flag on JDK 8"),
        (["not recorded"] * 4, "No run came to an outcome"),
    ],
)
def test_the_outcomes_title_says_with_what_it_hangs_on_which_jdks(outcome, says):
    assert title(plot.outcomes(SWEEP.assign(outcome=outcome))) == says


def test_the_outcomes_title_says_every_jdk_only_of_three_or_more():
    three = pd.concat([SWEEP.assign(jdk=jdk, outcome=["hung", "exited"] * 2) for jdk in (8, 17, 25)])
    assert title(plot.outcomes(three)) == "It hangs with no flag on every JDK; it exits with -Xint"
    two = plot.outcomes(three[three["jdk"] > 8].assign(args="600"), rows=["jdk", "args"])
    assert title(two) == "It hangs with no flag on JDK 17 and 25; it exits with -Xint"


def test_a_number_with_its_unit_or_its_thousands_is_not_broken_below_a_tile():
    ax = plot.outcomes(SWEEP.iloc[:1].assign(past="100,000 calls", sleep="after 0.3 s"), columns=["past", "sleep"])
    assert [label.get_text() for label in ax.get_xticklabels()] == ["100,000\ncalls\nafter\n0.3\N{NO-BREAK SPACE}s"]


def test_the_outcomes_title_tells_a_hang_in_each_run_from_one_now_and_then():
    twice = pd.concat([SWEEP, SWEEP.assign(outcome="exited")])
    assert title(plot.outcomes(twice)).startswith("It hangs with no flag on JDK 8, though not in each run")


@pytest.mark.parametrize(
    ("waits", "says"),
    [
        ([300, 2, 300, 2], "The collection is late (over 200 ms) with no flag on JDK 8 and 17; on time with -Xint"),
        ([300, 2, 2, 2], "The collection is late (over 200 ms) with no flag on JDK 8; on time with -Xint"),
        ([2, 2, 2, 2], "The collection is on time everywhere"),
    ],
)
def test_the_outcomes_title_says_with_what_it_is_late_by_the_column_that_was_chosen(waits, says):
    drawn = plot.outcomes(SWEEP.assign(outcome="exited", gc_ms=waits), late_ms=200, time="gc_ms", what="the collection")
    assert title(drawn) == says and ("late\n0.3 s" in words(drawn)) is ("late" in says)


def test_the_outcomes_title_speaks_of_hangs_where_there_are_any_and_of_late_exits_elsewhere():
    assert title(plot.outcomes(SWEEP, late_ms=2000)).startswith("It hangs")
    late = plot.outcomes(SWEEP.assign(outcome="exited", wall_ms=3000), late_ms=2000)
    assert title(late) == "It is late (over 2,000 ms) with no flag and -Xint on JDK 8 and 17"


def test_a_combination_that_hangs_now_and_then_says_how_often():
    assert "HUNG 1 of 2" in words(plot.outcomes(pd.concat([SWEEP, SWEEP.assign(outcome="exited")])))


def test_an_outcome_of_another_kind_is_told_in_its_own_word():
    assert "flooded" in words(plot.outcomes(SWEEP.assign(outcome="flooded")))


def test_the_poll_map_says_which_shape_is_never_polled():
    assert title(plot.polls(POLLS)) == "2 of 3 have a loop without a poll: always for int index"


def test_a_loop_that_nobody_looked_at_is_neither_polled_nor_unpolled():
    drawn = [text.get_text() for text in plot.polls(POLLS).texts]
    assert sorted(drawn) == ["NO POLL", "NO POLL", "a poll", "–"]


def test_the_timeline_names_the_stop_that_is_the_longest_jitter():
    panels, _ = DRAWN["timeline"]
    assert "is the safepoint EnableBiasedLocking of 2,324 ms" in title(plot.timeline(panels))


def test_the_timeline_blames_no_stop_of_another_length():
    short = LATE.assign(ttsp_ms=3.0, total_ms=3.0)
    assert "is no safepoint" in title(plot.timeline({"jitter": JITTER, "safepoints": short}))


def test_the_threads_picture_names_the_thread_that_all_wait_for():
    ax = plot.threads(GAPS, STOP)
    assert title(ax) == "All wait for counted: it runs on for 48.0 of the 50.0 ms to the safepoint"


def test_notes_become_pauses_where_a_thread_is_silent_or_outside_of_java():
    from safepointlab.plot.threads import pauses_of

    notes = [
        ("a", 0, "runs"),
        ("a", 9_000_000, "runs"),
        ("a", 9_000_100, "runs"),
        ("b", 0, "leaves"),
        ("b", 5, "returns"),
    ]
    pauses = pauses_of(pd.DataFrame(notes, columns=["thread", "nanos", "mark"]))
    assert pauses["to_ns"].tolist() == [9_000_000, 5] and pauses["state"].fillna("").tolist() == ["", "outside"]


def test_a_thread_outside_of_java_is_not_late():
    outside = GAPS.assign(from_ns=[1_000_200_000, 900_000_000], state=[pd.NA, "outside"])
    assert title(plot.threads(outside, STOP)).startswith("No thread ran on for long")


def test_a_stop_of_a_log_without_nanotime_is_placed_by_the_start_of_the_jvm():
    from safepointlab.plot.threads import _begin_ns

    start = pd.DataFrame({"thread": ["jvm"], "nanos": [500_000_000], "mark": ["start"]})
    assert _begin_ns(start, {"begin_s": 0.5, "nanotime_ns": pd.NA}) == 1_000_000_000


def test_a_pause_that_ends_before_the_safepoint_is_reached_is_no_stop():
    from safepointlab.plot.threads import spans_of

    pauses = pd.DataFrame({"start": [1.0, 48.0], "end": [9.0, 60.0], "state": pd.NA})
    spans = spans_of(pauses, (-10, 70), [("ttsp_ms", 0.0, 50.0), ("operation_ms", 50.0, 60.0)])
    assert [kind for kind, *_ in spans] == ["running", "late", "idle", "stopped"]


def test_a_thread_without_progress_before_its_stop_is_drawn_so_only_outside_of_the_stop():
    from safepointlab.plot.threads import spans_of

    pauses = pd.DataFrame({"start": [-4.0], "end": [63.0], "state": pd.NA})
    spans = spans_of(pauses, (-10, 70), [("ttsp_ms", 0.0, 50.0), ("operation_ms", 50.0, 60.0)])
    assert spans[2:] == [("idle", -4.0, 0.0), ("stopped", 0.0, 60.0), ("idle", 60.0, 63.0)]


def test_a_thread_that_asks_is_outside_of_java_before_between_and_after_its_requests():
    from safepointlab.plot.threads import pauses_of

    notes = [("main", 5, "asks"), ("main", 9, "answered"), ("a", 0, "runs"), ("a", 20, "runs")]
    pauses = pauses_of(pd.DataFrame(notes, columns=["thread", "nanos", "mark"]))
    assert pauses[["from_ns", "to_ns"]].to_numpy().tolist() == [[0, 5], [5, 9], [9, 20]]
    assert set(pauses["state"]) == {"outside"} and set(pauses["thread"]) == {"main"}


def test_a_missing_duration_is_left_out_of_the_percentiles():
    ax = plot.percentiles({"one": [1.0, 2.0, None, 3.0]})
    assert ax.lines[0].get_ydata().min() == 1.0


def test_the_promotion_title_says_how_much_young_and_full_collections_free():
    expected = "2 young collections free 2%, 1 full collection frees 99% of the heap in use"
    assert title(plot.promotion(COLLECTIONS)) == expected


def test_two_runs_are_compared_by_what_their_young_collections_free():
    cut = COLLECTIONS.assign(after_mib=[1.0, 1.0, 1.0, pd.NA])
    assert title(plot.promotion({"kept": COLLECTIONS, "cut": cut})).endswith(
        "free 2% (kept) and 99% (cut) of the heap in use"
    )


def test_collections_that_are_neither_young_nor_full_are_not_called_young():
    cycles = COLLECTIONS.assign(kind=["cycle", "mixed", "full", "remark"])
    assert (
        title(plot.promotion(cycles)) == "2 other collections free 2%, 1 full collection frees 99% of the heap in use"
    )
    both = plot.promotion({"a": cycles, "b": COLLECTIONS})
    assert title(both) == "Collections other than full ones free 2% (a) and 2% (b) of the heap in use"


def test_a_pause_that_says_nothing_of_the_heap_is_no_bar():
    from safepointlab.plot.promotion import collections

    assert len(collections(COLLECTIONS)) == 3


@pytest.mark.parametrize("notes", [GAPS.iloc[:0], pd.DataFrame({"thread": [], "nanos": [], "mark": []})])
def test_without_a_note_the_threads_picture_says_so(notes):
    _, ax = plt.subplots()
    assert plot.threads(notes, STOP, ax=ax) is ax and "nothing to draw" in words(ax)


def test_the_threads_picture_stays_small():
    assert png_bytes(plot.threads(GAPS, STOP)) < 60_000
