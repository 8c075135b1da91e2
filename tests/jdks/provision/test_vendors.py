"""provision/vendors.py: the real cjdk, with an index and JDK-like archives on localhost."""

import hashlib
import io
import json
import os
import tarfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from safepointlab import jdks
from safepointlab.errors import InstallFailed
from safepointlab.jdks.provision import vendors
from safepointlab.jdks.provision.vendors import Vendors

CPU = {"x86_64": "amd64", "aarch64": "arm64"}.get(os.uname().machine, os.uname().machine)
Offer = Callable[..., Path]


def archive(version: str) -> bytes:
    """A .tar.gz as vendors make it: one folder, with bin/java, bin/javac and a release file in it."""
    content, files = io.BytesIO(), {"bin/java": "#!/bin/sh\n", "bin/javac": "#!/bin/sh\n"}
    files["release"] = f'IMPLEMENTOR="Eclipse Adoptium"\nJAVA_VERSION="{version}"\n'
    with tarfile.open(fileobj=content, mode="w:gz") as tar:
        for name, text in files.items():
            member = tarfile.TarInfo(f"jdk-{version}/{name}")
            member.size, member.mode = len(text), 0o755
            tar.addfile(member, io.BytesIO(text.encode()))
    return content.getvalue()


@pytest.fixture
def offer(site: Any) -> Offer:
    """offer("temurin", "17.0.15") puts a build into the index, and its archive on the site."""
    index: dict[str, dict[str, str]] = {}

    def add(vendor: str, version: str, java: str = "", published: str | None = None) -> Path:
        file = site.folder / f"{vendor}-{version}.tar.gz"
        file.write_bytes(archive(java or version))
        index.setdefault(f"jdk@{vendor}", {})[version] = f"tgz+{site.url}/{file.name}"
        (site.folder / "index.json").write_text(json.dumps({"linux": {CPU: index}}))
        if published is not None:
            (site.folder / f"{file.name}.sha256.txt").write_text(f"{published}  {file.name}\n")
        return file

    return add


@pytest.fixture
def source(empty_lab: Path, site: Any, progress: list[str]) -> Vendors:
    (empty_lab / "jdks").mkdir(parents=True)
    local = {"index_url": f"{site.url}/index.json", "_allow_insecure_for_testing": True}
    return Vendors(empty_lab / "jdks", progress.append, **local)


def test_newest_build_that_fits_is_installed_and_found(offer: Offer, source: Vendors, empty_lab: Path) -> None:
    for version in ("17.0.9", "17.0.15", "21.0.1"):
        offer("temurin", version)
    folder = source.install("17")
    jdk = jdks.get("temurin:17")
    assert (jdk.home, jdk.version, jdk.has_javac, jdk.origin) == (folder, "17.0.15", True, "lab")
    assert [path.name for path in (empty_lab / "jdks").iterdir()] == ["temurin-17.0.15"]


@pytest.mark.parametrize("listed", ["8.0.45", "1.8.45", "1.8.0-45"])
def test_update_of_jdk_8_is_found_however_the_index_writes_it(offer: Offer, source: Vendors, listed: str) -> None:
    offer("zulu", listed, java="1.8.0_45")
    assert jdks.get(str(source.install("zulu:8u45"))).version == "8u45"


def test_published_checksum_is_verified(offer: Offer, source: Vendors, progress: list[str]) -> None:
    offer("temurin", "17.0.15", published=hashlib.sha256(archive("17.0.15")).hexdigest())
    assert source.install("17").is_dir()
    assert progress == [f"  temurin:17.0.15: {len(archive('17.0.15')) / 1e3:.0f} kB, checksum published beside it"]


def test_archive_that_is_not_what_was_published_is_refused(offer: Offer, source: Vendors, empty_lab: Path) -> None:
    offer("temurin", "17.0.15", published="0" * 64)
    with pytest.raises(InstallFailed, match=r"temurin:17\.0\.15: Hash does not match"):
        source.install("17")
    assert list((empty_lab / "jdks").iterdir()) == []


def test_missing_checksum_is_said(offer: Offer, source: Vendors, progress: list[str]) -> None:
    offer("temurin", "17.0.15")
    source.install("17")
    assert progress[0].endswith("no checksum published; trusting https")


def test_version_that_nobody_offers_is_reported(offer: Offer, source: Vendors) -> None:
    offer("temurin", "17.0.15")
    with pytest.raises(InstallFailed, match="the index has no zulu:17 for this system"):
        source.install("zulu:17")


def test_jre_of_the_same_vendor_and_version_is_not_taken_for_the_jdk(offer: Offer, source: Vendors) -> None:
    offer("zulu-jre", "17.0.15", java="17.0.0")
    offer("zulu", "17.0.15")
    assert jdks.get(str(source.install("zulu:17"))).version == "17.0.15"


@pytest.mark.parametrize("spec", ["archive:8", "debian:28-ea"])
def test_build_of_the_distribution_is_not_looked_for_here(source: Vendors, site: Any, spec: str) -> None:
    with pytest.raises(InstallFailed, match="in the distribution's archive only"):
        source.install(spec)
    assert site.asked == []


def test_index_out_of_reach_is_tried_only_once(source: Vendors, site: Any) -> None:
    for spec in ("17", "21"):
        with pytest.raises(InstallFailed, match="the index cannot be reached"):
            source.install(spec)
    assert len(site.asked) == 1


def test_index_that_never_answers_is_given_up(source: Vendors, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vendors, "REACHABLE_S", 0.1)
    monkeypatch.setattr("cjdk.list_jdks", lambda **_: time.sleep(5))
    with pytest.raises(InstallFailed, match=r"the index cannot be reached \(no answer within 0 s\)"):
        source.install("17")


def test_what_a_killed_installation_left_does_not_block_the_next(
    offer: Offer, source: Vendors, empty_lab: Path
) -> None:
    offer("temurin", "17.0.15")
    source.install("17")
    (left,) = [path for path in (empty_lab / "cjdk" / "v0").iterdir() if path.name == "fetching"]
    (left / "misc-dirs" / "0123").mkdir(parents=True)
    offer("temurin", "17.0.16")
    assert source.install("17.0.15").is_dir()
