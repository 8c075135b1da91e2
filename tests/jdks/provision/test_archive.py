"""provision/archive.py end to end: the machine's real apt and dpkg over a small archive served on localhost."""

import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from safepointlab import jdks
from safepointlab.errors import InstallFailed
from safepointlab.jdks.provision import archive
from safepointlab.jdks.provision.archive import Archive
from safepointlab.jdks.provision.transplant import patchelf

pytestmark = pytest.mark.skipif(
    not (shutil.which("apt-get") and shutil.which("dpkg-deb")), reason="not a Debian or Ubuntu"
)
ARCH = subprocess.run(["dpkg", "--print-architecture"], capture_output=True, text=True).stdout.strip()
TRUE = Path("/bin/true").resolve()  # stands for java: a program that starts, if its loader and libraries are right
MACHINE = os.uname().machine
LOADER = Path(re.search(rb"/lib\S*/ld-linux[\w.-]*", TRUE.read_bytes()[:4096])[0].decode())  # type: ignore[index]
LIBC = Path(re.findall(r"/\S*/libc\.so\S*", Path("/proc/self/maps").read_text())[0])
Publish = Callable[..., Path]


def deb(site: Path, name: str, version: str, files: dict[str, str | Path], links: dict[str, str], depends: str) -> str:
    """Build a package into the site's pool; its entry for the list of packages."""
    tree = site.parent / "build" / name
    shutil.rmtree(tree, ignore_errors=True)
    for path, content in files.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(content, tree / path) if isinstance(content, Path) else (tree / path).write_text(content)
    for path, target in links.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).symlink_to(target)
    control = f"Package: {name}\nVersion: {version}\nArchitecture: {ARCH}\nMaintainer: t\nDescription: t\n"
    control += f"Depends: {depends}\n" if depends else ""
    (tree / "DEBIAN").mkdir(parents=True)
    (tree / "DEBIAN" / "control").write_text(control)
    file = site / "pool" / f"{name}_{version}_{ARCH}.deb"
    file.parent.mkdir(exist_ok=True)
    subprocess.run(["dpkg-deb", "--root-owner-group", "-Znone", "-b", tree, file], check=True, capture_output=True)
    shutil.rmtree(tree)
    about = f"Filename: pool/{file.name}\nSize: {file.stat().st_size}\n"
    return control + about + f"SHA256: {hashlib.sha256(file.read_bytes()).hexdigest()}\n\n"


@pytest.fixture
def etc(site: Any, tmp_path: Path) -> Path:
    """A Debian machine whose mirror is the site."""
    (tmp_path / "etc" / "apt").mkdir(parents=True)
    (tmp_path / "etc" / "os-release").write_text("ID=debian\nVERSION_CODENAME=bookworm\n")
    line = f"deb [trusted=yes] {site.url}/debian bookworm main\n"
    (tmp_path / "etc" / "apt" / "sources.list").write_text(line)
    return tmp_path / "etc"


@pytest.fixture
def publish(site: Any) -> Publish:
    """publish(17, "17.0.21+3-1") puts a JDK, and what may be needed beside it, into the archive's suite sid."""
    root = site.folder / "debian"
    root.mkdir()
    libraries = [deb(root, name, "9.9-1", files, {}, needs) for name, (files, needs) in beside().items()]
    suites: dict[str, list[str]] = {}

    def add(major: int, version: str, libc: str = "2.4", configured: str = "its own", suite: str = "sid") -> Path:
        java_home = f"usr/lib/jvm/java-{major}-openjdk-{ARCH}"
        jre = {
            f"{java_home}/bin/java": TRUE,
            f"{java_home}/release": f'JAVA_VERSION="{archive.java_version(version)}"\nIMPLEMENTOR="Debian"\n',
            f"etc/java-{major}-openjdk/jvm.cfg": configured,
        }
        links = {f"{java_home}/lib/jvm.cfg": f"/etc/java-{major}-openjdk/jvm.cfg", f"{java_home}/lib/src.zip": "../no"}
        jdk = {f"{java_home}/bin/javac": TRUE, f"{java_home}/jmods/java.base.jmod": "much"}
        entries = suites.setdefault(suite, list(libraries))
        entries.append(deb(root, f"openjdk-{major}-jre-headless", version, jre, links, f"libc6 (>= {libc})"))
        entries.append(deb(root, f"openjdk-{major}-jdk-headless", version, jdk, {}, f"libc6 (>= {libc})"))
        return index(root, suite, entries)

    return add


def beside() -> dict[str, tuple[dict[str, str | Path], str]]:
    """The packages with libraries: this machine's own C library plays the newer one, and the disassembler."""
    folder = f"usr/lib/{MACHINE}-linux-gnu"
    libc = {f"{folder}/{file.name}": file for file in (LOADER, LIBC)}
    hsdis = {f"{folder}/libhsdis.so.0.0.0": LIBC}
    decoder = {f"{folder}/libfcml.so.0": LIBC}
    other = {name: ({f"usr/share/{name}": name}, "") for name in archive.LIBC[1:]}
    return {"libc6": (libc, ""), "libhsdis0-fcml": (hsdis, "libfcml0t64"), "libfcml0t64": (decoder, ""), **other}


def index(root: Path, suite: str, entries: list[str]) -> Path:
    """Write a suite's list of packages and its Release file."""
    listing = root / "dists" / suite / "main" / f"binary-{ARCH}" / "Packages"
    listing.parent.mkdir(parents=True, exist_ok=True)
    listing.write_text("".join(entries))
    digest = hashlib.sha256(listing.read_bytes()).hexdigest()
    name = listing.relative_to(root / "dists" / suite)
    (root / "dists" / suite / "Release").write_text(
        f"Suite: {suite}\nCodename: {suite}\nComponents: main\nArchitectures: {ARCH}\n"
        f"Date: Thu, 01 Jan 2026 00:00:00 UTC\nSHA256:\n {digest} {listing.stat().st_size} {name}\n"
    )
    return root


@pytest.fixture
def source(empty_lab: Path, etc: Path, progress: list[str]) -> Archive:
    (empty_lab / "jdks").mkdir(parents=True)
    return Archive(empty_lab / "jdks", progress.append, etc)


def test_a_jdk_is_downloaded_unpacked_and_found_and_nothing_else_is_left_behind(publish, source, progress, empty_lab):
    publish(17, "17.0.21+3-1", configured="from the package")
    folder = source.install("17")
    jdk = jdks.get("debian:17")
    assert (jdk.home, jdk.version, jdk.has_javac, jdk.origin) == (folder, "17.0.21", True, "lab")
    assert [line.partition(":")[0] for line in sorted(progress)] == [
        "  openjdk-17-jdk-headless 17.0.21+3-1",
        "  openjdk-17-jre-headless 17.0.21+3-1",
        "reading the list of packages of Debian sid",
    ]
    assert (folder / "lib" / "jvm.cfg").read_text() == "from the package"
    assert [path for path in folder.rglob("*") if path.is_symlink()] == []  # none dangles
    assert not (folder / "lib" / "src.zip").exists() and not (folder / "jmods").exists()
    assert (folder / "bin" / "java").read_bytes() == TRUE.read_bytes()  # this machine's own C library is new enough
    assert [path.name for path in (empty_lab / "jdks").iterdir()] == ["debian-openjdk-17.0.21-3-1"]
    assert list((empty_lab / "apt").rglob("*.deb*")) == []


def test_what_the_archive_lacks_is_named_with_what_it_has(publish, source):
    publish(28, "28~18ea-1")
    publish(8, "8u504-ga-1")
    assert jdks.get(str(source.install("28-ea"))).version == "28-ea"
    with pytest.raises(InstallFailed, match=r"Debian holds no JDK 28\.0\.1 \(sid has 28-ea only\)"):
        source.install("28.0.1")
    with pytest.raises(InstallFailed, match=r"Debian holds no JDK 21 \(sid has 8 28\)"):
        source.install("21")


def test_the_newest_release_from_a_number_on_is_no_early_access_build(publish, source):
    publish(26, "26.0.2+1-1")
    publish(27, "27.0.1+3-1")
    publish(28, "28~18ea-1")
    assert jdks.get(str(source.install("26+"))).version == "27.0.1"
    assert jdks.get("26+").major == 27
    with pytest.raises(InstallFailed, match=r"holds no JDK 28\+ \(sid has 28-ea only\)"):
        source.install("28+")


def test_other_vendors_are_not_its_business_and_an_archive_out_of_reach_is_reported_with_apts_words(source, site):
    for spec in ("temurin:17", "zulu:8u45", "newest"):
        with pytest.raises(InstallFailed, match="only the distribution's own builds"):
            source.install(spec)
    assert site.asked == []
    with pytest.raises(InstallFailed, match="404"):  # nothing was published
        source.install("17")


def test_an_interrupted_install_goes_on_where_it_stopped(publish, source, site):
    publish(17, "17.0.21+3-1")
    package = site.folder / "debian" / "pool" / f"openjdk-17-jre-headless_17.0.21+3-1_{ARCH}.deb"
    whole = package.read_bytes()
    package.write_bytes(whole[:2000])  # all that the server gives before it goes away
    with pytest.raises(InstallFailed):
        source.install("17")
    package.write_bytes(whole)
    site.asked.clear()
    source.install("17")
    assert [begin for path, begin in site.asked if "jre-headless" in path] == ["bytes=2000-"]


def test_a_tampered_package_is_never_unpacked(publish, source, site, empty_lab):
    publish(17, "17.0.21+3-1")
    package = site.folder / "debian" / "pool" / f"openjdk-17-jdk-headless_17.0.21+3-1_{ARCH}.deb"
    package.write_bytes(package.read_bytes()[:-1] + b"!")
    with pytest.raises(InstallFailed, match="Hash Sum mismatch"):  # after ours, apt's own download refuses it too
        source.install("17")
    assert list((empty_lab / "jdks").iterdir()) == []


def test_a_newer_c_library_is_put_beside_when_this_machines_is_too_old_and_shared_by_all_jdks(publish, source, site):
    publish(17, "17.0.21+3-1", libc="99.1")
    publish(21, "21.0.1+3-1", libc="99.1")
    folder = source.install("17")  # which ends with starting its java
    beside = source.store / "libc-9.9-1" / "lib"
    assert patchelf("--print-interpreter", str(folder / "bin" / "java")).strip() == str(beside / LOADER.name)
    assert patchelf("--print-rpath", str(folder / "bin" / "javac")).strip() == str(beside)
    source.install("21")
    assert sum("/libc6_" in path for path, _ in site.asked) == 1


@pytest.mark.parametrize(("major", "there"), [(8, True), (11, True), (17, False)])
def test_a_disassembler_comes_with_the_jdks_that_can_load_it(publish, source, major, there):
    publish(major, f"{major}u504-ga-1" if major == 8 else f"{major}.0.1+3-1")
    folder = source.install(str(major))
    assert (jdks.get(major).hsdis is not None) == there == any(folder.rglob("libfcml.so.0"))


def test_ubuntu_takes_from_its_own_release_what_it_has_and_the_rest_from_the_next(publish, source, site, etc, progress):
    publish(17, "17.0.21+3-1", suite="noble")
    publish(25, "25.0.1+3-1", suite="devel")
    index(site.folder / "debian", "noble-updates", [])
    (site.folder / "debian").rename(site.folder / "ubuntu")
    (etc / "os-release").write_text("ID=ubuntu\nVERSION_CODENAME=noble\n")
    (etc / "apt" / "sources.list").write_text(f"deb [trusted=yes] {site.url}/ubuntu noble main universe\n")
    names = [source.install(spec).name for spec in ("17", "25")]
    assert names == ["ubuntu-openjdk-17.0.21-3-1", "ubuntu-openjdk-25.0.1-3-1"]
    read = [line for line in progress if line.startswith("reading")]
    assert read == [f"reading the list of packages of Ubuntu {suites}" for suites in ("noble noble-updates", "devel")]
