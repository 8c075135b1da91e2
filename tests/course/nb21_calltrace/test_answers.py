"""Notebook 21: which outcome runs show, and what solves its exercises or comes near it and does not."""

import pandas as pd
import pytest

from safepointlab.course import lessons
from safepointlab.course.nb21_calltrace import experiments
from safepointlab.errors import BadInput

COPY, STUBS, JFR, SKID = (lessons.prediction(f"21-{name}") for name in ("copy", "stubs", "jfr", "skid"))
FLAG, VISIBLE, LINE = (lessons.exercise(f"21-{number}") for number in (1, 2, 3))
UNKNOWN = "[unknown_Java]"
MINE = "System.arraycopy(from, 0, to, 0, from.length);"


@pytest.mark.parametrize(
    ("lost", "settings", "keys"),
    [
        (97, {"work": "copy"}, {"most"}),
        (30, {"work": "copy"}, {"some"}),
        (2, {"work": "copy"}, {"few"}),
        (0, {"work": "loop"}, set()),  # the reader samples something else
        (0, {"work": "copy", "log": "async=ctimer,cstack=vm,threads"}, set()),
    ],
)
def test_the_share_without_a_stack_decides_on_the_copy(sampled, lost, settings, keys):
    found = COPY.classify(sampled({UNKNOWN: lost, "S.main;S.copy": 100 - lost}, lost={UNKNOWN}, **settings))
    assert found.keys == keys and found.facts.startswith(f"{lost}% of 100 samples are")


def losing(sampled, **lost):
    """Runs of StubTime on JDK 8 and 17 that lose such parts."""
    return [
        sampled({UNKNOWN: int(100 * part), "S.main": 100 - int(100 * part)}, {UNKNOWN}, work=work, jdk=jdk)
        for work, parts in lost.items()
        for jdk, part in zip((8, 17), parts, strict=True)
    ]


def test_a_stub_is_one_that_is_lost_on_each_jdk(sampled):
    runs = losing(sampled, loop=(0.0, 0.0), copy=(0.9, 0.9), crc32=(0.9, 0.4), adler32=(0.0, 0.8))
    found = STUBS.classify(runs)
    assert found.keys == {"copy"}
    assert found.facts == "Most samples are lost: copy on every JDK; adler32 on JDK 17; crc32 on JDK 8; loop on no JDK."
    assert STUBS.classify([run for run in runs if run.major == 17]).keys == {"copy", "adler32"}
    with pytest.raises(BadInput, match="no run of loop and crc32"):
        STUBS.classify(losing(sampled, copy=(0.9, 0.9), adler32=(0.0, 0.8)))


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
    runs = jfr(sampled, {21: (IN_COPY, 0)})
    found = JFR.classify(runs)
    assert not found.keys and found.facts == "JDK 21: 80 samples of the loop, 0 of the copy, 0 in `copy`."
    with pytest.raises(BadInput, match="one of the copy"):
        JFR.classify(runs[:1])


@pytest.mark.parametrize(
    ("guilty", "innocent", "street", "keys"),
    [
        (90, 5, 5, {"guilty"}),
        (1, 98, 1, {"innocent"}),
        (5, 5, 90, {"street"}),
        (45, 45, 10, {"shared"}),
        (0, 0, 0, set()),
    ],
)
def test_who_has_most_samples_of_the_loop_is_blamed(sampled, guilty, innocent, street, keys):
    top = "Neighbours.main;Neighbours.street"
    counts = {f"{top};Neighbours.guilty": guilty, f"{top};Neighbours.innocent": innocent, top: street}
    assert SKID.classify(sampled({**counts, "Neighbours.main": 1})).keys == keys


@pytest.mark.live
@pytest.mark.parametrize(("flag", "solves"), [("-XX:-UseCRC32Intrinsics", True), ("-XX:+PrintCompilation", False)])
def test_without_the_intrinsic_the_checksum_is_seen(flag, solves):
    assert FLAG.judge(flag).holds is solves


@pytest.mark.live
@pytest.mark.parametrize(
    ("statements", "solves", "says"),
    [
        ("for (int i = 0; i < from.length; i++) { to[i] = from[i]; }", True, "Most samples show copy"),
        ("System.arraycopy(from.clone(), 0, to, 0, from.length);", False, "are lost"),
        ("for (int i = 0; i < 9_999; i++) { to[i] = from[i]; }", False, "differs from the original"),
    ],
)
def test_a_copy_is_seen_if_it_is_made_in_java_and_is_complete(edited, statements, solves, says):
    judged = VISIBLE.judge(edited("21-2", MINE, statements))
    assert judged.holds is solves and says in judged.does


def test_the_rest_of_the_program_stays_as_it_is(edited):
    with pytest.raises(BadInput, match="a part that is not yours"):
        VISIBLE.judge(edited("21-2", MINE, "from.clone();", "1 << 16", "1 << 4"))


def test_the_line_is_the_one_with_most_samples_in_the_program_itself(monkeypatch):
    rows = [("StubTime::main", 35)] * 9 + [("StubTime::main", 38)] * 4 + [("java.lang.String::hashCode", 2359)] * 20
    samples = pd.DataFrame(rows, columns=["method", "line"]).astype({"method": "string"})
    monkeypatch.setattr(experiments, "by_jfr", lambda *_: samples)
    assert LINE.judge(35).holds and not LINE.judge(38).holds
    with pytest.raises(BadInput):
        LINE.judge(2359)
