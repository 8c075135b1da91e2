"""OSR and what goes without: its samples, small, on every JDK that is here; and its judges, without any."""

import pytest

from safepointlab import jdks
from safepointlab.course.nb02_hang import experiments as hang
from safepointlab.course.nb04_osr import experiments as osr
from safepointlab.run import launch
from tests.course.conftest import answer_of

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
    assert measured("003e-08", jdk).state == "never did"
    assert osr.entered(jdk, "once", osr.NO_OSR, osr.COMPILED).values["heard"] == "in_mid_loop"


@pytest.mark.live
@pytest.mark.timed
def test_a_home_made_benchmark_is_thrown_out_of_its_osr_version_and_gets_another(jdk):
    run = launch.java(osr.HOME_MADE, jdk, gc="Serial", args=["inline", 1_000_000, 4, 100], log="compilation")
    made = hang.compile_log(run, "::measureInline$").query("osr and tier == 4")["event"]
    assert (made == "compiled").sum() >= 2 and "made not entrant" in set(made) and len(run.values) == 4


@pytest.mark.live
@pytest.mark.timed
def test_without_tiers_client_and_server_both_leave_the_work_to_c2(measured, jdk):
    assert measured("003e-15", jdk).measured == {"with -client": "C2", "with -server": "C2"}


@pytest.mark.live
@pytest.mark.parametrize(
    "jdk", sorted({jdk.major for jdk in jdks.find() if jdk.major > 11 or jdk.hsdis} & {8, 11, 17, 25})
)
def test_both_compilers_standard_versions_are_listed_each_time_however_busy_the_machine(measured, jdk):
    for loops in measured("003e-11", jdk).measured.values():
        assert loops["loops by C2"] and loops["loops by C1"]


@pytest.mark.parametrize(
    "cold, warm, eclipses, said",
    [
        ("exited", "hung", "hung", "holds"),
        ("hung", "hung", "hung", "unclear"),
        ("exited", "exited", "exited", "differs"),
        ("exited", "exited", "hung", "unclear"),
    ],
)
def test_a_warm_up_is_what_hangs_only_if_nothing_hangs_without_it(cold, warm, eclipses, said):
    fates = {"Eclipse's class": eclipses, "javac's class": warm, "javac's class, never called before": cold}
    assert answer_of("003e-10", fates) == said


def test_standard_code_that_was_never_listed_says_nothing_about_its_polls():
    loops = {"loops by C2": 2, "polled by C2": 0, "loops by C1": 1, "polled by C1": 0}
    listed = {**loops, "compiled by C1 before its first call": "hung"}
    assert answer_of("003e-11", listed) == "holds"
    polled = {"polled by C1": 1, "compiled by C1 before its first call": "exited"}
    assert answer_of("003e-11", listed | polled) == "differs"
    assert answer_of("003e-11", {**listed, "loops by C2": 0}) == "unclear"


def test_a_loop_that_also_has_a_standard_version_is_not_measured_by_osr_alone():
    versions = {"OSR versions by C2": 2, "standard versions by C2": 0}
    assert answer_of("003e-12", versions) == "holds"
    assert answer_of("003e-12", {**versions, "standard versions by C2": 1}) == "differs"
    assert answer_of("003e-12", {**versions, "OSR versions by C2": 0}) == "unclear"


@pytest.mark.parametrize(
    "by_osr, said",
    [
        (([150, 151, 152], [130, 131, 132], [100, 102, 104]), "holds"),  # two slower, one alike
        (([150, 151, 152], [60, 61, 62], [100, 102, 104]), "unclear"),  # one slower, one faster
        (([60, 61, 62], [60, 61, 62], [60, 61, 62]), "differs"),
        (([105, 105, 105], [105, 105, 105], [100, 102, 104]), "unclear"),  # apart, by less than the method from itself
    ],
)
def test_code_by_osr_is_mostly_slower_only_where_it_is_further_off_than_the_method_from_itself(by_osr, said):
    evidence = {}
    for name, values in zip(("add", "max", "odds"), by_osr, strict=True):
        evidence |= {f"{name} by OSR: least, middle, most, ns": values}
        evidence |= {f"{name} in a method: least, middle, most, ns": [98, 100, 104]}
    assert answer_of("003e-19", evidence) == said


def test_osr_that_goes_on_with_the_flag_off_would_make_the_post_right():
    evidence = {"UseOnStackReplacement": "product", "CICompileOSR": "unknown", "compiles by OSR": 3}
    assert answer_of("003e-08", {**evidence, "compiles by OSR with the flag": 3}) == "holds"
    assert answer_of("003e-08", {**evidence, "compiles by OSR with the flag": 0}) == "differs"
