"""The hang: its samples, small, on every JDK that is here; and its judges, without any."""

from types import SimpleNamespace

import pytest

from safepointlab.course.nb02_hang import experiments as hang
from safepointlab.course.nb04_osr import experiments as osr
from safepointlab.errors import RunFailed
from safepointlab.run import launch

NAMES = ("JMX", "jmap", "jstack")


@pytest.mark.gate
@pytest.mark.live
def test_the_killer_task_with_a_small_limit_ends_by_itself(jdk):
    run = launch.java("hang/KillerTask", jdk, gc="Serial", args="100 1000 1000", deadline=30)
    assert run.exit_code == 0 and "500000 odd numbers" in run.output and "main returns" in run.output


@pytest.mark.live
def test_the_killer_task_exits_when_its_loop_is_cut_into_chunks_by_hand(jdk):
    assert launch.java("hang/KillerTaskInChunks", jdk, gc="Serial", args=600, deadline=10).exit_code == 0


@pytest.mark.gate
@pytest.mark.live
def test_the_killer_task_hangs_with_serial_and_the_jvm_names_its_thread():
    run = hang.killer(17)
    assert run.hung and "main returns" in run.output
    assert (run.forensics.holdup, run.forensics.answered("jcmd")) == ("killer", False)
    assert list(run.stragglers["thread"].unique()) == ["killer"]


@pytest.mark.live
@pytest.mark.timed  # where C2 comes late, the long call never gets its standard code
def test_no_loop_of_the_killer_tasks_standard_code_is_polled_with_serial_and_g1_has_polls_around_one(printing_jdk):
    settings = {"args": "300 1000", "log": "assembly=KillerTask.countOdds", "deadline": 30}
    bare, strips = (
        osr.standard_loops(launch.java(hang.KILLER, printing_jdk, gc=gc, **settings)) for gc in ("Serial", "G1")
    )
    assert len(bare) >= 2 and not bare["polled"].any()
    assert strips.query("depth == 1")["polled"].all() and (strips.query("not polled")["depth"] > 1).all()


@pytest.mark.live
@pytest.mark.timed
def test_a_long_index_stalls_its_requests_where_loops_become_nests():
    stall, kept = (hang.long_index(17, flags).safepoints["ttsp_ms"].max() for flags in ("", hang.KEEP_POLLS))
    assert stall > 3 * kept


@pytest.mark.live
def test_the_posts_program_exits_from_its_lambda_as_from_its_method(jdk):
    run = launch.java(hang.POST, jdk, args=[hang.ORIGINAL, hang.SLEEP_MS], log=hang.LOG, deadline=hang.CURED_S)
    assert hang.fate(run) == "exited"


@pytest.mark.live
def test_a_jvm_with_polls_answers_what_a_hung_one_leaves_unanswered():
    hung, healthy = (hang.managed_killer(17, healthy).forensics for healthy in (False, True))
    assert [hung.answered(name) for name in NAMES] == [False] * 3
    assert [healthy.answered(name) for name in NAMES] == [True] * 3


def test_8_stands_for_the_build_of_the_post_and_is_not_run_without_it():
    assert [hang.posts_build(jdk) for jdk in (8, 11)] == ["8u60", 11]


@pytest.mark.parametrize(
    "counts, state",
    [
        ({}, "holds"),
        ({"answered": ["jstack"], "silent": ["JMX", "jmap", "SIGTERM"]}, "never did"),
        ({"not asked": ["jmap"], "silent": ["JMX", "jstack", "SIGTERM"]}, "unclear"),
        ({"answered by a healthy JVM": ["JMX", "jmap", "jstack"]}, "unclear"),
    ],
)
def test_silence_counts_where_it_was_asked_and_a_healthy_jvm_answers(judge, counts, state):
    all_four = ["JMX", "jmap", "jstack", "SIGTERM"]
    answers = {"answered": [], "silent": all_four, "not asked": [], "answered by a healthy JVM": all_four}
    assert judge("000-12", answers | counts).state == state


@pytest.mark.parametrize("polled, state", [(0, "holds"), (28, "changed"), (202, "holds")])
def test_the_interpreter_stops_anywhere_if_no_bytecode_polls_or_each(judge, polled, state):
    listing = {"the loop with -Xint": "exited", "bytecodes printed": 202, "that poll by themselves": polled}
    assert judge("000-01", listing).state == state


@pytest.mark.parametrize(
    "fates, state",
    [
        (("hung", "exited", "exited"), "holds"),
        (("hung", "exited", "hung"), "never did"),
        (("exited", "exited", "exited"), "not applicable"),
    ],
)
def test_a_cure_needs_a_hang_and_all_its_flags_end_it(judge, fates, state):
    evidence = dict(zip(("no fix", "-Xint", "the method excluded"), fates, strict=True))
    assert judge("000-13", evidence).state == state


def test_a_program_still_at_work_at_its_deadline_counts_as_hung_only_if_somebody_holds_it_up():
    jvm = SimpleNamespace(holdup=None, holdup_why="it answers jcmd")
    busy = SimpleNamespace(overdue=True, forensics=jvm, wall_ms=3000.0, outcome="hung")
    with pytest.raises(RunFailed, match="it answers jcmd; this machine is too busy"):
        hang.fate(busy)
    jvm.holdup = "killer"
    assert hang.fate(busy) == "hung"


SHORT, LONG, KEPT = (
    f"time to safepoint {when}, ms"
    for when in ("after short calls", "after a call of 3 billion iterations", "with polls kept")
)


@pytest.mark.parametrize(
    "short, long, kept, state",
    [
        ([0.1, 0.2], [0.1, 5.0], [0.1, 0.2], "holds"),
        ([2000.0, 2100.0], [1900.0, 2000.0], [0.2, 0.3], "changed"),
        ([0.1, 0.2], [1900.0, 2000.0], [0.2, 0.3], "changed"),  # as on 27: the profile decides
        ([0.1, 2000.0], [0.1, 0.1], [0.2, 0.3], "unclear"),
        ([900.0, 950.0], [900.0, 950.0], [0.2, 900.0], "holds"),
        ([], [0.1], [0.1], "unclear"),
    ],
)
def test_a_long_index_is_no_cure_where_either_run_waits_much_longer_than_with_polls(judge, short, long, kept, state):
    waits = {SHORT: short, LONG: long, KEPT: kept}
    assert judge("000-14", {"the loop with an int index": "hung", **waits}).state == state
    assert judge("000-14", {"the loop with an int index": "exited", **waits}).state == "not applicable"
