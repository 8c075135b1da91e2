"""A set-up that lacks parts says why: one sentence for all that a missing network explains."""

from safepointlab.commands import setup

CUT_OFF = "cannot fetch a:b:1: HTTPSConnectionPool(host='h'): Max retries exceeded with url: /b (Failed to resolve 'h')"


def test_a_missing_network_is_one_sentence():
    told = setup.told([f"{name}: {CUT_OFF}" for name in ("JDKs", "ecj 4.6.1", "a:b:1", "c:d:2", "e:f:3")])
    assert told.startswith("no network: JDKs, ecj 4.6.1, a") and " and 2 more could not be fetched" in told
    assert "make bundle" in told and "HTTPSConnectionPool" not in told and "\n" not in told


def test_other_troubles_keep_their_words():
    damaged = "ecj 4.6.1: it is not the file it should be: sha256 00"
    assert setup.told([damaged]) == damaged
    first, second = setup.told([damaged, f"a:b:1: {CUT_OFF}"]).splitlines()
    assert first.startswith("no network: ") and second == damaged
