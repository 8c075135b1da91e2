"""The first program: as many stops as it asks for, on every JDK that is here."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab import jdks
from safepointlab.course.nb00_start import experiments as start

JDKS = sorted({jdk.major for jdk in jdks.find()})
SMALL = "3 30"  # collections, and the sleep before each in ms
each_jdk = pytest.mark.parametrize("jdk", JDKS or [8])


@pytest.mark.live
@each_jdk
def test_hello_safepoint_ends_by_itself_and_tells_of_each_collection(jdk):
    run = start.hello(jdk, args=SMALL)
    assert (run.outcome, run.exit_code, start.requests(run)) == ("exited", 0, 3)


@pytest.mark.live
@each_jdk
def test_each_collection_that_it_asks_for_is_one_stop_in_the_log(jdk):
    assert len(start.collections(start.hello(jdk, args=SMALL))) == 3


@pytest.mark.live
@pytest.mark.timed
@each_jdk
def test_its_worker_reaches_a_safepoint_sooner_than_a_collection_takes(jdk):
    stops = start.collections(start.hello(jdk, args=SMALL))
    assert stops["ttsp_ms"].min() < stops["total_ms"].max() / 2


def test_the_picture_of_the_stops_says_where_the_time_of_the_longest_went():
    stops = pd.DataFrame({"total_ms": [1.4, 2.68, 1.3], "operation_ms": [1.2, 1.83, 1.1]})
    said = start.finding(SimpleNamespace(safepoints=stops)).replace("\N{NO-BREAK SPACE}", " ")
    assert said == "3 stops of at most 2.7 ms each,\n1.8 ms of it for the operation"


def test_the_names_of_the_operations_come_with_their_counts():
    log = pd.DataFrame({"operation": ["Halt", "GenCollectFull", "GenCollectFull"]})
    assert start.operations(SimpleNamespace(safepoints=log)) == "GenCollectFull ×2, Halt"


def stuck_run():
    """As much of a hung exit as its picture needs: the safepoint was begun at 0.71 s, the JVM killed at 3 s."""
    log = pd.DataFrame()
    log.attrs["begun_s"] = 0.71
    return SimpleNamespace(safepoints=log, wall_ms=3000, forensics=SimpleNamespace(holdup="killer"))


def test_the_picture_of_a_hung_exit_says_when_main_returned_and_for_whom_the_jvm_waits():
    said = start.stays(stuck_run()).replace("\n", " ")
    assert said == "main returned at 0.7 s; 2.3 s later the JVM still waits for the thread killer"


def test_in_a_hung_exit_main_is_away_when_the_vm_thread_begins_to_wait():
    ends = start.lanes(stuck_run()).set_index("what")[["begin_s", "end_s"]]
    assert ends.loc["asleep", "end_s"] == ends.loc["reaching", "begin_s"] == 0.71
    assert ends.loc["reaching", "end_s"] == ends.loc["call", "end_s"] == 3.0


def test_an_examination_in_brief_shows_who_holds_all_up_and_what_got_no_answer_and_folds_the_rest():
    rows = [("Who holds the safepoint?", "killer"), ("Who takes the CPU?", "<b>"), ("Does jstack get an answer?", "no")]
    brief = start.InBrief(SimpleNamespace(rows=lambda: rows))
    shown, _, folded = brief._repr_html_().partition("<details>")
    assert "killer" in shown and "jstack" in shown and "the CPU" not in shown
    assert "&lt;b&gt;" in folded and str(brief).splitlines()[-1] == "Does jstack get an answer?  no"
