"""A set-up that lacks parts says why: one sentence for all that a missing network explains."""

from types import SimpleNamespace

import pytest

from safepointlab import cli
from safepointlab.cli import setup

CUT_OFF = "cannot fetch a:b:1: HTTPSConnectionPool(host='h'): Max retries exceeded with url: /b (Failed to resolve 'h')"


def test_a_missing_network_is_one_sentence():
    told = setup.describe([f"{name}: {CUT_OFF}" for name in ("JDKs", "ecj 4.6.1", "a:b:1", "c:d:2", "e:f:3")])
    assert told.startswith("no network: JDKs, ecj 4.6.1, a") and " and 2 more could not be fetched" in told
    assert "make bundle" in told and "HTTPSConnectionPool" not in told and "\n" not in told


def test_other_troubles_keep_their_words():
    damaged = "ecj 4.6.1: it is not the file it should be: sha256 00"
    assert setup.describe([damaged]) == damaged
    first, second = setup.describe([damaged, f"a:b:1: {CUT_OFF}"]).splitlines()
    assert first.startswith("no network: ") and second == damaged


@pytest.fixture
def room(monkeypatch):
    """Makes a machine without a network that has the JDKs of these numbers, and lacks these parts."""

    def made(here, *parts):
        found = [SimpleNamespace(major=major, has_javac=True) for major in here]
        monkeypatch.setattr("safepointlab.jdks.find", lambda: found)
        monkeypatch.setattr(setup, "fetch_everything", lambda: [f"{part}: {CUT_OFF}" for part in parts])

    return made


def test_without_a_network_the_lab_starts_with_the_jdks_that_are_here(room, capsys):
    room([21, 17], "JDKs")
    assert cli.main(["setup"]) == 0
    said = capsys.readouterr().err
    assert "JDK 8, 11, 25, 26+ could not be fetched. The lab starts with JDK 17, 21" in said and said.count("\n") == 1


@pytest.mark.parametrize(("here", "parts"), [([], ["JDKs"]), ([17], ["JDKs", "ecj 4.6.1"])])
def test_without_any_jdk_or_another_part_it_does_not(room, capsys, here, parts):
    room(here, *parts)
    assert cli.main(["setup"]) == 2
    assert "make bundle" in capsys.readouterr().err
