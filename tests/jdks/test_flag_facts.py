"""Facts about flags: what this JDK prints of each, which JDKs here know it, and what half a word may become."""

import pytest

from safepointlab import jdks
from safepointlab.errors import RunFailed
from safepointlab.jdks import Jdk, flag_facts
from safepointlab.jdks.flags import Flag

SHARED = [Flag("MaxHeapSize", "size_t", "64", "product"), Flag("UseSerialGC", "bool", "false", "product")]
LISTS = {
    8: [*SHARED, Flag("GuaranteedSafepointInterval", "intx", "1000", "diagnostic"),
        Flag("UseBiasedLocking", "bool", "true", "product")],
    17: [*SHARED, Flag("GuaranteedSafepointInterval", "intx", "1000", "diagnostic"),
         Flag("LoopStripMiningIter", "uintx", "1000", "product")],
    25: [*SHARED, Flag("GuaranteedSafepointInterval", "intx", "0", "diagnostic"),
         Flag("LoopStripMiningIter", "uintx", "1000", "product")],
}  # fmt: skip


@pytest.fixture
def builds(tmp_path, monkeypatch) -> dict[int, Jdk]:
    """JDKs 8, 17 and 25, whose lists are those above."""
    made = {major: Jdk(tmp_path / str(major), major, f"{major}.0.1", "Test", "lab") for major in LISTS}
    monkeypatch.setattr(jdks, "find", lambda: list(made.values()))
    monkeypatch.setattr(flag_facts, "known", lambda jdk: {flag.name: flag for flag in LISTS[jdk.major]})
    return made


def test_a_line_says_type_default_lock_and_which_jdks_here_know_the_flag(builds):
    fact = flag_facts.fact(builds[25], "GuaranteedSafepointInterval")
    assert fact.line == (
        "GuaranteedSafepointInterval: intx, 0 by default here (8 and 17: 1000) · diagnostic, the lab unlocks it · "
        "known here on 8 to 25"
    )
    assert "bool, off by default here ·" in flag_facts.fact(builds[8], "UseSerialGC").line
    assert flag_facts.fact(builds[25], "-XX:+UseTeaCups") is None


def test_a_default_that_the_collector_sets_names_the_collector(builds, monkeypatch):
    flags = [*LISTS[17], Flag("UseG1GC", "bool", "true", "product")]
    monkeypatch.setattr(flag_facts, "known", lambda jdk: {flag.name: flag for flag in flags})
    assert "1000 by default here, with G1 ·" in flag_facts.fact(builds[17], "LoopStripMiningIter").line


def test_since_and_gone_in_are_the_first_jdk_here_that_has_the_flag_and_the_first_that_has_it_no_more(builds):
    biased, strip_mining = (flag_facts.fact(builds[17], name) for name in ("UseBiasedLocking", "LoopStripMiningIter"))
    assert (biased.since, biased.gone_in, strip_mining.since, strip_mining.gone_in) == ("8", "17", "17", "")


def test_a_flag_that_this_jdk_or_all_here_have_lost_has_no_default_but_a_history(builds):
    fact = flag_facts.fact(builds[25], "-XX:+UseBiasedLocking")
    assert (fact.type, fact.default) == ("", "") and "JEP 374" in fact.line
    assert fact.line.startswith("UseBiasedLocking: not on JDK 25.0.1 · known here on 8, gone in 17 · ")
    lost = flag_facts.fact(builds[25], "MaxPermSize").line
    assert lost.startswith("MaxPermSize: not on JDK 25.0.1 · known on none of") and "MaxMetaspaceSize" in lost


def test_a_jdk_that_does_not_start_is_left_out_of_the_comparison(builds, monkeypatch):
    def known(jdk):
        if jdk.major == 8:
            raise RunFailed("no")
        return {flag.name: flag for flag in LISTS[jdk.major]}

    monkeypatch.setattr(flag_facts, "known", known)
    assert flag_facts.fact(builds[25], "UseSerialGC").since == "17"


@pytest.mark.each(
    ("typed", "words"),
    [
        ("-XX:+UseS", ["-XX:+UseSerialGC"]),
        ("-Xint -XX:-use", ["-XX:-UseSerialGC"]),
        ("-XX:Loop", ["-XX:LoopStripMiningIter="]),
        ("interval", ["-XX:GuaranteedSafepointInterval="]),
        ("-Xmi", ["-Xmixed"]),
        ("-XX:+UseSerialGC", []),
        ("-XX:LoopStripMiningIter=100", []),
    ],
)
def test_half_a_word_becomes_whole_flags(builds, typed, words):
    assert flag_facts.complete(builds[17], typed) == words


def test_flags_that_begin_like_the_word_come_first_and_no_more_than_asked_for(builds):
    assert flag_facts.complete(builds[17], "-XX:s")[-1] == "-XX:+UseSerialGC"
    assert len(flag_facts.complete(builds[17], "-XX:", most=2)) == 2
