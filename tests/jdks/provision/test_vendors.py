"""The vendors' builds: the real cjdk, with an index and JDK-like archives on localhost."""

import hashlib
import io
import json
import os
import tarfile
import time

import pytest

from safepointlab import jdks
from safepointlab.errors import InstallFailed
from safepointlab.jdks.provision import vendors
from safepointlab.jdks.provision.vendors import Vendors

CPU = {"x86_64": "amd64", "aarch64": "arm64"}.get(os.uname().machine, os.uname().machine)


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
def offer(site):
    """offer("temurin", "17.0.15") puts a build into the index, and its archive on the site."""
    index = {}

    def add(vendor, version, java="", published=None):
        file = site.folder / f"{vendor}-{version}.tar.gz"
        file.write_bytes(archive(java or version))
        index.setdefault(f"jdk@{vendor}", {})[version] = f"tgz+{site.url}/{file.name}"
        (site.folder / "index.json").write_text(json.dumps({"linux": {CPU: index}}))
        if published is not None:
            (site.folder / f"{file.name}.sha256.txt").write_text(f"{published}  {file.name}\n")

    return add


@pytest.fixture
def source(empty_lab, site, progress):
    (empty_lab / "jdks").mkdir(parents=True)
    local = {"index_url": f"{site.url}/index.json", "_allow_insecure_for_testing": True}
    return Vendors(empty_lab / "jdks", progress.append, **local)


def test_the_newest_build_that_fits_is_installed_found_and_said_to_have_no_checksum(offer, source, progress):
    for version in ("17.0.9", "17.0.15", "21.0.1"):
        offer("temurin", version)
    folder = source.install("17")
    jdk = jdks.get("temurin:17")
    assert (jdk.home, jdk.version, jdk.has_javac, jdk.origin) == (folder, "17.0.15", True, "lab")
    assert [path.name for path in source.store.iterdir()] == ["temurin-17.0.15"]
    assert progress[0].endswith("no checksum published; trusting https")


@pytest.mark.parametrize("listed", ["8.0.45", "1.8.45", "1.8.0-45"])
def test_an_update_of_jdk_8_is_found_however_the_index_writes_it(offer, source, listed):
    offer("zulu", listed, java="1.8.0_45")
    assert jdks.get(str(source.install("zulu:8u45"))).version == "8u45"


def test_a_published_checksum_is_verified(offer, source, progress):
    offer("temurin", "17.0.15", published=hashlib.sha256(archive("17.0.15")).hexdigest())
    offer("temurin", "21.0.1", published="0" * 64)
    assert source.install("17").is_dir()
    assert progress == [f"  temurin:17.0.15: {len(archive('17.0.15')) / 1e3:.0f} kB, checksum published beside it"]
    with pytest.raises(InstallFailed, match=r"temurin:21\.0\.1: Hash does not match"):
        source.install("21")
    assert [path.name for path in source.store.iterdir()] == ["temurin-17.0.15"]


def test_a_version_that_nobody_offers_is_reported_and_a_jre_is_not_taken_for_the_jdk(offer, source):
    for vendor, version, java in (
        ("zulu-jre", "17.0.15", ""),
        ("zulu-jre", "21.0.1", "21.0.0"),
        ("zulu", "21.0.1", ""),
    ):
        offer(vendor, version, java)
    with pytest.raises(InstallFailed, match="the index has no zulu:17 for this system"):
        source.install("zulu:17")
    assert jdks.get(str(source.install("zulu:21"))).version == "21.0.1"


def test_a_build_of_the_distribution_is_not_looked_for_here(source, site):
    for spec in ("archive:8", "debian:28-ea"):
        with pytest.raises(InstallFailed, match="in the distribution's archive only"):
            source.install(spec)
    assert site.asked == []


def test_an_index_out_of_reach_is_tried_only_once(source, site):
    for spec in ("17", "21"):
        with pytest.raises(InstallFailed, match="the index cannot be reached"):
            source.install(spec)
    assert len(site.asked) == 1


def test_an_index_that_never_answers_is_given_up(source, monkeypatch):
    monkeypatch.setattr(vendors, "REACHABLE_S", 0.1)
    monkeypatch.setattr("cjdk.list_jdks", lambda **_: time.sleep(5))
    with pytest.raises(InstallFailed, match=r"the index cannot be reached \(no answer within 0 s\)"):
        source.install("17")


def test_what_a_killed_installation_left_does_not_block_the_next(offer, source, empty_lab):
    offer("temurin", "17.0.15")
    source.install("17")
    [left] = [path for path in (empty_lab / "cjdk" / "v0").iterdir() if path.name == "fetching"]
    (left / "misc-dirs" / "0123").mkdir(parents=True)
    offer("temurin", "17.0.16")
    assert source.install("17.0.15").is_dir()
