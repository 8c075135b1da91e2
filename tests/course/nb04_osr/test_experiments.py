"""OSR and what goes without: its samples, small, on every JDK that is here; and its judges, without any."""

import pytest

from safepointlab import jdks
from safepointlab.course.nb02_hang import experiments as hang
from safepointlab.course.nb04_osr import experiments as osr
from safepointlab.run import launch

SHORTER = "often odds 700000000"


@pytest.mark.live
@pytest.mark.timed
def test_a_thread_responds_in_mid_loop_when_it_entered_once_and_at_its_end_when_it_entered_often(jdk):
    for repeat in range(3):  # where C1 is busy, 8 goes straight to C2, to other code
        run = launch.java(osr.ENTERED, jdk, gc="Serial", args="once", log=osr.COMPILED, repeat=repeat)
        if not hang.compile_log(run, "::countOdds$").query("osr and tier == 3").empty:
            break
    else:
        raise AssertionError("C1 compiled the loop in none of three runs")
    assert run.values["heard"] == "in_mid_loop"
    assert osr.entered(jdk, SHORTER, log=osr.COMPILED).values["heard"] == "at_its_end"


@pytest.mark.live
@pytest.mark.timed
def test_c2_polls_the_loop_of_the_osr_version_and_not_that_of_the_standard_one(printing_jdk):
    assert osr.osr_loops(osr.entered(printing_jdk, "once"))["polled"].all()
    assert not osr.standard_loops(osr.entered(printing_jdk, SHORTER))["polled"].any()


@pytest.mark.live
@pytest.mark.timed
def test_a_loop_with_its_test_at_the_bottom_responds_at_its_end_though_entered_by_osr(jdk):
    run = launch.java("osr/EnteredAtTheBottom", jdk, gc="Serial", args=700_000_000, log="compilation")
    assert run.values["heard"] == "at_its_end" and hang.compile_log(run, "::countOdds$")["osr"].any()


@pytest.mark.live
@pytest.mark.timed
def test_a_pass_that_peels_the_loop_takes_the_poll_from_an_osr_version():
    flags = ("", "-XX:-PartialPeelLoop")
    heard = [osr.entered(17, "once roots", flag, osr.COMPILED).values["heard"] for flag in flags]
    assert heard == ["at_its_end", "in_mid_loop"]


@pytest.mark.live
@pytest.mark.timed
def test_osr_can_be_switched_off_in_a_product_build(measured, jdk):
    assert measured("003e-08", jdk).state == "fails"
    assert osr.entered(jdk, "once", osr.NO_OSR, osr.COMPILED).values["heard"] == "in_mid_loop"


def short_arrays(jdk, flags="", repetitions=1_000_000):
    """Four rounds of the harness around 100 ints."""
    return launch.java(osr.HOME_MADE, jdk, flags, gc="Serial", args=["inline", repetitions, 4, 100], log="compilation")


@pytest.mark.live
@pytest.mark.timed
def test_a_home_made_benchmark_is_thrown_out_of_its_osr_version_and_gets_another(jdk):
    run = short_arrays(jdk)
    made = hang.compile_log(run, "::measureInline$").query("osr and tier == 4")["event"]
    assert (made == "compiled").sum() >= 2 and "made not entrant" in set(made) and len(run.values) == 4


@pytest.mark.live
def test_a_benchmark_without_osr_is_interpreted_to_its_end():
    without, replaced = short_arrays(17, osr.NO_OSR, repetitions=5000), short_arrays(17)
    assert min(without.values.values()) > 10 * min(replaced.values.values())


@pytest.mark.live
@pytest.mark.timed
def test_client_and_server_leave_both_compilers_at_work(measured, jdk):
    assert measured("003e-15", jdk).measured == {"-client": "C1 and C2", "-server": "C1 and C2"}


@pytest.mark.live
def test_the_bodies_of_a_loop_print_a_time_each():
    times = launch.java(osr.BODIES, 17, gc="Serial", args=[osr.METHOD, 500, 2]).values
    assert set(times) == {"add_ns", "odds_ns", "hash_ns"}


@pytest.mark.live
@pytest.mark.parametrize(
    "jdk", sorted({jdk.major for jdk in jdks.find() if jdk.major > 11 or jdk.hsdis} & {8, 11, 17, 25})
)
def test_both_compilers_standard_versions_are_listed_each_time_however_busy_the_machine(measured, jdk):
    loops = measured("003e-11", jdk).measured
    assert loops["loops by C2"] and loops["loops by C1"]


@pytest.mark.parametrize("cold, own, state", [("exited", 2, "holds"), ("hung", 2, "unclear"), ("exited", 0, "changed")])
def test_a_warm_up_is_what_hangs_only_if_nothing_hangs_without_it(judge, cold, own, state):
    warm = {"runs with Serial": 2, "hung": 2, "exited": "none"}
    measured = {**warm, "hung with the JDK's own collector": own, "never called before": cold}
    assert judge("003e-10", measured).state == state


def test_standard_code_that_was_never_listed_says_nothing_about_its_polls(judge):
    listed = {"loops by C2": 2, "polled by C2": 0, "loops by C1": 1, "polled by C1": 0}
    assert judge("003e-11", listed).state == "holds"
    assert judge("003e-11", {**listed, "loops by C2": 0}).state == "unclear"


@pytest.mark.parametrize(
    "inline, method, state, words",
    [
        ((76.0, 80.0), (40.0, 44.0), "holds", "longer than the same loop in a method; JMH's best is nearer to the me"),
        ((40.0, 44.0), (76.0, 80.0), "holds", "less than the same loop in a method; JMH's best is nearer to the home"),
        ((40.0, 60.0), (50.0, 70.0), "unclear", "not told apart"),
    ],
)
def test_a_harness_of_osr_code_takes_another_time_only_if_its_jvms_lie_apart(judge, inline, method, state, words):
    ends = zip(("inline, least", "inline, most", "method, least", "method, most"), (*inline, *method), strict=True)
    evidence = {"C2 versions by OSR": 2, **{f"{name}, ns": ns for name, ns in ends}}
    judgement = judge("003e-12", {**evidence, "JMH, best iteration, ns": 42.0})
    assert judgement.state == state and words in judgement.why


def test_osr_that_goes_on_with_the_flag_off_would_make_the_post_right(judge):
    assert judge("003e-08", {"UseOnStackReplacement": "product", "compiles by OSR": 3}).state == "holds"
