"""OSR and what goes without: its samples, small, on every JDK that is here; and its judges, without any."""

import pytest

from safepointlab import claims, jdks
from safepointlab.claims import osr as topic
from safepointlab.jdks import flags
from safepointlab.run import launch

JDKS = sorted({jdk.major for jdk in jdks.find()})
PRINTING = [major for major in JDKS if major >= 17]  # print machine code without a disassembler
LISTING = "compilation assembly=EnteredOnce.countOdds"

each_jdk = pytest.mark.parametrize("jdk", JDKS or [8])
each_printing_jdk = pytest.mark.parametrize("jdk", PRINTING or [17])


def judged(id, measured, jdk=17):
    return next(claim for claim in topic.CLAIMS if claim.id == id).judge(measured, jdk).state


def heard(jdk, args, vm_flags="", gc="Serial"):
    run = launch.java("osr/EnteredOnce", jdk, vm_flags, gc=gc, args=args, log="compilation", deadline=40)
    return run.values["heard"]


@pytest.mark.live
@each_jdk
def test_a_loop_is_heard_in_its_middle_when_entered_once_and_at_its_end_when_entered_often(jdk):
    assert heard(jdk, "once") == "in_mid_loop"
    assert heard(jdk, "often odds 700000000") == "at_its_end"


@pytest.mark.live
@each_printing_jdk
def test_c2_polls_the_loop_of_the_osr_version_and_not_that_of_the_standard_one(jdk):
    once, often = (
        launch.java("osr/EnteredOnce", jdk, gc="Serial", args=f"{past} odds 700000000", log=LISTING, deadline=40).loops
        for past in ("once", "often")
    )
    assert once.query("tier == 4 and osr_bci.notna()")["polled"].all()
    assert not often.query("tier == 4 and osr_bci.isna()")["polled"].any()


@pytest.mark.live
@each_jdk
def test_a_loop_with_its_test_at_the_bottom_is_deaf_though_entered_by_osr(jdk):
    run = launch.java("osr/EnteredAtTheBottom", jdk, gc="Serial", args="700000000", log="compilation", deadline=40)
    own = run.compilations["method"].str.endswith("::countOdds", na=False)
    assert run.values["heard"] == "at_its_end" and run.compilations.loc[own, "osr"].any()


@pytest.mark.live
def test_a_pass_that_peels_the_loop_makes_an_osr_version_deaf():
    assert heard(17, "once roots 100000000") == "at_its_end"
    assert heard(17, "once roots 100000000", "-XX:-PartialPeelLoop") == "in_mid_loop"


@pytest.mark.live
@each_jdk
def test_osr_can_be_switched_off_in_a_product_build(jdk):
    assert flags.known(jdks.get(jdk))["UseOnStackReplacement"].kind == "product"
    run = launch.java("osr/EnteredOnce", jdk, "-XX:-UseOnStackReplacement", gc="Serial", log="compilation", deadline=40)
    assert run.compilations["osr"].sum() == 0 and run.values["heard"] == "in_mid_loop"


@pytest.mark.live
@each_jdk
def test_a_home_made_benchmark_is_thrown_out_of_its_osr_version_and_gets_another(jdk):
    run = launch.java(
        "osr/HomeMadeBenchmark", jdk, gc="Serial", args="inline 1000000 4 100", log="compilation", deadline=40
    )
    made = run.compilations.query("osr and tier == 4 and method.str.endswith('::measureInline')")["event"]
    assert (made == "compiled").sum() >= 2 and "made not entrant" in set(made)
    assert len(run.values) == 4


@pytest.mark.live
def test_a_benchmark_without_osr_is_interpreted_to_its_end():
    def best(args, vm_flags=""):
        return topic._best(launch.java("osr/HomeMadeBenchmark", 17, vm_flags, gc="Serial", args=args, deadline=40))

    assert best("inline 5000 4 100", "-XX:-UseOnStackReplacement") > 10 * best("inline 1000000 4 100")


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
    claim = next(claim for claim in topic.CLAIMS if claim.id == "003e-12")
    judgement = claim.judge({"C2 versions by OSR": 2, "inline ns": inline, "method ns": 60.0}, 17)
    assert judgement.state == "holds" and words in judgement.why


def test_osr_that_goes_on_with_the_flag_off_would_make_the_post_right():
    assert judged("003e-08", {"UseOnStackReplacement": "product", "compiles by OSR": 3}) == "holds"
