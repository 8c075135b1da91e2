"""Logs: each kind has its flags on each JDK, lands where it is looked for, and leaves the program's output alone."""

from pathlib import Path

import pytest

from safepointlab import jdks, logs
from safepointlab.errors import FlagRejected, StorageFailed
from safepointlab.jdks import Jdk, flags
from safepointlab.logs import compilation, safepoint
from safepointlab.process import shell
from safepointlab.process.shell import Plan
from safepointlab.run import build, profile

STOPS = """
public class Stops {
    public static void main(String[] args) throws Exception {
        System.out.print("no newline yet ");
        int sum = 0;
        for (int i = 0; i < 20_000; i++) sum += spin(50);
        for (int i = 0; i < 3; i++) System.gc();
        Thread.getAllStackTraces();
        System.out.println("but now " + System.nanoTime());
    }
    static int spin(int n) { int s = 0; for (int i = 0; i < n; i++) s += i ^ (s << 1); return s; }
}
"""


def of(major: int) -> Jdk:
    return Jdk(Path("/jdk"), major, str(major), "Test", "lab")


@pytest.mark.each(
    ("kinds", "major", "flag"),
    [
        ("safepoint", 8, "-XX:+PrintSafepointStatistics"),
        ("safepoint", 8, "-XX:LogFile=vm.log"),
        *(("safepoint", major, "-XX:+SafepointTimeout") for major in (8, 11, 17, 25)),  # the JVM names late threads
        ("straggler=200", 8, "-XX:SafepointTimeoutDelay=200"),
        ("assembly=java.lang.String.hashCode", 8, "-XX:CompileCommand=print,java.lang.String::hashCode"),
        ("assembly=java/lang/String.hashCode", 8, "-XX:CompileCommand=print,java.lang.String::hashCode"),
        ("assembly=java.lang.String::hashCode", 8, "-XX:CompileCommand=print,java.lang.String::hashCode"),
        ("assembly=Odd.count,Odd.main", 25, "-XX:CompileCommand=print,Odd::count"),
        ("assembly=Odd.count,Odd.main", 25, "-XX:CompileCommand=print,Odd::main"),
        ("inlining=Odd.count", 17, "-XX:CompileCommand=option,Odd::count,PrintInlining"),
    ],
)
def test_a_log_is_switched_on_by_the_flags_of_its_jdk(kinds, major, flag):
    assert flag in logs.flags_for(kinds, of(major))


def test_a_unified_log_has_a_file_of_its_own_with_the_programs_own_clock_on_every_line():
    assert logs.flags_for("", of(8)) == logs.flags_for([], of(25)) == []
    for major in (11, 17, 21, 25, 28):
        [line] = [flag for flag in logs.flags_for("safepoint", of(major)) if "safepoint" in flag]
        assert line.startswith("-Xlog:safepoint*=info,handshake*=info:file=safepoint.log:")
        assert line.endswith(":uptime,timenanos,uptimenanos,level,tags:filecount=0")
    quoted = logs.flags_for("gc", of(17), "/runs/a b:c")[-1]
    assert quoted.startswith('-Xlog:gc*=info:file="/runs/a b:c/gc.log":uptime')
    for kind in ("safepoint", "compilation", "gc", "straggler"):  # warnings go to stderr, where stdout would get them
        assert logs.flags_for(kind, of(11))[:2] == ["-Xlog:all=off:stdout", "-Xlog:all=warning:stderr"]


def test_kinds_that_share_vm_log_open_it_once_and_unlock_before():
    options = logs.flags_for("compilation inlining assembly=Odd.count safepoint", of(8))
    assert options.count("-XX:LogFile=vm.log") == options.count("-XX:+PrintCompilation") == 1
    assert options.index("-XX:+UnlockDiagnosticVMOptions") < options.index("-XX:+LogVMOutput")


@pytest.mark.each(
    ("kind", "advice"),
    [
        ("safepoints", "Did you mean 'safepoint'"),
        ("assembly", "assembly=Class.method"),
        ("assembly=count", "not Class.method"),
        ("safepoint=loud", "no level 'loud'"),
        ("straggler=soon", "must be a number of milliseconds"),
    ],
)
def test_a_log_that_makes_no_sense_is_refused_with_advice(kind, advice):
    with pytest.raises(FlagRejected, match=advice):
        logs.flags_for(kind, of(17))


@pytest.mark.each("folder", ["/runs/100%p", '/runs/"quoted"'])
def test_a_folder_that_the_jvm_cannot_name_is_refused(folder):
    with pytest.raises(StorageFailed, match="Use another one"):
        logs.flags_for("gc", of(17), folder)


def test_a_log_is_looked_for_where_its_jdk_writes_it():
    assert logs.paths("safepoint", 8, "run") == [Path("run/vm.log"), Path("run/gc.log")]
    assert logs.paths("safepoint", 25) == [Path("safepoint.log")]
    assert logs.paths("assembly=Odd.count", 17) == [Path("vm.log")]


def test_a_disassembler_outside_the_jdk_is_put_on_the_library_path(tmp_path, monkeypatch):
    (tmp_path / "hsdis-amd64.so").touch()
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path))
    environment = logs.environment_for(["assembly"], of(8))
    assert environment["LD_LIBRARY_PATH"].split(":")[0] == str(tmp_path)
    assert logs.environment_for(["compilation"], of(8)) == {}


def test_what_the_vm_said_is_read_without_the_xml_around_it(tmp_path):
    vm_log = "<?xml?>\n<tty>\n<writer thread='1'/>\nError: &apos;x&apos; &lt; 1\n<tty_done stamp='0.0'/>\n</tty>\n"
    (tmp_path / "vm.log").write_text(vm_log)
    assert logs.vm_text(tmp_path) == "Error: 'x' < 1"
    assert logs.vm_text(tmp_path / "nowhere") == ""


def run(jdk: Jdk, folder: Path, kinds: str, folder_in_flags: str | Path = ""):
    source = folder.parent / "Stops.java"
    source.write_text(STOPS)
    program = build.javac(str(source), jdk)
    folder.mkdir()
    options = flags.check([*logs.flags_for(kinds, jdk, folder_in_flags), "-XX:+UseSerialGC"], jdk)
    return shell.execute(
        Plan([str(jdk.java), *options, "-cp", str(program.classes), "Stops"], folder=folder), deadline=30
    )


def files(kind: str, jdk: Jdk, folder: Path) -> list[Path]:
    return [path for path in logs.paths(kind, jdk.major, folder) if path.exists()]


@pytest.fixture(params=profile.versions())
def jdk(request) -> Jdk:
    return jdks.get(request.param)


@pytest.mark.gate
@pytest.mark.live
def test_all_logs_land_in_their_files_and_stdout_is_the_programs_own(jdk, tmp_path):
    done = run(jdk, tmp_path / "run", "safepoint compilation inlining gc assembly=Stops.spin")
    assert done.text().startswith("no newline yet but now ") and done.text().count("\n") == 1
    stops = safepoint.read(files("safepoint", jdk, done.folder))
    assert (stops["operation"].str.contains("Collect|GC", na=False)).sum() == 3 and stops.attrs["damaged"] == 0
    compiled = compilation.read(files("compilation", jdk, done.folder))
    assert "Stops::spin" in set(compiled["method"])
    assert "Compiled method" in files("assembly", jdk, done.folder)[0].read_text("utf-8", "replace")
    assert files("gc", jdk, done.folder)[0].read_text().count("System.gc()") >= 3


@pytest.mark.gate
@pytest.mark.live
def test_a_folder_with_blanks_and_colons_holds_the_logs_of_every_jdk(jdk, tmp_path):
    strange = tmp_path / "a b:c, d"
    run(jdk, strange, "safepoint compilation gc", strange)
    kinds = ("safepoint", "compilation", "gc")
    assert all(file.stat().st_size > 0 for kind in kinds for file in files(kind, jdk, strange)[:1])


@pytest.mark.gate
@pytest.mark.live
@pytest.mark.parametrize("jdk", [major for major in profile.versions() if major > 8], indirect=True)
def test_log_lines_and_the_program_share_one_clock(jdk, tmp_path):
    done = run(jdk, tmp_path / "run", "safepoint")
    end = int(done.text().split()[-1])
    stops = safepoint.read(files("safepoint", jdk, done.folder))
    before = stops[stops["operation"] == "ThreadDump"]["nanotime_ns"].max()
    assert 0 < end - before < 2e9


@pytest.mark.gate
@pytest.mark.live
def test_why_the_vm_refused_to_start_is_found_although_stdout_was_diverted(jdk, tmp_path):
    options = logs.flags_for("compilation", jdk)
    command = [str(jdk.java), *options, "-Xmx16m", "-Xms64m", "-version"]
    done = shell.execute(Plan(command, folder=tmp_path), deadline=20)
    assert done.exit_code == 1
    assert "larger value than the maximum heap size" in (flags.explain(logs.vm_text(tmp_path)) or "")
