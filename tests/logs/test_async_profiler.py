"""async-profiler: its library comes out of the jar, its flag is one the agent takes, its stacks reach the run."""

import platform
import sys
import zipfile

import pytest

from safepointlab import jdks, logs
from safepointlab.errors import FlagRejected, InstallFailed, LabError, RunFailed, StorageFailed, ToolMissing
from safepointlab.jdks import jars
from safepointlab.logs import async_profiler, collapsed
from safepointlab.run import launch

BUSY = """
import java.util.zip.CRC32;

public class Busy {
    public static void main(String[] args) {
        byte[] data = new byte[1 << 16];
        long until = System.nanoTime() + 400_000_000L, sum = 0;
        while (System.nanoTime() < until) {
            for (int i = 0; i < 100; i++) {
                CRC32 crc = new CRC32();
                crc.update(data, 0, data.length);
                sum += crc.getValue();
            }
        }
        System.out.println("sum=" + sum);
    }
}
"""


@pytest.fixture
def jar(tmp_path, monkeypatch):
    """A cache, and a jar that stands for Maven's."""
    monkeypatch.setenv("SAFEPOINTLAB_CACHE", str(tmp_path / "cache"))
    made = tmp_path / "a.jar"
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("linux-x64/libasyncProfiler.so", b"x64")
        archive.writestr("linux-arm64/libasyncProfiler.so", b"arm64")
    monkeypatch.setattr(jars, "fetch", lambda coordinate: made)
    return made


@pytest.mark.each(("machine", "holds"), [("x86_64", b"x64"), ("aarch64", b"arm64")])
def test_each_machine_gets_its_own_library_and_the_jar_is_opened_once(jar, monkeypatch, machine, holds):
    monkeypatch.setattr(platform, "machine", lambda: machine)
    library = async_profiler.library()
    assert library.read_bytes() == holds and library.parent.name.startswith("linux-")
    assert [file.name for file in library.parent.iterdir()] == ["libasyncProfiler.so"]
    monkeypatch.setattr(jars, "fetch", lambda coordinate: None)
    assert async_profiler.library() == library
    monkeypatch.setattr(jars, "fetch", lambda coordinate: jar)


def test_another_platform_is_told_which_ones_there_are(monkeypatch):
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    with pytest.raises(ToolMissing, match="riscv64: the lab takes linux-arm64, linux-x64"):
        async_profiler.library()
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(ToolMissing, match="darwin"):
        async_profiler.library()


def test_a_jar_without_the_library_is_an_install_failure(jar):
    with zipfile.ZipFile(jar, "w") as archive:
        archive.writestr("readme", "")
    with pytest.raises(InstallFailed, match="holds no linux"):
        async_profiler.library()


@pytest.fixture
def library(monkeypatch, tmp_path):
    monkeypatch.setattr(async_profiler, "library", lambda: tmp_path / "lib.so")


@pytest.mark.each(
    "asked, options",
    [
        ("", "event=ctimer,interval=1ms,cstack=vm"),
        ("cpu,interval=500us,ttsp,threads", "event=cpu,interval=500us,cstack=vm,ttsp,threads"),
        ("event=wall,cstack=no", "event=wall,interval=1ms,cstack=no"),
        ("threads", "event=ctimer,interval=1ms,cstack=vm,threads"),
        ("wall=5ms", "interval=1ms,cstack=vm,wall=5ms"),
    ],
)
def test_what_is_not_asked_for_has_a_default(library, asked, options):
    assert f"=start,{options},collapsed,file=async.collapsed,log=async.log" in async_profiler.agent(asked, "")


def test_a_loop_writes_a_file_each_time_and_all_are_found(library, tmp_path):
    assert "file=async.%n.collapsed" in async_profiler.agent("cpu,loop=1s", "")
    for number in (1, 0):
        (tmp_path / f"async.{number}.collapsed").touch()
    found = [path.name for path in logs.paths("async", 17, tmp_path) if path.exists()]
    assert found == ["async.0.collapsed", "async.1.collapsed"]


@pytest.mark.each("asked", ["file=x", "ctimer,,threads", "ctimer,jfr", "stop"])
def test_what_the_lab_sets_itself_cannot_be_asked_for(library, asked):
    with pytest.raises(FlagRejected, match="async=ctimer"):
        async_profiler.agent(asked, "")


def test_a_folder_with_a_comma_is_refused(library):
    with pytest.raises(StorageFailed, match="comma"):
        async_profiler.agent("", "/a,b")


@pytest.mark.each(
    "log, empty, complaint",
    [
        ("[ERROR] Unsupported event type", True, "Unsupported event type"),
        ("[WARN] Unknown argument: foo\nProfiling started", False, "Unknown argument: foo"),
        ("[WARN] perf_event_open failed", True, "perf_event_open failed"),
        ("[WARN] Kernel symbols are unavailable", False, ""),
        ("Profiling started\n[INFO] No samples were collected", True, ""),
    ],
)
def test_what_the_profiler_could_not_do_is_told(tmp_path, log, empty, complaint):
    (tmp_path / "async.log").write_text(log)
    assert async_profiler.complaint(tmp_path, empty) == complaint
    assert async_profiler.complaint(tmp_path / "nowhere", empty) == ""


@pytest.fixture(scope="module")
def busy(tmp_path_factory):
    source = tmp_path_factory.mktemp("busy") / "Busy.java"
    source.write_text(BUSY)
    return str(source)


@pytest.mark.live
@pytest.mark.parametrize("major", sorted({jdk.major for jdk in jdks.find()}))
def test_a_profiled_run_has_stacks_and_keeps_its_output_to_itself(busy, major):
    run = launch.java(busy, major, log="async=ctimer,interval=1ms")
    assert run.output.startswith("sum=") and collapsed.share(run.stacks, r"Busy\.main") > 0.5
    assert "$HOME/" in run.command or "-agentpath:/" in run.command


@pytest.mark.live
def test_a_killed_run_keeps_what_its_loop_has_written(busy, tmp_path):
    endless = tmp_path / "Endless.java"
    endless.write_text("public class Endless { public static void main(String[] a) { while (true) Math.random(); } }")
    run = launch.java(str(endless), max(jdk.major for jdk in jdks.find()), log="async=ctimer,loop=1s", deadline=4)
    assert run.overdue and collapsed.share(run.stacks, r"Endless\.main") > 0.5


@pytest.mark.live
def test_an_event_that_does_not_exist_is_no_empty_profile(busy):
    run = launch.java(busy, max(jdk.major for jdk in jdks.find()), log="async=nonsense")
    with pytest.raises(RunFailed, match="Unsupported event type"):
        _ = run.stacks


def test_a_run_without_a_profiler_says_how_to_get_one(busy):
    with pytest.raises(LabError, match='log="gc async"'):
        _ = launch.java(busy, 17, log="gc", reuse=True).stacks
