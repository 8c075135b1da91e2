"""More threads: the judges of notebook 10, and its relations, small, on some JDKs."""

import pytest

from safepointlab import jdks
from safepointlab.course import verdicts
from safepointlab.course.nb10_threads import claims, claims_crowd
from safepointlab.course.nb10_threads import experiments as threads
from safepointlab.course.nb10_threads.claims_crowd import FEW, MANY, ONE, QUIET
from safepointlab.errors import RunFailed
from safepointlab.run.stops import of_run
from tests.course.conftest import answer_of

JDKS = sorted({jdk.major for jdk in jdks.find()} & {8, 17, 25})


def scan(jdk, count):
    return threads.scan(jdk, count, collections=5, pause_ms=40)


def called(beyond, pause, reached):
    return {claims.BEYOND: beyond, claims.PAUSE: pause, claims.REACHED: reached}


def beside(late, alone):
    return {claims.LATE: late, claims.LATE_ALONE: alone, claims.BEYOND: [18.0] * 3}


def crowds(few, many):
    return {"cores": 4, claims_crowd._reached(FEW): few, claims_crowd._reached(MANY): many}


def parked(one, many):
    late = {ONE: one, QUIET: [0.1] * 3, MANY: many}
    return {"cores": 2, **{claims_crowd._late(lineup): ms for lineup, ms in late.items()}}


@pytest.mark.parametrize(
    ("name", "evidence", "answer"),
    [
        # the post's own numbers
        ("000-17", called([19.0] * 3, [16.1] * 3, [0.07] * 3), "holds"),
        ("000-18", beside([0.8, 1.0, 1.2], [0.1] * 3), "holds"),
        ("000-20", {claims.SLOWER: [1.6] * 3, claims.EXPLAINED: [1.15] * 3}, "holds"),
        ("000-22", crowds([0.7] * 3, [10.0] * 3), "holds"),
        ("000-64", parked([0.7] * 3, [43.9] * 3), "holds"),
        # where the JVMs disagree, nothing is decided
        ("000-17", called([19.0] * 3, [16.0, 16.0, 10.0], [0.07] * 3), "unclear"),
        ("000-18", beside([0.2, 9.0, 9.0], [0.1] * 3), "unclear"),
        ("000-20", {claims.SLOWER: [1.1, 1.1, 1.9], claims.EXPLAINED: [1.15] * 3}, "unclear"),
        ("000-22", crowds([0.1, 0.1, 0.4], [0.3, 0.5, 0.6]), "unclear"),
        ("000-64", parked([0.1, 0.1, 3.0], [2.0, 2.5, 5.0]), "unclear"),
        # a thread that is late with nobody who collects says nothing of collections
        ("000-18", beside([9.0] * 3, [5.0] * 3), "unclear"),
        ("000-18", beside([6.0] * 3, [0.1] * 3), "differs"),
        # a wait of the VM thread's least step on both sides is no longer wait
        ("000-22", crowds([0.1] * 3, [0.1] * 3), "differs"),
        ("000-64", parked([0.2] * 3, [0.2] * 3), "differs"),
    ],
)
def test_a_judge_decides_by_what_all_jvms_say(name, evidence, answer):
    assert answer_of(name, evidence) == answer


def test_a_machine_with_few_cores_does_not_run_what_needs_more(monkeypatch):
    monkeypatch.setattr(threads, "cores", lambda: 4)
    with pytest.raises(RunFailed, match="needs 8 cores or more, and this machine has 4"):
        verdicts.find(["000-21"])[0].measure(17)


@pytest.mark.parametrize(("cores", "within", "beyond"), [(1, 1, 2), (2, 1, 4), (4, 2, 8), (8, 4, 16), (48, 32, 64)])
def test_on_the_posts_machine_within_and_beyond_the_cores_are_its_own_numbers(monkeypatch, cores, within, beyond):
    monkeypatch.setattr(claims_crowd, "cores", lambda: cores)
    assert (claims_crowd.within(), claims_crowd.beyond()) == (within, beyond)


@pytest.mark.live
@pytest.mark.parametrize("jdk", JDKS)
def test_each_request_is_one_stop_of_the_log_and_threads_scan_on(jdk):
    run = scan(jdk, 2)
    assert len(of_run(run, threads.COLLECTIONS)) == 5
    assert run.values["threads"] == 2 and run.values["scans_per_s"] > 0 and run.values["quiet_scans_per_s"] > 0


@pytest.mark.live
@pytest.mark.parametrize("jdk", JDKS)
def test_sixty_four_threads_are_reached_later_than_one(jdk):
    one, many = (of_run(scan(jdk, count), threads.COLLECTIONS)["ttsp_ms"].quantile(0.25) for count in (1, 64))
    assert many > 1.5 * one
