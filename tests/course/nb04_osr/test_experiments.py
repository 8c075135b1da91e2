"""OSR and what goes without: its samples, small, on every JDK that is here; and its judges, without any."""

import pytest

from safepointlab import jdks
from safepointlab.course import verdicts as claims
from safepointlab.course.nb02_hang import experiments as hang
from safepointlab.course.nb04_osr import experiments as osr
from safepointlab.course.nb04_osr.claims import CLAIMS
from safepointlab.course.nb04_osr.claims_benchmark import CLAIMS as BENCHMARK
from safepointlab.run import launch

JDKS = sorted({jdk.major for jdk in jdks.find()})
PRINTING = [major for major in JDKS if major >= 17]  # print machine code without a disassembler
SHORTER = "often odds 700000000"

each_jdk = pytest.mark.parametrize("jdk", JDKS or [8])
each_printing_jdk = pytest.mark.parametrize("jdk", PRINTING or [17])


def judged(id, measured, jdk=17):
    return next(claim for claim in CLAIMS if claim.id == id).judge(measured, jdk).state


def once_by_way_of_c1(jdk):
    """A loop entered once whose first OSR version C1 made: where C1 is busy, 8 goes straight to C2, to other code."""
    for _ in range(3):
        run = launch.java(osr.ENTERED, jdk, gc=hang.NO_POLLS, args="once", log=osr.COMPILED, deadline=osr.DEADLINE_S)
        loop = run.compilations[run.compilations["method"].str.endswith("::countOdds", na=False)]
        if (loop["osr"] & (loop["tier"] == 3)).any():
            return run
    raise AssertionError("C1 compiled the loop in none of three runs")


@pytest.mark.live
@pytest.mark.timed
@each_jdk
def test_a_loop_is_heard_in_its_middle_when_entered_once_and_at_its_end_when_entered_often(jdk):
    assert once_by_way_of_c1(jdk).values["heard"] == "in_mid_loop"
    assert osr.entered(jdk, SHORTER, log=osr.COMPILED).values["heard"] == "at_its_end"


@pytest.mark.live
@pytest.mark.timed
@each_printing_jdk
def test_c2_polls_the_loop_of_the_osr_version_and_not_that_of_the_standard_one(jdk):
    assert osr.osr_loops(osr.entered(jdk, "once"))["polled"].all()
    assert not osr.standard_loops(osr.entered(jdk, SHORTER))["polled"].any()


@pytest.mark.live
@pytest.mark.timed
@each_jdk
def test_a_loop_with_its_test_at_the_bottom_is_deaf_though_entered_by_osr(jdk):
    settings = {"gc": "Serial", "args": 700_000_000, "log": "compilation", "deadline": osr.DEADLINE_S}
    run = launch.java("osr/EnteredAtTheBottom", jdk, **settings)
    own = run.compilations["method"].str.endswith("::countOdds", na=False)
    assert run.values["heard"] == "at_its_end" and run.compilations.loc[own, "osr"].any()


@pytest.mark.live
@pytest.mark.timed
def test_a_pass_that_peels_the_loop_makes_an_osr_version_deaf():
    flags = ("", "-XX:-PartialPeelLoop")
    peeled, whole = (osr.entered(17, "once roots", flag, osr.COMPILED).values["heard"] for flag in flags)
    assert (peeled, whole) == ("at_its_end", "in_mid_loop")


@pytest.mark.live
@pytest.mark.timed
@each_jdk
def test_osr_can_be_switched_off_in_a_product_build(jdk):
    assert osr.flag_kind(jdk, "UseOnStackReplacement") == "product"
    run = osr.without_osr(jdk)
    assert run.compilations["osr"].sum() == 0 and run.values["heard"] == "in_mid_loop"


def short_arrays(jdk, flags="", repetitions=1_000_000):
    """Four rounds of the harness around 100 ints."""
    args = ["inline", repetitions, 4, 100]
    return launch.java(osr.HOME_MADE, jdk, flags, gc="Serial", args=args, log="compilation", deadline=osr.DEADLINE_S)


@pytest.mark.live
@pytest.mark.timed
@each_jdk
def test_a_home_made_benchmark_is_thrown_out_of_its_osr_version_and_gets_another(jdk):
    run = short_arrays(jdk)
    made = run.compilations.query("osr and tier == 4 and method.str.endswith('::measureInline')")["event"]
    assert (made == "compiled").sum() >= 2 and "made not entrant" in set(made)
    assert len(run.values) == 4


@pytest.mark.live
def test_a_benchmark_without_osr_is_interpreted_to_its_end():
    without, replaced = short_arrays(17, osr.NO_OSR, repetitions=5000), short_arrays(17)
    assert min(without.values.values()) > 10 * min(replaced.values.values())


@pytest.mark.live
@pytest.mark.timed
@each_jdk
def test_client_and_server_leave_both_compilers_at_work(jdk):
    assert claims.run(claims.named(["003e-15"])[0], jdk).measured == {"-client": "C1 and C2", "-server": "C1 and C2"}


WARMED = {"runs with Serial": 2, "hung": 2, "exited": "none"}


@pytest.mark.parametrize("cold, own, state", [("exited", 2, "holds"), ("hung", 2, "unclear"), ("exited", 0, "changed")])
def test_a_warm_up_is_what_hangs_only_if_nothing_hangs_without_it(cold, own, state):
    measured = {**WARMED, "hung with the JDK's own collector": own, "never called before": cold}
    assert judged("003e-10", measured) == state


def test_standard_code_that_was_never_listed_says_nothing_about_its_polls():
    listed = {"loops by C2": 2, "polled by C2": 0, "loops by C1": 1, "polled by C1": 0}
    assert judged("003e-11", listed) == "holds"
    assert judged("003e-11", {**listed, "loops by C2": 0}) == "unclear"


def best(inline, method, jmh=42.0, versions=2):
    ranges = {"inline": inline, "method": method}
    ends = {
        f"{place}, {end}, ns": ns for place in ranges for end, ns in zip(("least", "most"), ranges[place], strict=True)
    }
    return {"C2 versions by OSR": versions, **ends, "JMH, best iteration, ns": jmh}


@pytest.mark.parametrize(
    "inline, method, state, words",
    [
        (
            (76.0, 80.0),
            (40.0, 44.0),
            "holds",
            "longer than the same loop in a method; JMH's best is nearer to the method's",
        ),
        (
            (40.0, 44.0),
            (76.0, 80.0),
            "holds",
            "less than the same loop in a method; JMH's best is nearer to the home-made",
        ),
        ((40.0, 60.0), (50.0, 70.0), "unclear", "not told apart"),
    ],
)
def test_a_harness_of_osr_code_takes_another_time_only_if_its_jvms_lie_apart(inline, method, state, words):
    judgement = next(claim for claim in BENCHMARK if claim.id == "003e-12").judge(best(inline, method), 17)
    assert judgement.state == state and words in judgement.why


@pytest.mark.live
def test_the_bodies_of_a_loop_print_a_time_each():
    times = launch.java(osr.BODIES, 17, gc=osr.NO_POLLS, args=[osr.METHOD, 500, 2]).values
    assert set(times) == {"add_ns", "odds_ns", "hash_ns"}


def test_osr_that_goes_on_with_the_flag_off_would_make_the_post_right():
    assert judged("003e-08", {"UseOnStackReplacement": "product", "compiles by OSR": 3}) == "holds"


@pytest.mark.live
@pytest.mark.parametrize(
    "jdk", sorted({jdk.major for jdk in jdks.find() if jdk.major > 11 or jdk.hsdis} & {8, 11, 17, 25})
)
def test_both_compilers_standard_versions_are_listed_each_time_however_busy_the_machine(jdk):
    by_both, by_c1 = osr.with_past(jdk, "often"), osr.with_past(jdk, "often", hang.C1_ONLY)
    assert len(osr.standard_loops(by_both)) and len(osr.standard_loops(by_c1, 1))
