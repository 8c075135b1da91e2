"""OSR and what goes without: its samples, small, on every JDK that is here; and its judges, without any."""

import pytest

from safepointlab import claims, jdks
from safepointlab.claims.osr import CLAIMS
from safepointlab.topics import osr

JDKS = sorted({jdk.major for jdk in jdks.find()})
PRINTING = [major for major in JDKS if major >= 17]  # print machine code without a disassembler
SHORTER = "often odds 700000000"

each_jdk = pytest.mark.parametrize("jdk", JDKS or [8])
each_printing_jdk = pytest.mark.parametrize("jdk", PRINTING or [17])


def judged(id, measured, jdk=17):
    return next(claim for claim in CLAIMS if claim.id == id).judge(measured, jdk).state


@pytest.mark.live
@each_jdk
def test_a_loop_is_heard_in_its_middle_when_entered_once_and_at_its_end_when_entered_often(jdk):
    assert osr.entered(jdk, "once", log=osr.COMPILED).values["heard"] == "in_mid_loop"
    assert osr.entered(jdk, SHORTER, log=osr.COMPILED).values["heard"] == "at_its_end"


@pytest.mark.live
@each_printing_jdk
def test_c2_polls_the_loop_of_the_osr_version_and_not_that_of_the_standard_one(jdk):
    assert osr.osr_loops(osr.entered(jdk, "once"))["polled"].all()
    assert not osr.standard_loops(osr.entered(jdk, SHORTER))["polled"].any()


@pytest.mark.live
@each_jdk
def test_a_loop_with_its_test_at_the_bottom_is_deaf_though_entered_by_osr(jdk):
    run = osr.at_the_bottom(jdk, "700000000")
    own = run.compilations["method"].str.endswith("::countOdds", na=False)
    assert run.values["heard"] == "at_its_end" and run.compilations.loc[own, "osr"].any()


@pytest.mark.live
def test_a_pass_that_peels_the_loop_makes_an_osr_version_deaf():
    peeled, whole = (
        osr.entered(17, "once roots", flags, osr.COMPILED).values["heard"] for flags in ("", osr.NO_PEELING)
    )
    assert (peeled, whole) == ("at_its_end", "in_mid_loop")


@pytest.mark.live
@each_jdk
def test_osr_can_be_switched_off_in_a_product_build(jdk):
    assert osr.flag_kind(jdk, "UseOnStackReplacement") == "product"
    run = osr.without_osr(jdk)
    assert run.compilations["osr"].sum() == 0 and run.values["heard"] == "in_mid_loop"


@pytest.mark.live
@each_jdk
def test_a_home_made_benchmark_is_thrown_out_of_its_osr_version_and_gets_another(jdk):
    run = osr.short_arrays(jdk, rounds=4)
    made = run.compilations.query("osr and tier == 4 and method.str.endswith('::measureInline')")["event"]
    assert (made == "compiled").sum() >= 2 and "made not entrant" in set(made)
    assert len(run.values) == 4


@pytest.mark.live
def test_a_benchmark_without_osr_is_interpreted_to_its_end():
    shut, replaced = osr.short_arrays(17, flags=osr.NO_OSR, repetitions=5000, rounds=4), osr.short_arrays(17, rounds=4)
    assert osr.best_ns(shut) > 10 * osr.best_ns(replaced)


@pytest.mark.live
@each_jdk
def test_client_and_server_leave_both_compilers_at_work(jdk):
    assert claims.run(claims.named(["003e-15"])[0], jdk).measured == {"-client": "C1 and C2", "-server": "C1 and C2"}


def test_a_hang_without_a_warm_up_says_nothing_about_the_warm_up():
    measured = {"warmed up, javac": "hung", "warmed up, ecj-4.6.1": "hung", "never called before, javac": "hung"}
    assert judged("003e-10", measured) == "unclear"


def test_standard_code_that_was_never_listed_says_nothing_about_its_polls():
    assert judged("003e-11", {"polled by C2": None, "polled by C1": "1 of 1 loops"}) == "unclear"
    assert judged("003e-11", {"polled by C2": "0 of 2 loops", "polled by C1": "0 of 1 loops"}) == "holds"


@pytest.mark.parametrize("inline, words", [(60.0, "at no cost"), (130.0, "2.2 times")])
def test_a_harness_measures_osr_code_whether_that_is_slower_or_not(inline, words):
    claim = next(claim for claim in CLAIMS if claim.id == "003e-12")
    judgement = claim.judge({"C2 versions by OSR": 2, "inline ns": inline, "method ns": 60.0}, 17)
    assert judgement.state == "holds" and words in judgement.why


def test_osr_that_goes_on_with_the_flag_off_would_make_the_post_right():
    assert judged("003e-08", {"UseOnStackReplacement": "product", "compiles by OSR": 3}) == "holds"
