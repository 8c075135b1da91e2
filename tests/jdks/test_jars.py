"""Coordinates -> jars: what lies in the cache is what it should be, and lies in the cache."""

import hashlib

import pytest

from safepointlab.errors import BadInput, InstallFailed
from safepointlab.jdks import jars

OURS = "org.jctools:jctools-core:4.0.5"


@pytest.fixture
def planted(tmp_path, monkeypatch):
    """A cache whose copy of a known jar is another file."""
    monkeypatch.setenv("SAFEPOINTLAB_CACHE", str(tmp_path))
    monkeypatch.delenv("SAFEPOINTLAB_SHARED", raising=False)
    jar = jars.cached(OURS)
    jar.parent.mkdir(parents=True)
    jar.write_bytes(b"evil")
    return jar


def test_a_jar_in_the_cache_that_is_another_file_is_refused_and_deleted(planted):
    with pytest.raises(InstallFailed, match=r"sha256 \w{64}, expected \w{64}\. It was deleted"):
        jars.fetch(OURS)
    assert not planted.exists()


def test_a_jar_that_changes_after_it_was_verified_is_noticed(planted, monkeypatch):
    planted.write_bytes(b"good")
    monkeypatch.setitem(jars.CHECKSUMS, OURS, hashlib.sha256(b"good").hexdigest())
    assert jars.fetch(OURS) == planted
    planted.write_bytes(b"evil again")
    with pytest.raises(InstallFailed, match="not the file it should be"):
        jars.fetch(OURS)


def test_without_a_network_a_jar_that_is_missing_is_told_in_the_labs_own_words(tmp_path, monkeypatch):
    def unreachable(*_, **__):
        raise OSError(
            "HTTPSConnectionPool(host='h', port=443): Max retries exceeded with url: /b (Failed to resolve 'h')"
        )

    monkeypatch.setenv("SAFEPOINTLAB_CACHE", str(tmp_path))
    monkeypatch.delenv("SAFEPOINTLAB_SHARED", raising=False)
    monkeypatch.setattr("jgo.maven.MavenContext.create_dependency", unreachable)
    with pytest.raises(InstallFailed, match=r"jctools-core:4.0.5: .* cannot be reached\. .* put the jar at") as failed:
        jars.fetch(OURS)
    assert "HTTPSConnectionPool" not in str(failed.value)


@pytest.mark.parametrize("coordinate", ["..:a:1", "a:../../b:1", "a:b:/etc", "a:b", "a:b:1:c", "a:b:..", "a::1"])
def test_coordinates_cannot_lead_out_of_the_cache(coordinate):
    with pytest.raises(BadInput, match="group:artifact:version"):
        jars.cached(coordinate)
