"""A download is verified, goes on where it stopped, and says why it failed."""

import hashlib
import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from safepointlab.errors import InstallFailed
from safepointlab.jdks.provision.fetch import fetch, mb

CONTENT = os.urandom(300_000)
SUM = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def download(site, tmp_path, progress):
    """Fetch the site's file; with another size or checksum than its own where that is asked for."""
    (site.folder / "jdk.deb").write_bytes(CONTENT)

    def fetched(name="jdk.deb", size=300_000, sha256=SUM):
        return fetch(f"{site.url}/{name}", tmp_path / name, size, sha256, progress.append).read_bytes()

    return fetched


def test_a_file_arrives_whole_and_is_not_asked_for_again(site, download):
    assert download() == download() == CONTENT and len(site.asked) == 1


@pytest.mark.parametrize(
    ("there", "ranges", "asked", "said"),
    [
        (100_000, True, ["bytes=100000-"], ["  jdk.deb: going on at 100 kB of 300 kB"]),
        (100_000, False, [""], ["  jdk.deb: starting afresh"]),
        (300_000, True, [], []),
    ],
)
def test_an_interrupted_download_goes_on_where_it_stopped(
    site, download, tmp_path, progress, there, ranges, asked, said
):
    site.ranges = ranges
    (tmp_path / "jdk.deb.part").write_bytes(CONTENT[:there])
    assert download() == CONTENT and [begin for _, begin in site.asked] == asked and progress == said


def test_a_broken_connection_is_taken_up_again(site, download):
    site.breaks, site.break_after = 2, 50_000
    assert download() == CONTENT
    assert [begin for _, begin in site.asked] == ["", "bytes=50000-", "bytes=100000-"]


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"sha256": "0" * 64}, r"jdk\.deb arrived damaged: sha256 .*, expected 0000"),
        ({"size": 100_000}, "sends more than its 100 kB; nothing was kept"),
        ({"name": "none.deb"}, r"cannot download none\.deb: .*404"),
    ],
)
def test_what_is_not_the_file_is_refused_at_once_and_deleted(site, download, tmp_path, wrong, why):
    with pytest.raises(InstallFailed, match=why):
        download(**wrong)
    assert len(site.asked) == 1 and list(tmp_path.glob("jdk.deb*")) == []


def test_two_that_want_one_file_at_once_fetch_it_once(site, download, tmp_path):
    with ThreadPoolExecutor(4) as pool:
        assert all(content == CONTENT for content in pool.map(lambda _: download(), range(4)))
    assert len(site.asked) == 1 and list(tmp_path.glob("jdk.deb*")) == [tmp_path / "jdk.deb"]


def test_size_is_said_as_people_say_it():
    assert [mb(9_488), mb(350_666_184)] == ["9 kB", "351 MB"]
