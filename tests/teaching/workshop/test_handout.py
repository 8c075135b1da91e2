"""handout.py and jdk_map.py: two printed pages of flags, words and JDKs, with the JDKs' own defaults."""

import re
import shutil

import pytest

from safepointlab import jdks
from safepointlab.errors import JdkNotFound
from safepointlab.jdks.flags import Flag
from safepointlab.run.profile import LAB_SET
from safepointlab.teaching.workshop import handout, jdk_map

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def flags(**defaults: str) -> dict[str, Flag]:
    return {name: Flag(name, "bool", default, "product") for name, default in defaults.items()}


@pytest.fixture
def known(monkeypatch):
    """Says which flags each JDK knows; the others are not here."""

    def says(**by_jdk: dict[str, Flag]) -> None:
        monkeypatch.setattr(jdk_map, "flags_of", lambda major: by_jdk.get(f"jdk{major}"))

    return says


def test_a_default_is_said_as_people_say_it(known):
    known(jdk8=flags(UseBiasedLocking="true", SafepointTimeoutDelay="10000.000000"))
    assert (jdk_map.default("UseBiasedLocking", 8), jdk_map.default("SafepointTimeoutDelay", 8)) == ("on", "10000")
    assert (jdk_map.default("UseZGC", 8), jdk_map.default("UseZGC", 25)) == ("–", "not here")


def test_the_map_tells_biased_locking_from_its_flags(known):
    known(
        jdk8=flags(UseBiasedLocking="true", BiasedLockingStartupDelay="4000", GuaranteedSafepointInterval="1000"),
        jdk17=flags(UseBiasedLocking="false", BiasedLockingStartupDelay="0", GuaranteedSafepointInterval="1000"),
        jdk25=flags(GuaranteedSafepointInterval="0"),
    )
    assert jdk_map.rows()["biased locking"] == ["on after 4,000 ms", "not here", "off", "not here", "gone"]
    assert jdk_map.rows()["guaranteed safepoint"][-1] == "never by itself"


def test_strip_mining_is_told_with_the_collector_that_asks_for_it(known):
    stripped = flags(UseG1GC="true", UseSerialGC="false", UseCountedLoopSafepoints="true", LoopStripMiningIter="1000")
    plain = flags(UseSerialGC="true", UseCountedLoopSafepoints="false", LoopStripMiningIter="0")
    known(jdk8=flags(), jdk11=stripped, jdk17=plain)
    monitored = [jdk_map._strips(jdk_map.flags_of(major)) for major in (8, 11, 17)]
    assert monitored == ["none yet", "G1: strips of 1,000", "Serial: off"]


def test_a_machine_without_jdks_gets_a_handout_that_says_so(monkeypatch):
    def none(_: object) -> None:
        raise JdkNotFound("none")

    monkeypatch.setattr(jdks, "get", none)
    monkeypatch.setattr(jdks, "find", list)
    jdk_map.flags_of.cache_clear()
    page = handout.handout()
    jdk_map.flags_of.cache_clear()
    assert page.count("not here") >= 5 * len(LAB_SET) and "safepoint" in page


def test_each_word_of_the_handout_is_the_glossarys():
    page = handout.handout()
    assert page.count("<dt>") >= 30 and "<dt>time to safepoint</dt>" in page


@pytest.mark.browser
def test_the_handout_prints_on_two_pages_of_a4(tmp_path):
    from playwright.sync_api import sync_playwright

    (tmp_path / "handout.html").write_text(handout.handout())
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        view = browser.new_page()
        view.goto((tmp_path / "handout.html").as_uri())
        printed = view.pdf(prefer_css_page_size=True)
        browser.close()
    sizes = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", printed)
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 2
    assert {(round(float(wide)), round(float(high))) for wide, high in sizes} <= {(595, 842), (594, 842), (595, 841)}
