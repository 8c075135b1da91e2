"""A bundle is used only if it is whole, its archives stay in their folder, and the lab then works without a network."""

import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from safepointlab.process import home

bundled = pytest.importorskip("bundled")
JDK, JAR = "debian-openjdk-17", "jars/org/a/a-1.jar"
WHOLE = home.PROJECT / "build" / "safepoint-lab-bundle.tar"
CUT_OFF = ["unshare", "-n"]


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """A bundle's folder: one jar and one archive of a JDK with a program and a link."""
    folder, here = tmp_path / "bundle", bundled.this_platform()
    archive, size = packed(folder / "jdks" / f"{JDK}.tar.xz", [file("bin/java", b"java"), link("java", "bin/java")])
    (jar := folder / JAR).parent.mkdir(parents=True)
    jar.write_bytes(b"jar")
    files = {}
    for path, part, platform, unpacked in ((jar, "jars", "", 3), (archive, "JDKs", here, size)):
        about = {"size": path.stat().st_size, "sha256": bundled.sha256(path), "part": part}
        files[str(path.relative_to(folder))] = about | {"platform": platform, "unpacked": unpacked}
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    write(folder, {"format": bundled.FORMAT, "platforms": [here], "pythons": [python], "files": files})
    return folder


def write(folder: Path, content: dict[str, object]) -> None:
    (folder / bundled.MANIFEST).write_text(json.dumps(content))


def file(name: str, content: bytes, folder: str = f"{JDK}/") -> tuple[tarfile.TarInfo, bytes]:
    entry = tarfile.TarInfo(folder + name)
    entry.size = len(content)
    return entry, content


def link(name: str, target: str, kind: bytes = tarfile.SYMTYPE) -> tuple[tarfile.TarInfo, bytes]:
    entry = tarfile.TarInfo(f"{JDK}/{name}")
    entry.type, entry.linkname = kind, target
    return entry, b""


def packed(archive: Path, entries: list[tuple[tarfile.TarInfo, bytes]]) -> tuple[Path, int]:
    archive.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(archive, "w:xz") as tar:
        for entry, content in entries:
            tar.addfile(entry, io.BytesIO(content))
    return archive, sum(entry.size for entry, _ in entries)


def test_a_whole_bundle_fills_the_cache(bundle, tmp_path):
    bundled.checked(bundle)
    (new,) = bundled.fill(bundle, tmp_path / "cache")
    assert (new / "bin/java").read_bytes() == b"java" and (new / "java").resolve() == new / "bin/java"
    assert (tmp_path / "cache/maven/org/a/a-1.jar").read_bytes() == b"jar"
    assert bundled.fill(bundle, tmp_path / "cache") == [], "a second set-up finds all of it there"


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        (JAR, b"jax", "damaged"),
        (JAR, b"ja", "2 bytes where 3 are expected"),
        (JAR, None, "a-1.jar: missing"),
        ("jars/other.jar", b"", r"jars/other\.jar: not in the manifest"),
        ("manifest.json", b'{"format": 1, "fi', "Unpack the bundle again"),
    ],
)
def test_a_damaged_bundle_is_refused_with_what_is_wrong(bundle, name, content, complaint):
    file = bundle / (bundled.MANIFEST if name == "manifest.json" else name)
    file.write_bytes(content) if content is not None else file.unlink()
    with pytest.raises(bundled.BadBundle, match=complaint):
        bundled.checked(bundle)


@pytest.mark.parametrize("name", ["../away.jar", "/etc/passwd", "jars/../../away"])
def test_a_manifest_that_names_a_place_outside_is_refused(bundle, name):
    content = bundled.manifest(bundle)
    content["files"][name] = content["files"][JAR]
    write(bundle, content)
    with pytest.raises(bundled.BadBundle, match="outside of the bundle"):
        bundled.checked(bundle)


@pytest.mark.parametrize(("key", "says"), [("platforms", "for the platforms other"), ("pythons", "for the Pythons")])
def test_a_bundle_for_another_machine_is_refused(bundle, key, says):
    write(bundle, bundled.manifest(bundle) | {key: ["other"]})
    with pytest.raises(bundled.BadBundle, match=says):
        bundled.checked(bundle)


HARDLINK, DEVICE = tarfile.LNKTYPE, tarfile.CHRTYPE


@pytest.mark.each(
    ("entries", "complaint"),
    [
        ([file("away", b"x", "../")], "is not in the folder"),
        ([file("away", b"x", f"{JDK}/../")], "is not in the folder"),
        ([file("tmp/away", b"x", "/")], "is not in the folder"),
        ([file("java", b"x", "debian-openjdk-21/")], "is not in the folder"),
        ([link("out", "/etc")], "leaves the folder"),
        ([link("out", "../..")], "leaves the folder"),
        ([link("out", "../debian-openjdk-21")], "leaves the folder"),
        ([link("in", "bin"), file("in/java", b"x")], "through a link"),
        ([link("passwd", "/etc/passwd", HARDLINK)], "neither a file"),
        ([link("null", "", DEVICE)], "neither a file"),
        ([file("zeros", bytes(5_000_000))], "holds more than the 1000 bytes"),
    ],
)
def test_an_archive_never_leaves_its_folder(tmp_path, entries, complaint):
    archive, _ = packed(tmp_path / "from" / f"{JDK}.tar.xz", entries)
    with pytest.raises(bundled.BadBundle, match=complaint):
        bundled.unpack(archive, tmp_path / "jdks", 1000)
    assert [path.name for path in tmp_path.iterdir()] == ["from", "jdks"] or not [*(tmp_path / "jdks").iterdir()]


def test_half_an_archive_is_refused_and_nothing_is_kept(tmp_path):
    archive, size = packed(tmp_path / f"{JDK}.tar.xz", [file("bin/java", os.urandom(50_000))])
    archive.write_bytes(archive.read_bytes()[:20_000])
    with pytest.raises(bundled.BadBundle, match="cannot be unpacked"):
        bundled.unpack(archive, tmp_path / "jdks", size)
    assert not [*(tmp_path / "jdks").iterdir()]


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a machine without a network, with an empty home."""
    if not shutil.which("unshare") or subprocess.run([*CUT_OFF, "true"], capture_output=True, check=False).returncode:
        pytest.skip("needs root and unshare to cut off the network")
    path = ":".join(entry for entry in os.environ["PATH"].split(":") if ".venv" not in entry)
    return {"HOME": str(tmp_path_factory.mktemp("room")), "PATH": path, "LANG": "C.UTF-8"}


@pytest.mark.newcomer
def test_a_first_set_up_without_a_network_says_so_in_one_sentence(room, tmp_path):
    copied = tmp_path / "lab"
    shutil.copytree(home.PROJECT / "scripts", copied / "scripts")
    for name in ("Makefile", "requirements.lock", "pyproject.toml"):
        shutil.copy(home.PROJECT / name, copied)
    command = [*CUT_OFF, "make", "lab"]
    done = subprocess.run(command, cwd=copied, env=room, capture_output=True, text=True, timeout=100, check=False)
    said = [text for text in done.stderr.splitlines() if not text.startswith("make")]
    assert done.returncode and len(said) == 1 and "no network" in said[0] and "make bundle" in said[0], done.stderr


@pytest.mark.newcomer
@pytest.mark.live
@pytest.mark.timeout(280)
def test_a_bundle_runs_the_lab_without_a_network(room, tmp_path):
    if not WHOLE.exists():
        pytest.skip("no bundle was made here: make bundle")
    subprocess.run(["tar", "xf", WHOLE], cwd=tmp_path, check=True)
    archives = (tmp_path / "safepoint-lab" / "bundle" / "jdks").rglob("*openjdk-*")
    jdk, *_ = re.findall(r"openjdk-(\d+)", " ".join(map(str, archives)))
    script = (
        f"make setup && .venv/bin/safepoint run hang/KillerTask --jdk {jdk} --gc Serial --deadline 6; "
        "ip link set lo up; "
        "(make lab LAB_OPTIONS=--no-browser >lab.log 2>&1 & for i in $(seq 90); do sleep 1; "
        "grep -q 'http://127.0.0.1.*token=' lab.log && break; done; grep 'token=' lab.log; kill -- -$$)"
    )
    done = subprocess.run(
        [*CUT_OFF, "setsid", "--wait", "bash", "-c", script],
        cwd=tmp_path / "safepoint-lab", env=room, capture_output=True, text=True, check=False, timeout=270,
    )  # fmt: skip
    shutil.rmtree(tmp_path)  # 1.5 GB
    shutil.rmtree(room["HOME"])
    assert "HUNG" in done.stdout and re.search(r"http://127\.0\.0\.1:\d+/lab/\S+token=", done.stdout), done.stderr[
        -2000:
    ]
