"""The archive gives the JDK of another processor too: fetched, verified and unpacked, never started."""

import shutil
import struct
import subprocess
from pathlib import Path

import pytest

from safepointlab.errors import InstallFailed
from safepointlab.jdks.provision import archive
from safepointlab.jdks.provision.archive import Apt, Archive
from safepointlab.jdks.provision.sources import Mirror
from safepointlab.logs import assembly
from safepointlab.logs.assembly.loops import loops
from safepointlab.process import home

AARCH64, MACHINE_AT = 183, 18  # e_machine of ELF's header (EM_AARCH64), and its place in bytes
SLEEP = """public class Twice { public static void main(String[] a) { int s = 0;
    for (int n = 0; n < 20000; n++) s += sum(n); System.out.println(s); }
    static int sum(int n) { int s = 0; for (int i = 0; i < 50; i++) s += i ^ n; return s; } }"""


def machine(program: Path) -> int:
    """The processor that an ELF file is for."""
    with program.open("rb") as file:
        (number,) = struct.unpack_from("<H", file.read(20), MACHINE_AT)
    return int(number)


def test_the_other_processor_has_lists_and_settings_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setenv("SAFEPOINTLAB_CACHE", str(tmp_path))
    mirror = Mirror("Debian", "http://mirror.example/debian", (("sid",),), ("main",))
    own, other = Apt(mirror, ("sid",)), Apt(mirror, ("sid",), "arm64")
    assert own.folder != other.folder and 'APT::Architecture "arm64";' in other.configuration()
    assert "APT::Architecture" not in own.configuration()


@pytest.fixture(scope="module")
def arm_jdk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not (shutil.which("apt-get") and shutil.which("dpkg-deb")):
        pytest.skip("needs apt-get and dpkg-deb")
    said: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(archive, "PATIENCE_S", 40.0)
        try:
            return Archive(tmp_path_factory.mktemp("arm64"), said.append, architecture="arm64").install("17")
        except InstallFailed as failed:
            pytest.skip(f"the archive does not give an arm64 JDK here: {failed}")


@pytest.mark.live
@pytest.mark.newcomer
@pytest.mark.timeout(200)
def test_an_arm64_jdk_is_provisioned(arm_jdk):
    assert machine(arm_jdk / "bin" / "java") == AARCH64 == machine(arm_jdk / "lib" / "server" / "libjvm.so")
    assert 'OS_ARCH="aarch64"' in (arm_jdk / "release").read_text() and (arm_jdk / "bin" / "javac").exists()


@pytest.mark.live
@pytest.mark.newcomer
@pytest.mark.timeout(200)
def test_its_machine_code_is_printed_under_qemu(arm_jdk, tmp_path):
    qemu = shutil.which("qemu-aarch64") or shutil.which("qemu-aarch64-static")
    if qemu is None:
        pytest.skip("needs qemu-user (Debian: apt install qemu-user)")
    (tmp_path / "Twice.java").write_text(SLEEP)
    print_it = ["-XX:+UnlockDiagnosticVMOptions", "-Xbatch", "-XX:+UseSerialGC", "-XX:CompileCommand=print,Twice.sum"]
    javac = [shutil.which("javac") or pytest.skip("needs a javac on PATH"), "--release", "17", "Twice.java"]
    subprocess.run(javac, cwd=tmp_path, check=True, timeout=60)
    command = [qemu, arm_jdk / "bin" / "java", "-XX:+UseSerialGC", *print_it, "-cp", tmp_path, "Twice"]
    done = subprocess.run(command, cwd=home.ready(tmp_path), capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr[-1000:]
    (log := tmp_path / "assembly.log").write_text(done.stdout)
    code = assembly.read(log)
    assert {"ret", "ldr"} <= set(code["instruction"].str.split().str[0]), "ARM64's words"
    assert {"loop", "return"} <= set(code["poll"].dropna()), "its polls"
    by_tier = loops(code).groupby("tier")["polled"].any()
    assert by_tier[3] and not by_tier[4], "C1 polls in its loop; C2, with Serial, does not in one that is counted"
