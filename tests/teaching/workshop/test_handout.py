"""Two printed pages of flags, words and JDKs, with the JDKs' own defaults."""

import re
from contextlib import suppress
from html import unescape

import pytest

from safepointlab import jdks
from safepointlab.errors import JdkNotFound
from safepointlab.jdks.flags import Flag, parse
from safepointlab.process import shell
from safepointlab.run.profile import LAB_SET
from safepointlab.teaching.workshop import announce, folder, guide, handout


def flags(**defaults: str) -> dict[str, Flag]:
    return {name: Flag(name, "bool", default, "product") for name, default in defaults.items()}


@pytest.fixture
def known(monkeypatch):
    """Says which flags each JDK knows; the others are not here."""

    def says(**by_jdk: dict[str, Flag]) -> None:
        monkeypatch.setattr(handout, "flags_of", lambda major: by_jdk.get(f"jdk{major}"))

    return says


def test_a_default_is_said_as_people_say_it(known):
    known(jdk8=flags(UseBiasedLocking="true", SafepointTimeoutDelay="10000.000000"))
    assert (handout.default("UseBiasedLocking", 8), handout.default("SafepointTimeoutDelay", 8)) == ("on", "10000")
    assert (handout.default("UseZGC", 8), handout.default("UseZGC", 25)) == ("–", "not here")


def test_the_map_tells_locking_strips_and_safepoints_from_the_flags(known):
    stripped = flags(UseG1GC="true", UseSerialGC="false", UseCountedLoopSafepoints="true", LoopStripMiningIter="1000")
    plain = flags(UseSerialGC="true", UseCountedLoopSafepoints="false", LoopStripMiningIter="0")
    biased = flags(UseBiasedLocking="true", BiasedLockingStartupDelay="4000", GuaranteedSafepointInterval="1000")
    known(
        jdk8=biased,
        jdk11=stripped,
        jdk17=plain | flags(UseBiasedLocking="false", BiasedLockingStartupDelay="0"),
        jdk25=flags(GuaranteedSafepointInterval="0"),
    )
    rows = handout.rows()
    assert rows["biased locking"][:5] == [
        "on after 4,000 ms",
        "gone",
        "off",
        "not here",
        "gone",
    ]
    assert rows["guaranteed safepoint"][0] == "each 1,000 ms, if needed"
    assert rows["guaranteed safepoint"][4] == "never by itself"
    assert rows["strip mining"][:3] == ["none yet", "G1: strips of 1,000", "Serial: off"]


def test_the_newest_release_that_is_here_has_a_column(monkeypatch, known):
    known(jdk27=flags(UseBiasedLocking="false"))
    monkeypatch.setattr(handout.profile, "newest_release", lambda: [27])
    page = handout.handout()
    assert "<th>JDK 25</th><th>JDK 27</th>" in page and "<th>25</th><th>27</th>" in page
    assert handout.rows()["collector with 1 CPU, or below 1,792 MB"][-2:] == ["Serial", "G1"]  # JEP 523


def test_a_machine_without_jdks_gets_a_handout_that_says_so(monkeypatch):
    def none(_: object) -> None:
        raise JdkNotFound("none")

    monkeypatch.setattr(jdks, "get", none)
    monkeypatch.setattr(jdks, "find", list)
    handout.flags_of.cache_clear()
    page = handout.handout()
    handout.flags_of.cache_clear()
    assert page.count("not here") >= 5 * len(LAB_SET)
    assert page.count("<dt>") >= 30 and "<dt>time to safepoint</dt>" in page


def test_that_of_a_class_tells_its_pages_in_short_and_has_their_flags_and_words_alone(course):
    made = handout.handout(announce.to_measure(course, ["02", "11"], 120), course)
    [seen, tables, words] = made.split("<section>")[1:]
    assert re.findall("<h3>(.*?)</h3>", unescape(seen)) == [
        "02 When will this program exit?",
        "11 Who pays for another thread's long loop?",
    ]
    assert (
        "each one that's running Java code has reached a poll" in seen
        and "page 23 finds the thread" in seen
        and "New words" not in seen
    )
    assert "Where does the JVM hang?</em> On every JDK with Serial, and on JDK 8 with G1" in seen
    assert (
        "<code>-XX:CompileCommand=dontinline,*.countOdds</code>: No. The method does have a poll of its own" in seen
        and "<h4>Exercise 1: change a flag</h4>" in seen
        and "LoopStripMiningIter=400000000" in seen
    )
    assert "<h2>At work, without the lab</h2>" in seen and "<dt>safepoint</dt>" in words and " minutes)</p>" not in seen
    assert "<p>We left out:</p>" in seen and all(f"<li>{page.heading}</li>" in unescape(seen) for page in course)
    assert 'wait-for-it-counteduncounted-loops.html">Wait For It</a>' in seen
    assert "<code>LoopStripMiningIter</code>" in tables and "UseZGC" not in tables
    assert "<dt>strip mining</dt>" in words and "<dt>nepotism</dt>" not in words
    assert "<dt>nepotism</dt>" in handout.handout()


def test_that_of_a_class_on_something_else_than_polls_says_nothing_of_late_threads(course):
    made = handout.handout(announce.to_measure(course, ["07"], 60), course)
    assert "Safepoint Lab: what we saw in 07</h1>" in made and "At work, without the lab" not in made


def test_a_flag_that_has_to_be_unlocked_is_marked_as_the_newest_jdk_that_knows_it_wants(known):
    def zgc(kind):
        return {"UseZGC": Flag("UseZGC", "bool", "false", kind)}

    known(jdk11=zgc("experimental"), jdk17=zgc("product"), jdk25=flags())
    assert handout.rows()["ZGC"][:3] == ["not here", "experimental", "yes"]
    assert "<code>UseZGC</code></th>" in handout.handout()
    known(jdk25={"DebugNonSafepoints": Flag("DebugNonSafepoints", "bool", "false", "diagnostic")})
    made = handout.handout()
    assert "<code>DebugNonSafepoints</code> <small>D</small>" in made and "marked D" in made and "marked E" not in made


@pytest.mark.live
def test_serial_and_parallel_leave_out_the_polls_on_each_jdk_as_the_handout_says():
    assert "With Serial and Parallel, <code>UseCountedLoopSafepoints</code> is off" in handout.handout()
    for jdk in filter(None, map(jdk_here, handout.majors())):
        for collector in ("Serial", "Parallel"):
            words = [str(jdk.java), f"-XX:+Use{collector}GC", "-XX:+PrintFlagsFinal", "-version"]
            printed = parse(shell.output_of(words))
            assert printed["UseCountedLoopSafepoints"].default == "false"
            assert jdk.major < 10 or printed["LoopStripMiningIter"].default == "0"


def jdk_here(major: int) -> jdks.Jdk | None:
    with suppress(JdkNotFound):
        return jdks.get(major)
    return None


@pytest.mark.browser
def test_the_handout_prints_on_two_pages_of_a4(browser_page, tmp_path):
    (tmp_path / "handout.html").write_text(handout.handout())
    browser_page.goto((tmp_path / "handout.html").as_uri())
    printed = browser_page.pdf(prefer_css_page_size=True)
    sizes = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", printed)
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 2
    assert {(round(float(wide)), round(float(high))) for wide, high in sizes} <= {(595, 842), (594, 842), (595, 841)}


@pytest.mark.browser
def test_the_first_agenda_prints_below_its_heading_and_each_other_one_on_a_page_of_its_own(browser_page, tmp_path):
    markdown = "\n".join([folder.AGENDAS, "## One", "", "text", "", "## Two", "", "text"])
    (tmp_path / "agendas.html").write_text(guide.html("Agendas", markdown))
    browser_page.goto((tmp_path / "agendas.html").as_uri())
    assert len(re.findall(rb"/Type\s*/Page\b", browser_page.pdf())) == 2
