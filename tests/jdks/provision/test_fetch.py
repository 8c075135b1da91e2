"""provision/fetch.py: a download is verified, goes on where it stopped, and says why it failed."""

import hashlib
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from safepointlab.errors import InstallFailed
from safepointlab.jdks.provision.fetch import fetch, mb

CONTENT = os.urandom(300_000)
SUM = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def file(site: Any) -> str:
    (site.folder / "jdk.deb").write_bytes(CONTENT)
    return f"{site.url}/jdk.deb"


def test_file_arrives_whole_and_is_not_asked_for_again(site: Any, file: str, tmp_path: Path) -> None:
    for _ in range(2):
        assert fetch(file, tmp_path / "jdk.deb", len(CONTENT), SUM, print).read_bytes() == CONTENT
    assert len(site.asked) == 1


def test_interrupted_download_goes_on_where_it_stopped(
    site: Any, file: str, tmp_path: Path, progress: list[str]
) -> None:
    (tmp_path / "jdk.deb.part").write_bytes(CONTENT[:100_000])
    assert fetch(file, tmp_path / "jdk.deb", len(CONTENT), SUM, progress.append).read_bytes() == CONTENT
    assert site.asked == [("/jdk.deb", "bytes=100000-")]
    assert progress == ["  jdk.deb: going on at 100 kB of 300 kB"]


def test_broken_connection_is_taken_up_again(site: Any, file: str, tmp_path: Path) -> None:
    site.breaks, site.break_after = 2, 50_000
    assert fetch(file, tmp_path / "jdk.deb", len(CONTENT), SUM, print).read_bytes() == CONTENT
    assert [begin for _, begin in site.asked] == ["", "bytes=50000-", "bytes=100000-"]


def test_server_without_ranges_makes_it_start_afresh(site: Any, file: str, tmp_path: Path) -> None:
    site.ranges = False
    (tmp_path / "jdk.deb.part").write_bytes(CONTENT[:100_000])
    assert fetch(file, tmp_path / "jdk.deb", len(CONTENT), SUM, print).read_bytes() == CONTENT


def test_complete_part_needs_no_download(site: Any, file: str, tmp_path: Path) -> None:
    (tmp_path / "jdk.deb.part").write_bytes(CONTENT)
    assert fetch(file, tmp_path / "jdk.deb", len(CONTENT), SUM, print).read_bytes() == CONTENT
    assert site.asked == []


def test_damaged_file_is_refused_and_deleted(file: str, tmp_path: Path) -> None:
    with pytest.raises(InstallFailed, match=r"jdk\.deb arrived damaged: sha256 .*, expected 0000"):
        fetch(file, tmp_path / "jdk.deb", len(CONTENT), "0" * 64, print)
    assert list(tmp_path.glob("jdk.deb*")) == []


def test_file_that_is_not_there_fails_at_once(site: Any, tmp_path: Path) -> None:
    with pytest.raises(InstallFailed, match=r"cannot download none\.deb: .*404"):
        fetch(f"{site.url}/none.deb", tmp_path / "none.deb", 10, SUM, print)
    assert len(site.asked) == 1


def test_size_is_said_as_people_say_it() -> None:
    assert [mb(9_488), mb(350_666_184)] == ["9 kB", "351 MB"]


def test_two_that_want_one_file_at_once_fetch_it_once(site: Any, file: str, tmp_path: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        wanted = [pool.submit(fetch, file, tmp_path / "jdk.deb", len(CONTENT), SUM, print) for _ in range(4)]
    assert all(one.result().read_bytes() == CONTENT for one in wanted) and len(site.asked) == 1
    assert list(tmp_path.glob("jdk.deb*")) == [tmp_path / "jdk.deb"]


def test_a_server_that_sends_more_than_it_said_is_refused(file: str, tmp_path: Path) -> None:
    with pytest.raises(InstallFailed, match="sends more than its 100 kB; nothing was kept"):
        fetch(file, tmp_path / "jdk.deb", 100_000, SUM, print)
    assert list(tmp_path.glob("jdk.deb*")) == []
