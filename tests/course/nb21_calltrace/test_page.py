"""Notebook 21's questions: by what the runs show, which of the outcomes came."""

import pytest

from safepointlab.course import lessons
from safepointlab.errors import BadInput

COPY, STUBS, VM, JFR, SKID = (lessons.prediction(f"21-{name}") for name in ("copy", "stubs", "vm", "jfr", "skid"))
UNKNOWN, NO_FRAME = "[unknown_Java]", "[no_Java_frame]"


@pytest.mark.parametrize(("lost", "key"), [(97, "most"), (30, "some"), (2, "few")])
def test_the_share_without_a_stack_decides_on_the_copy(sampled, lost, key):
    run = sampled({UNKNOWN: lost, "S.main;S.copy": 100 - lost}, lost={UNKNOWN}, work="copy")
    assert COPY.classify(run).keys == {key}


@pytest.mark.parametrize("edited", [{"work": "loop"}, {"work": "copy", "log": "async=ctimer,cstack=vm,threads"}])
def test_a_reader_who_samples_something_else_gets_facts_and_no_outcome(sampled, edited):
    came = COPY.classify(sampled({"S.main;S.copy": 100}, **edited))
    assert not came.keys and came.facts.startswith("0% of 100 samples are")


def losing(sampled, **lost):
    """Runs of StubTime on JDK 8 and 17 that lose such parts."""
    return [
        sampled({UNKNOWN: int(100 * part), "S.main": 100 - int(100 * part)}, {UNKNOWN}, work=work, jdk=jdk)
        for work, parts in lost.items()
        for jdk, part in zip((8, 17), parts, strict=True)
    ]


LOST = {"loop": (0.0, 0.0), "copy": (0.9, 0.9), "crc32": (0.9, 0.4), "adler32": (0.0, 0.8)}


def test_a_stub_is_one_that_is_lost_on_each_jdk(sampled):
    came = STUBS.classify(losing(sampled, **LOST))
    assert came.keys == {"copy"}
    assert came.facts == ("Most samples are lost: loop on no JDK; copy on each JDK; crc32 on JDK 8; adler32 on JDK 17.")
    newer = [run for run in losing(sampled, **LOST) if run.major == 17]
    assert STUBS.classify(newer).keys == {"copy", "adler32"}


def test_a_sweep_that_lacks_some_work_is_no_answer(sampled):
    with pytest.raises(BadInput, match="no run of loop and crc32"):
        STUBS.classify(losing(sampled, copy=(0.9, 0.9), adler32=(0.0, 0.8)))


def without_java(sampled, what, **counts):
    """A run whose samples without a Java frame are of these threads."""
    first, *others = (sampled({NO_FRAME: n}, {NO_FRAME}, name, work=what) for name, n in counts.items())
    for other in others:
        first.beside(other)
    return first


def test_a_run_loses_stacks_where_most_without_java_are_mains(sampled):
    busy = {"gc": {"GC": 90, "main": 10}, "compile": {"C2": 5, "main": 5}, "deopt": {"main": 8}}
    runs = {what: without_java(sampled, what, **counts) for what, counts in busy.items()}
    came = VM.classify(runs)
    assert came.keys == {"deopt"} and came.facts.endswith("samples: gc 10 %, compile 50 %, deopt 100 %.")
    with pytest.raises(BadInput, match="no run of compile and deopt"):
        VM.classify({"gc": runs["gc"]})


def jfr(sampled, copies, loop=80):
    """Runs of the loop and of the copy under JFR, on each JDK with so many samples of the copy: (method, how many)."""
    log = "jfr=ExecutionSample:10ms"
    loops = [sampled({"StubTime::loop": loop}, work="loop", jdk=jdk, log=log) for jdk in copies]
    return loops + [sampled({name: n}, work="copy", jdk=jdk, log=log) for jdk, (name, n) in copies.items()]


IN_COPY, IN_MAIN = "StubTime::copy", "StubTime::main"


@pytest.mark.parametrize(
    ("of_17", "of_25", "keys"),
    [
        ((IN_COPY, 78), (IN_COPY, 75), {"all"}),
        ((IN_COPY, 2), (IN_COPY, 75), {"counted"}),
        ((IN_COPY, 0), (IN_MAIN, 75), {"caller"}),
        ((IN_MAIN, 3), (IN_MAIN, 1), {"missing"}),
        ((IN_MAIN, 70), (IN_MAIN, 75), set()),
    ],
)
def test_what_jfr_reports_of_the_copy_is_told_by_counts_and_names(sampled, of_17, of_25, keys):
    assert JFR.classify(jfr(sampled, {17: of_17, 25: of_25})).keys == keys


def test_a_reader_who_chooses_other_jdks_gets_facts_and_no_outcome(sampled):
    came = JFR.classify(jfr(sampled, {21: (IN_COPY, 0)}))
    assert not came.keys and came.facts == "JDK 21: 80 samples of the loop, 0 of the copy, 0 in `copy`."
    with pytest.raises(BadInput, match="one of the copy"):
        JFR.classify(jfr(sampled, {21: (IN_COPY, 0)})[:1])


@pytest.mark.parametrize(
    ("guilty", "innocent", "street", "key"),
    [(90, 5, 5, "guilty"), (1, 98, 1, "innocent"), (5, 5, 90, "street"), (45, 45, 10, "shared")],
)
def test_who_has_most_samples_of_the_loop_is_blamed(sampled, guilty, innocent, street, key):
    top = "Neighbours.main;Neighbours.street"
    counts = {f"{top};Neighbours.guilty": guilty, f"{top};Neighbours.innocent": innocent, top: street}
    assert SKID.classify(sampled(counts)).keys == {key}


def test_without_a_sample_of_the_loop_nobody_is_blamed(sampled):
    assert SKID.classify(sampled({"Neighbours.main": 9})).keys == set()
