"""Notebook 24: what the witnesses say of a run, which outcome it shows, what solves the exercises, what is drawn."""

import re
from types import SimpleNamespace

import pandas as pd
import pytest
from matplotlib.patches import Rectangle

from safepointlab.course.nb24_outside import claims, experiments, pictures
from safepointlab.errors import BadInput
from safepointlab.plot import _alternative
from safepointlab.run import build
from tests.course.conftest import answer_of, classify, graded

BEGUN = 5_000_000_000
SYNC, ASYNC = {"call_ms": 2000.0}, {"call_ms": 8.0}


def run(reaching=0.1, at=0.1, between=20.0, args=("log", "gc*"), threads=(), silences=(), **values):
    """A run with an ordinary stop at 0.1 s and one with these phases, in ms, that ends at 2.5 s."""
    stops = pd.DataFrame(
        [(1.0, 0.1, 0.1, 0.2, 900.0), (5.1, 0.1, 0.1, 0.2, 20.0), (7.5, reaching, at, reaching + at, between)],
        columns=["end_s", "ttsp_ms", "operation_ms", "total_ms", "time_since_last_ms"],
    )
    stops = stops.assign(kind="safepoint", nanotime_ns=stops.pop("end_s") * 1e9)
    tables = {
        "threads.csv": pd.DataFrame(threads, columns=["thread", "state", "ms"]),
        "silences.csv": pd.DataFrame(silences, columns=["clock", "begin_s", "ms"]),
    }
    told = {"begun_ns": float(BEGUN), "inside_ms": 0.0, "outside_ms": 0.0, "writing_ms": 0.0} | values
    request = SimpleNamespace(args=args, gc="Serial")
    return SimpleNamespace(safepoints=stops, values=told, csv=tables.__getitem__, request=request, major=25)


LATE, LONG, CLEAN = run(reaching=2000.0), run(at=2000.0), run(between=2000.0)


def test_stops_from_before_it_began_do_not_count():
    assert experiments.longest_ms(CLEAN) == {"reaching": 0.1, "at": 0.1, "between": 2000.0}


@pytest.mark.parametrize(("run", "phase"), [(LATE, "reaching"), (LONG, "at"), (CLEAN, "none")])
def test_the_log_blames_the_phase_that_is_long(run, phase):
    assert experiments.blamed(run) == phase


def test_of_a_gap_between_two_stops_only_what_is_after_it_began_counts():
    assert experiments.longest_ms(run(between=9000.0))["between"] == pytest.approx(2500, abs=1)


def test_a_run_of_another_program_is_refused():
    other = SimpleNamespace(values={})
    with pytest.raises(BadInput, match="outside/Silence"):
        experiments.stops(other)


@pytest.mark.parametrize(
    ("name", "result", "keys"),
    [
        ("24-phase", [run(at=2000.0), run(args=("log", "safepoint"))], {"depends"}),
        ("24-phase", [run(at=2000.0), run(at=2000.0, args=("log", "gc"))], {"at"}),
        ("24-phase", [LATE], {"reaching"}),
        ("24-phase", [CLEAN], {"none"}),
        ("24-freeze", LATE, {"reaching"}),
        ("24-freeze", LONG, {"at"}),
        ("24-freeze", CLEAN, {"between"}),
        ("24-freeze", run(), set()),
    ],
)
def test_a_run_shows_its_outcome(name, result, keys):
    finding = classify(name, result)
    assert finding.keys == keys and finding.facts


SERIAL, POLLS, G1 = "-XX:+UseSerialGC", "-XX:+UseSerialGC -XX:+UseCountedLoopSafepoints", "-XX:+UseG1GC"


def cold(**waits):
    """Three JVMs per setting, one of which is an outlier."""
    rows = [
        (f"file {how}", flags, ms * times)
        for how, row in waits.items()
        for flags, ms in zip((SERIAL, POLLS, G1), row, strict=True)
        for times in (1, 10, 0.9)
    ]
    return pd.DataFrame(rows, columns=["args", "flags", "cold_ms"])


@pytest.mark.parametrize(
    ("frame", "keys"),
    [
        (cold(copy=(150, 140, 160), pieces=(150, 5, 12), pages=(150, 5, 15)), {"pieces_g1", "pages_g1"}),
        (
            cold(copy=(150, 40, 30), pieces=(20, 5, 12), pages=(150, 60, 100)),
            {"copy_g1", "copy_polls", "pieces", "pieces_g1"},
        ),
        (cold(copy=(150, 140, 160)), set()),
        (pd.DataFrame({"args": ["loop"], "flags": [SERIAL]}), set()),
    ],
)
def test_a_setting_helps_if_the_median_wait_is_a_third(frame, keys):
    assert classify("24-cold", frame).keys == keys


def test_the_suspects_are_those_of_the_sample():
    source = build.find_sample(experiments.SAMPLE).read_text()
    block = source[source.index('case "suspect"') :]
    calls = re.findall(r"case (\d) -> (\w+)\(|default -> (\w+)\(\)", block)
    names = [named or otherwise for _, named, otherwise in calls[:5]]
    words = {"log": "pipe", "freeze": "signal"}
    assert [words.get(name, name) for name in names] == list(experiments.SUSPECTS.values())


def test_the_line_up_is_solved_by_all_five():
    assert graded("24-2", dict(experiments.SUSPECTS)).holds
    assert not graded("24-2", {**experiments.SUSPECTS, 1: "loop", 5: "virtual"}).holds
    with pytest.raises(BadInput):
        graded("24-2", {1: "loop"})


@pytest.mark.live
@pytest.mark.parametrize(
    ("flags", "loses"), [("-Xlog:async -XX:AsyncLogBufferSize=102400", True), ("-Xlog:async", False)]
)
def test_a_small_buffer_loses_lines(flags, loses):
    assert graded("24-1", flags).holds is loses


def test_flags_without_the_asynchronous_log_are_no_answer():
    with pytest.raises(BadInput):
        graded("24-1", "-Xint")


def test_each_witness_has_a_row_and_carriers_are_one():
    threads = [
        ("ForkJoinPool-1-", "R", 1500.0),
        ("ForkJoinPool-2-", "R", 500.0),
        ("ForkJoinPool-2-", "S", 700.0),
        ("VM Thread", "T", 1990.0),
    ]
    table = experiments.line_up([run(threads=threads, inside_ms=70.0, writing_ms=1990.0), CLEAN])
    assert table.loc["both carriers, added up, in state R, s"].tolist() == [2.0, 0.0]
    assert table.loc["VM thread in state T, s"].tolist() == [1.99, 0.0]
    assert table.loc["VM thread in a write to the pipe, s"].tolist() == [1.99, 0.0]
    assert table.loc["clock inside: longest silence, s"].tolist() == [0.07, 0.0]
    assert not table.head(6).index.str.contains("thread|worker|carrier|read").any()  # the log and the clocks


def test_the_picture_has_a_lane_for_the_log_and_for_each_clock(title):
    silences = [("inside", 0.4, 2010.0), ("outside", 0.4, 60.0), ("writing", 0.3, 1990.0)]
    drawn = [run(at=2000.0, silences=silences), CLEAN]
    ax = pictures.silences(drawn, ["one", "two"], ["inside", "outside", "writing"], it="System.gc()")
    lanes = ("stops in the log", "clock inside", "clock outside", "VM thread")
    assert [label.get_text() for label in ax.get_yticklabels()] == [
        f"{name}: {lane}" for name in ("one", "two") for lane in lanes
    ]
    bars = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    assert {(round(bar.get_y() + 0.31), round(bar.get_width(), 2)) for bar in bars} == {
        (0, 2.0),
        (1, 2.01),
        (3, 1.99),
    }  # what is shorter than a tenth of a second is left out
    assert title(ax) == "JDK 25, Serial: the log blames the operation (one) and nothing (two)"
    assert ax.get_xlabel().startswith("time since System.gc(), s")
    said = _alternative.of(ax.figure)
    assert "one: clock inside: silent for 2.0 s." in said


def test_phases_that_the_log_blames_twice_are_named_once(title):
    ax = pictures.silences([LATE, CLEAN, LATE], ["one", "two", "three"])
    assert title(ax) == "JDK 25, Serial: the log blames reaching (one and three) and nothing (two)"


@pytest.mark.parametrize(
    ("pieces", "found"),
    [
        ((150, 5, 6), "A cold file makes stops wait more than 60 ms, unless it's read by a loop with polls"),
        ((150, 90, 6), "Longest wait for worker: more than 60 ms in 6 of 18 combinations"),
    ],
)
def test_the_title_speaks_of_polls_only_if_they_make_the_difference_in_each_run(title, pieces, found):
    runs = cold(copy=(150, 140, 160), pieces=pieces, pages=(150, 5, 6)).iloc[lambda rows: rows.index % 3 != 1]
    assert title(pictures.waits(runs.assign(warm_ms=4.0))) == found


def waits(copy, pages, fetched):
    return {**dict(zip(claims.WAITS.values(), (copy, pages), strict=True)), claims.FETCHED: fetched}


PHASES = {f"long phase with {what}": phase for what, phase in claims.PHASES.items()} | {claims.WHOLE_MS: 4.0}


@pytest.mark.parametrize(
    ("name", "measured", "answer"),
    [
        ("002-26", {**PHASES, claims.CALL_MS: [1990, 2000, 2010]}, "holds"),
        ("002-26", {**PHASES, "long phase with gc*": "none", claims.CALL_MS: [1990, 2000, 2010]}, "differs"),
        ("002-26", {**PHASES, claims.WHOLE_MS: 1990.0, claims.CALL_MS: [1990, 2000, 2010]}, "differs"),
        ("002-26", {**PHASES, claims.CALL_MS: [10, 12, 9]}, "differs"),
        ("002-26", {**PHASES, claims.CALL_MS: [10, 2000, 2000]}, "unclear"),
        ("002-27", {claims.CALL_MS: [2000, 9]}, "holds"),
        ("002-27", {claims.CALL_MS: [2000, 1990]}, "differs"),
        ("002-27", {claims.CALL_MS: [9, 9]}, "unclear"),
        ("002-28", waits((150, 140), (150, 15), 256), "holds"),
        ("002-28", waits((150, 14), (150, 15), 256), "differs"),
        ("002-28", waits((150, 140), (150, 15), 0), "unclear"),
        ("002-28", waits((150, 140), (150, 140), 256), "unclear"),
        ("002-29", dict(enumerate([0.1, 0.1, 2010, 2000, 0])), "holds"),
        ("002-29", dict(enumerate([1990, 0.1, 30, 2000, 0])), "differs"),
        ("002-29", dict(enumerate([0.1, 0.1, 2010, 2000, 1990])), "unclear"),
    ],
)
def test_a_judge_says_yes_no_and_unclear(name, measured, answer):
    assert answer_of(name, measured) == answer


@pytest.mark.gate
@pytest.mark.live
@pytest.mark.parametrize(
    ("name", "state", "lacks"),
    [
        ("002-26", "not run", "Java 17"),
        ("002-27", "not applicable", "-Xlog:async"),
        ("002-28", "not run", "Java 17"),
        ("002-29", "not run", "Java 17"),
    ],
)
def test_an_old_jdk_lacks_the_flag_or_the_language_of_the_labs_program(measured, name, state, lacks):
    verdict = measured(name, 8)
    assert verdict.state == state and f"does not know {lacks}" in verdict.why
