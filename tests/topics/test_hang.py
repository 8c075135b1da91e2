"""The hang: its samples, small, on every JDK that is here; and its judges, without any."""

from types import SimpleNamespace

import pytest

from safepointlab import jdks
from safepointlab.claims import base
from safepointlab.claims.hang import CLAIMS
from safepointlab.errors import RunFailed
from safepointlab.run import launch
from safepointlab.topics import hang, osr

JDKS = sorted({jdk.major for jdk in jdks.find()})
HEX_LISTINGS = [major for major in JDKS if major >= 17]  # print machine code without a disassembler

each_jdk = pytest.mark.parametrize("jdk", JDKS or [8])
each_printing_jdk = pytest.mark.parametrize("jdk", HEX_LISTINGS or [17])


def judged(id, measured, jdk):
    return next(claim for claim in CLAIMS if claim.id == id).judge(measured, jdk)


@pytest.mark.live
@each_jdk
def test_the_killer_task_with_a_small_limit_ends_by_itself(jdk):
    run = launch.java("hang/KillerTask", jdk, gc="Serial", args="100 1000 1000", deadline=30)
    assert run.exit_code == 0 and "500000 odd numbers" in run.output and "main returns" in run.output


@pytest.mark.live
@each_jdk
def test_the_killer_task_exits_when_its_loop_is_cut_into_chunks_by_hand(jdk):
    assert hang.in_chunks(jdk).exit_code == 0


@pytest.mark.live
def test_the_killer_task_hangs_with_serial_and_the_jvm_names_its_thread():
    run = hang.killer(17)
    assert run.hung and "main returns" in run.output
    assert (run.forensics.holdup, run.forensics.answered("jcmd")) == ("killer", False)
    assert list(run.stragglers["thread"].unique()) == ["killer"]


@pytest.mark.live
@each_printing_jdk
def test_no_loop_of_the_killer_tasks_standard_code_is_polled_with_serial(jdk):
    loops = osr.standard_loops(hang.killers_code(jdk))
    assert len(loops) >= 2 and not loops["polled"].any()


@pytest.mark.live
@each_printing_jdk
def test_strip_mining_leaves_polls_around_a_loop_without(jdk):
    loops = osr.standard_loops(hang.killers_code(jdk, "G1"))
    assert loops.query("depth == 1")["polled"].all()
    assert (loops.query("not polled")["depth"] > 1).all()


@pytest.mark.live
@pytest.mark.parametrize("name, args", [("KillerTaskInnerCall", "100 1000 1000"), ("WhenWillItExitLong", "100 1000")])
def test_the_other_samples_end_by_themselves_when_small(name, args):
    run = launch.java(f"hang/{name}", 17, gc="Serial", args=args, deadline=20)
    assert run.exit_code == 0 and "main returns" in run.output


@pytest.mark.live
def test_a_long_index_stalls_its_requests_where_loops_become_nests():
    stall, kept = (hang.longest_ttsp_ms(hang.long_index(17, flags)) for flags in ("", hang.KEEP_POLLS))
    assert stall > 3 * kept


@pytest.mark.parametrize(
    "default, top, state",
    [("hung", "hung", "holds"), ("exited", "hung", "fails"), ("exited", "exited", "changed")],
)
def test_an_exit_by_default_flags_is_the_jdks_doing_only_if_the_loop_entered_at_the_top_exits_too(default, top, state):
    assert judged("000-11", {"default flags": default, "entered at the top": top}, 17).state == state


def test_a_program_still_at_work_at_its_deadline_does_not_count_as_hung():
    busy = SimpleNamespace(hung=True, output="", wall_ms=3000.0, outcome="hung")
    with pytest.raises(RunFailed, match="too busy"):
        hang.fate(busy)


@pytest.mark.parametrize("kept, jdk, state", [(0.2, 11, "fails"), (0.2, 17, "changed"), (900.0, 17, "holds")])
def test_a_long_index_is_no_cure_where_the_wait_is_many_times_that_with_polls(kept, jdk, state):
    assert judged("000-14", {"ttsp_ms": 2000.0, "ttsp_ms with kept polls": kept}, jdk).state == state


def test_no_log_of_a_collection_makes_the_verdict_on_long_indexes_unclear():
    measured = {"ttsp_ms": float("nan"), "ttsp_ms with kept polls": 1.0}
    assert judged("000-14", measured, 17) == base.unclear("no collection was logged")
