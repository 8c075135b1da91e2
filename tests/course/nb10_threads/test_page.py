"""Page 10: which outcomes the runs show, what solves its exercises and what does not, and its pictures."""

import math
from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course.nb10_threads import answers, experiments
from safepointlab.course.nb10_threads import experiments as threads
from safepointlab.course.nb10_threads.experiments import ASKS, PARKS, SCANS
from safepointlab.course.nb10_threads.leaving_model import BARRIER, CORE, LOCK, MAIN, QUEUE, VM, WAITING, play
from safepointlab.course.nb10_threads.pictures import losses, way_out
from safepointlab.errors import BadInput
from safepointlab.plot import _alternative
from tests.course.conftest import classify, graded


def scores(asks=11.0, parks=0.2, scans=9.0, jdks=(8, 17), gc="Parallel"):
    """Rows of lab.jmh, one pair of JVMs for each JDK, in which each thread loses so many ms."""
    call_us, scan_us = 1000 * (100 + asks), 10.0
    slowed = scan_us / (1 - scans / (100 + asks))
    asked = [("gc", call_us), ("park", 100_000 + 1000 * parks), ("scan", slowed), ("score", 1.0)]
    quiet = [("park", 100_000.0), ("scan", scan_us), ("score", 1.0)]
    rows = [
        (jdk, gc, f"gc={n} park=1 scan=1", name, us, 0, f"{jdk}-{n}")
        for jdk in jdks
        for n, each in enumerate((quiet, asked))
        for name, us in each
    ]
    return pd.DataFrame(rows, columns=["jdk", "gc", "groups", "metric", "median", "repeat", "run"])


@pytest.fixture(autouse=True)
def stopped(monkeypatch):
    """Each run's log has three stops of 10 ms, or what a test says."""

    def log(frame, operation, labels):
        runs = frame.drop_duplicates("run")[list(labels)]
        each = pd.DataFrame({"ttsp_ms": [0.1] * 3, "operation_ms": 9.9, "leaving_ms": 0.0, "total_ms": 10.0})
        return runs.merge(each, how="cross")

    monkeypatch.setattr(threads, "stops", log)


TOLD = {"everybody_silent_ms": 12.0, "gc_ms": 80.0, "quiet_scans_per_s": 200.0, "scans_per_s": 150.0}


def crowd(jdks=(17, 25), **told):
    rows = [(jdk, float(count), f"{jdk}-{count}") for jdk in jdks for count in (1, 64)]
    return pd.DataFrame(rows, columns=["jdk", "threads", "run"]).assign(**{**TOLD, **told})


@pytest.mark.parametrize(
    ("name", "runs", "keys"),
    [
        ("10-pays", scores(11, 0.2, 9), {ASKS, SCANS}),
        ("10-pays", scores(11, 0.2, -3), {ASKS}),
        ("10-pays", scores(11, 8, 40), {ASKS, PARKS, SCANS, answers.BEYOND}),
        ("10-pays", scores(1, 0, 1), set()),
        ("10-pays", scores().query("groups.str.startswith('gc=0')"), set()),  # no collection is requested
        ("10-pays", scores().iloc[:0], set()),
        ("10-pays", pd.concat([scores(), scores(gc="G1")]), set()),
        ("10-stopped", crowd(everybody_silent_ms=9.5), {"all"}),
        ("10-stopped", crowd(everybody_silent_ms=7.0), {"most"}),
        ("10-stopped", crowd(everybody_silent_ms=4.0), {"part"}),
        ("10-stopped", crowd(everybody_silent_ms=1.2), {"hardly"}),
        ("10-stopped", crowd([17]), set()),  # without one run of 25
        ("10-stopped", crowd([25, 25]), set()),
    ],
)
def test_runs_show_their_outcome(name, runs, keys):
    finding = classify(name, runs)
    assert finding.facts and finding.keys == keys


def test_the_losses_are_those_of_each_pair_and_the_facts_say_what_the_scan_loses_by_pair():
    table = threads.losses(scores()).set_index(["jdk", "thread"])["lost_ms"].round(2)
    assert dict(table[17]) == {ASKS: 11.0, PARKS: 0.2, SCANS: 9.0}
    two = pd.concat([scores(jdks=[17]), scores(scans=14, jdks=[8])])
    assert classify("10-pays", two).facts.endswith("`scan` loses 0.9 to 1.4 times the pause.")


def crowds(monkeypatch, ttsp_ms):
    """Rows of lab.sweep, one for each JDK and number of threads; the log has that time to safepoint."""
    log = pd.DataFrame([(*key, ms) for key, ms in ttsp_ms.items()], columns=["jdk", "threads", "ttsp_ms"])
    monkeypatch.setattr(answers, "stops", lambda *_: log)
    return log[["jdk", "threads"]].assign(run="run", gc="Parallel").astype({"threads": float})


@pytest.mark.parametrize(("last", "key"), [(0.15, "hardly"), (1.0, "less"), (6.0, "proportional"), (90.0, "slices")])
def test_the_time_to_safepoint_grows_with_the_threads_or_not(monkeypatch, last, key):
    monkeypatch.setattr(answers, "cores", lambda: 4)
    runs = crowds(monkeypatch, {(jdk, count): ms for jdk in (17, 25) for count, ms in ((1, 0.1), (64, last))})
    assert classify("10-reach", runs).keys == {key}


def test_the_facts_say_milliseconds_and_another_question_has_no_outcome(monkeypatch):
    seen = {(8, 1): 0.18, (8, 64): 1.7, (17, 1): 0.1, (17, 64): 0.62, (25, 1): 0.06, (25, 64): 0.6}
    runs = crowds(monkeypatch, seen)
    said = "The medians of the JDKs: 0.06 to 0.2 ms with 1 thread, 0.6 to 1.7 ms with 64."
    assert classify("10-reach", runs).facts == said
    assert not classify("10-reach", pd.concat([runs, runs.assign(gc="G1")])).keys
    one_crowd = classify("10-reach", crowds(monkeypatch, {(17, 4): 0.3}))
    assert not one_crowd.keys and one_crowd.facts == "The medians of the JDKs: 0.3 ms with 4."


def test_stops_are_shown_by_the_medians_of_their_phases_and_scans_by_their_share(monkeypatch):
    log = {"ttsp_ms": [1.0, 2.0, 90.0], "leaving_ms": [60.0, 50.0, 400.0], "total_ms": [71.0, 62.0, 500.0]}
    stops = pd.DataFrame({"jdk": 25, "threads": 64.0, "operation_ms": 10.0, **log})
    monkeypatch.setattr(threads, "stops", lambda *_: stops)
    [row] = threads.silences(crowd([25]).iloc[1:]).to_dict("records")
    assert (row["ttsp_ms"], row["leaving_ms"], row["total_ms"]) == (2.0, 60.0, 71.0)
    assert row["lost_share"] == 0.25 and round(row["logged_share"], 2) == 0.42
    said = "42 % of the scans would be missing from an interval of 100 ms plus such a pause; in fact, 25 % are"
    assert said in classify("10-stopped", crowd()).facts


def logged(**columns):
    log = pd.DataFrame({"operation": ["ParallelGCCollect"] * 4, "ttsp_ms": 5.0, "total_ms": 240.0, **columns})
    return SimpleNamespace(safepoints=log, values={"everybody_silent_ms": 40.0})


@pytest.mark.parametrize(("ms", "holds"), [(0.1, True), (0.9, True), (1.1, False), (5.0, False), (math.nan, False)])
def test_a_flag_must_bring_the_time_to_safepoint_down_to_a_fifth(monkeypatch, ms, holds):
    monkeypatch.setattr(threads, "scan", lambda *_, flags, **__: logged(ttsp_ms=ms if flags else 5.0))
    assert graded("10-1", "-XX:TieredStopAtLevel=1").holds is holds
    for odd in ("-XX:+UseG1GC", "-XX:+UseCountedLoopSafepoints", "two words", None):
        with pytest.raises(BadInput):
            graded("10-1", odd)


@pytest.mark.parametrize(
    ("answer", "holds"), [(200, True), (200.0, True), (150, True), (240, True), (40, False), (0, False), (400, False)]
)
def test_what_the_log_of_17_hides_is_the_stop_without_the_silence(monkeypatch, answer, holds):
    monkeypatch.setattr(threads, "scan", lambda *_: logged())
    assert graded("10-3", answer).holds is holds
    for odd in ("200", True, math.nan, None):
        with pytest.raises(BadInput):
            graded("10-3", odd)


@pytest.mark.live
@pytest.mark.timed
@pytest.mark.parametrize("flag", ["-XX:TieredStopAtLevel=1", "-Xint"])
def test_without_c2_the_long_scan_polls(flag):
    judged = graded("10-1", flag)
    assert judged.holds, judged.does


BEAT = "            beat(number);\n"


@pytest.mark.live
@pytest.mark.timed
def test_threads_that_park_between_two_beats_are_spared(edited):
    judged = graded("10-2", edited("10-2", BEAT, "beat(number); LockSupport.parkNanos(20_000_000);"))
    assert judged.holds, judged.does


@pytest.mark.live
def test_threads_that_sleep_too_long_are_no_answer(edited):
    judged = graded("10-2", edited("10-2", BEAT, "beat(number); LockSupport.parkNanos(400_000_000);"))
    assert not judged.holds and "times a second" in judged.does


WAYS = play(threads=6, cores=2)


def steps_in(way, place, who):
    return sum(who in step.who[place] for step in WAYS[way])


@pytest.mark.parametrize("way", WAYS)
def test_everybody_is_in_one_place_in_each_step_and_there_are_as_many_cores_as_there_are(way):
    for step in WAYS[way]:
        names = [who for place in step.who.values() for who in place if who]
        assert sorted(names) == sorted([*"123456", VM, MAIN]) and len(step.who[CORE]) == 2


def test_by_a_lock_the_vm_thread_never_wants_a_core_and_answers_main_before_the_last_thread_is_awake():
    assert steps_in(LOCK, QUEUE, VM) == 0 and steps_in(LOCK, WAITING, MAIN) < steps_in(LOCK, WAITING, "6")


def test_by_the_barrier_the_vm_thread_queues_and_answers_main_after_the_last_thread_is_awake():
    assert steps_in(BARRIER, QUEUE, VM) >= 2 and steps_in(BARRIER, WAITING, MAIN) > steps_in(BARRIER, WAITING, "6")
    alone = play(threads=2, cores=4)[BARRIER]  # with a core for each it need not wait
    assert not any(VM in step.who[QUEUE] for step in alone)


def test_each_step_is_a_sentence_and_a_drawing_of_everybody():
    steps = way_out().data["of"][BARRIER]
    assert steps[1]["title"].startswith("The barrier is open: all 6 threads are awake")
    assert all(step["html"].count("font-weight:bold") == 8 for step in steps)


def test_the_finding_says_in_which_step_main_is_answered_and_the_table_counts_steps_from_1_as_it_does():
    drawn = way_out()
    found = "Main gets its answer in step 3 with a lock (until JDK 12), in step 7 with a barrier (JDK 13 and later)"
    assert repr(drawn) == found
    assert drawn.still.count("<table") == 2 and "<svg" not in drawn.still
    assert "<th>0</th>" not in drawn.still and drawn.still.count("<th>1</th>") == 2


@pytest.mark.parametrize("odd", [0, -1, 2.5, True, "2"])
def test_what_is_no_number_of_threads_is_told(odd):
    with pytest.raises(BadInput, match="threads must be a positive whole number"):
        way_out(threads=odd)


COLUMNS = ["jdk", "gc", "repeat", "thread", "lost_ms", "stopped_ms"]
LOST = [(0, "asks", 9.0), (1, "asks", 11.0), (0, "parks", 0.5), (0, "scans", -2.0)]
SCORES = pd.DataFrame({"run": ["a"], "metric": "gc", "median": 1.0, "groups": "gc=1", "repeat": 0})


@pytest.fixture
def drawn(monkeypatch):
    """drawn(jdk=...): the picture of these losses, on 25 and 8 unless columns are changed."""

    def draw(**columns):
        newest = pd.DataFrame([(25, "Parallel", *each, 10.0) for each in LOST], columns=COLUMNS)
        table = pd.concat([newest.assign(jdk=8, lost_ms=99.0), newest]).assign(**columns)
        monkeypatch.setattr(experiments, "losses", lambda _: table)
        return losses(SCORES)

    return draw


def test_each_pair_is_a_ring_and_a_loss_below_zero_is_shown(drawn):
    ax = drawn(jdk=25)
    assert any(-2.0 in line.get_ydata() for line in ax.lines) and ax.get_ylim()[0] < -2


def test_the_pause_is_shown_with_the_losses_and_title_and_words_have_the_numbers_of_the_newest_jdk(drawn, title):
    ax = drawn()
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert names == ["gc", "park", "scan", "the pause in the log"]
    found = "On JDK 25, a pause of 10.0 ms costs gc 10.0 ms, park 0.5 ms, scan -2.0 ms"
    assert title(ax) == found and "JDK 25: 10" in _alternative.of(ax.figure)


def test_losses_with_two_collectors_are_told_apart_and_names_are_drawn_as_they_are(drawn):
    names = drawn(gc=["A$_x_y$B"] * 4 + ["G1"] * 4).get_legend().get_texts()
    assert "gc, A$_x_y$B" in [text.get_text() for text in names] and not any(text.get_parse_math() for text in names)
