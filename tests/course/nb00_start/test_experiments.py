"""The first program: as many stops as it requests, on every JDK that is here; and the picture of an exit."""

import pandas as pd
import pytest

from safepointlab.course.nb00_start import experiments as start
from safepointlab.course.nb00_start import pictures
from safepointlab.errors import BadInput
from safepointlab.run.run import Run

SMALL = "3 30"  # collections, and the sleep before each in ms


@pytest.mark.live
def test_hello_safepoint_ends_by_itself_and_each_collection_that_it_requests_is_one_stop_in_the_log(jdk):
    run = start.hello(jdk, args=SMALL)
    assert (run.outcome, run.exit_code, start.requests(run), len(start.collections(run))) == ("exited", 0, 3, 3)


class OneRun(Run):
    """As much of a run as the picture needs: if it hung, the safepoint was requested at 0.71 s."""

    def __init__(self, hung, wall_ms, holdup, named_s=()):
        log, late = pd.DataFrame(), pd.DataFrame({"uptime_s": named_s}, dtype=float)
        log.attrs |= {"begun_s": 0.71} if holdup else {}
        forensics = type("F", (), {"holdup": holdup})
        self.__dict__.update(hung_=hung, lived_ms=wall_ms, safepoints=log, stragglers=late, forensics=forensics)

    overdue = property(lambda self: self.hung_)
    wall_ms = property(lambda self: self.lived_ms)


def test_a_hang_says_when_main_returned_and_for_whom_the_jvm_waits(title):
    ax = pictures.exit(OneRun(True, 3000, "killer"))
    assert title(ax) == "main returned at 0.7 s; 2.3 s later the JVM is still waiting for the thread killer"
    assert [text.get_text() for text in ax.texts] == ["not reached: here the lab stops waiting"]
    assert {round(edge, 2) for bar in ax.patches for edge in bar.get_bbox().intervalx} >= {0.11, 0.71, 3.0}  # type: ignore[attr-defined]


def test_a_run_that_exits_says_so_after_the_reader_chose_another_collector(title):
    ax = pictures.exit(OneRun(False, 750, None))
    assert title(ax) == "The JVM exits 0.8 s after its start"
    assert [label.get_text().split("\n")[0] for label in ax.get_yticklabels()] == ["main", "killer"]
    assert title(pictures.exit(OneRun(True, 3000, None))).startswith("The JVM is still running, though no thread")


def test_an_exit_that_a_thread_held_up_shows_the_wait_from_the_return_of_main(title):
    ax = pictures.exit(OneRun(False, 2400, None, [1.7]))
    assert title(ax) == "The JVM exits 2.4 s after its start"
    assert {round(bar.get_bbox().x0, 2) for bar in ax.patches} == {0.6, 1.2}  # type: ignore[attr-defined]


def test_what_is_no_run_is_refused():
    with pytest.raises(BadInput, match="the run of lab.java, not DataFrame"):
        pictures.exit(pd.DataFrame())
