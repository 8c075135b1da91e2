"""Notebook 00: which outcome a run shows, and what solves its exercises and what comes near it and does not."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course.nb00_start import answers
from safepointlab.course.nb00_start import experiments as start
from safepointlab.errors import BadInput, FlagRejected
from tests.course.conftest import classify, graded


def run(calls=5, took_us=2000, stops=5):
    """As much of a run of HelloSafepoint as is looked at."""
    output = "".join(f"collection {n}: {took_us} us, worker at turn 7\n" for n in range(1, calls + 1))
    rows = {"kind": "safepoint", "operation": "GenCollectFull", "total_ms": [2.0] * stops}
    return SimpleNamespace(output=output, outcome="exited", safepoints=pd.DataFrame(rows))


def ended(exit_code=0, wall_ms=800, named_s=(), overdue=False, answered=False):
    """As much of a run of the killer task as is looked at; `named_s` is when SafepointTimeout named a late thread."""
    forensics = SimpleNamespace(holdup=None if answered else "killer", answered=lambda _: answered)
    logs = {"stragglers": pd.DataFrame({"uptime_s": named_s}, dtype=float), "safepoints": pd.DataFrame()}
    logs["request"] = SimpleNamespace(gc="G1")
    return SimpleNamespace(overdue=overdue, exit_code=exit_code, wall_ms=wall_ms, forensics=forensics, **logs)


@pytest.mark.each(
    "run, key",
    [
        (ended(None, 3_000, overdue=True), "stays"),
        (ended(), "soon"),
        (ended(0, 2_400), "soon"),  # the JVM was slow to start: no thread was late
        (ended(0, 2_400, [1.7]), "late"),  # requested 0.5 s before, at 1.2 s
        (ended(0, 2_400, [2.3]), "soon"),  # named after half a second, and not a second late
        (ended(1, 700), "refused"),
    ],
)
def test_the_exit_is_soon_late_an_error_or_none_counted_from_the_return_of_main(run, key):
    finding = classify("00-exit", run)
    assert finding.keys == {key} and ("killer" in finding.facts) is run.overdue
    assert finding.facts.startswith("With G1, the JVM exited") is (key in ("soon", "late"))


def test_a_jvm_that_answers_at_its_deadline_waits_for_no_thread():
    finding = classify("00-exit", ended(None, 500, overdue=True, answered=True))
    assert not finding.keys and "no thread was holding it up" in finding.facts


@pytest.mark.parametrize(("stops", "key"), [(0, "never"), (4, "fewer"), (5, "same"), (6, "more")])
def test_stops_are_counted_against_requests(stops, key):
    finding = classify("00-stops", run(stops=stops))
    assert finding.keys == {key} and (f"GenCollectFull ×{stops}." if stops else "none.") in finding.facts
    with pytest.raises(BadInput):
        classify("00-stops", run(calls=0, stops=stops))


@pytest.mark.parametrize(
    ("changed", "holds"),
    [
        (run(took_us=9, stops=0), True),
        (run(), False),
        (run(stops=0), False),  # the log is silent, the program waits
        (run(calls=0, stops=0), False),
        (run(took_us=9, stops=1), False),
    ],
)
def test_the_flag_has_to_spare_the_program_its_stops_and_not_the_log_its_lines(monkeypatch, changed, holds):
    monkeypatch.setattr(start, "hello", lambda _, flags="": changed if flags else run())
    assert graded("00-1", "-XX:+Some").holds is holds


@pytest.mark.parametrize(
    ("names", "holds"),
    [(["ThreadDump"] * 3, True), (["GenCollectFull"] * 3, False), (["ThreadDump"], False), ([], False)],
)
def test_three_stops_that_are_no_collection_solve_it(monkeypatch, edited, names, holds):
    log = pd.DataFrame({"kind": ["safepoint"] * len(names), "operation": pd.Series(names, dtype="string")})
    stopped = SimpleNamespace(outcome="exited", output="request \n" * 3, safepoints=log)
    monkeypatch.setattr(answers.launch, "java", lambda *_, **__: stopped)
    assert graded("00-2", edited("00-2", "System.gc();", "ask();")).holds is holds


@pytest.mark.parametrize(("answer", "holds", "words"), [(0.4, True, "Serial's 5 take 10"), (0.9, False, "all rows")])
def test_handshakes_do_not_count_as_time_in_which_all_stood_still(monkeypatch, answer, holds, words):
    rows = {"kind": ["safepoint", "handshake", "safepoint"], "operation": "Z", "total_ms": [0.3, 0.5, 0.1]}
    by_z = SimpleNamespace(safepoints=pd.DataFrame(rows))
    monkeypatch.setattr(start, "hello", lambda _, gc="Serial": run() if gc == "Serial" else by_z)
    judged = graded("00-3", answer)
    assert judged.holds is holds and words in judged.does


@pytest.mark.live
@pytest.mark.parametrize(("flag", "holds"), [("-XX:+DisableExplicitGC", True), ("-Xlog:disable", False)])
def test_17_ignores_the_calls_by_a_flag_and_a_silent_log_is_no_answer(flag, holds):
    assert graded("00-1", flag).holds is holds


@pytest.mark.live
@pytest.mark.parametrize(
    ("body", "holds"),
    [
        ("Thread.getAllStackTraces();", True),
        ("java.lang.management.ManagementFactory.getThreadMXBean().findDeadlockedThreads();", True),
        ("System.gc( );", False),
    ],
)
def test_the_edited_program_is_stopped_for_its_stacks(edited, body, holds):
    assert graded("00-2", edited("00-2", "System.gc();", f"int ours = 1; {body}")).holds is holds


@pytest.mark.live
def test_zgc_stops_all_threads_more_often_than_it_is_called_and_for_less_than_all_rows():
    log = start.hello(17, gc="Z").safepoints
    stops = log.loc[log["kind"] == "safepoint", "total_ms"]
    assert len(stops) > 5 and graded("00-3", round(stops.sum(), 3)).holds
    assert not graded("00-3", log["total_ms"].sum()).holds


@pytest.mark.live
def test_a_flag_that_17_does_not_have_is_refused_with_what_replaces_it():
    with pytest.raises(FlagRejected, match="-Xlog:safepoint"):
        graded("00-1", start.STOPPED_TIME)
