"""Machines that a reader may have and we don't: a run there holds, or an error says what the machine lacks."""

import math
import os
import resource
import subprocess
import sys

import pytest

from safepointlab import jdks
from safepointlab.cli import doctor
from safepointlab.errors import JdkNotFound, StorageFailed
from safepointlab.jdks import finder
from safepointlab.process import cgroups, home, machine, orphan_guard, quiet, shell
from safepointlab.process.shell import Plan
from safepointlab.run import build

MIB = 2**20
RUN = [sys.executable, "-m", "safepointlab", "run", "hang/KillerTask", "--args", "1 1 1", "--deadline", "60"]


def typed(words=RUN, limit=None, **env):
    """What a command prints on this machine, made odd by the environment or by a limit of its address space."""
    command = [*words, "--jdk", str(jdks.find()[-1].major)] if "run" in words else words
    confine = limit and (lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
    whole = {**os.environ, **{name: str(value) for name, value in env.items()}}
    return subprocess.run(command, env=whole, capture_output=True, timeout=120, check=False, preexec_fn=confine)


def said(done):
    return (done.stdout + done.stderr).decode("utf-8", "replace")


@pytest.fixture
def cache(tmp_path):
    """A cache of that name, which borrows this machine's JDKs and has nothing compiled."""

    def made(name):
        folder = tmp_path / name
        folder.mkdir()
        if home.jdk_store().is_dir():
            (folder / "jdks").symlink_to(home.jdk_store())
        return {"SAFEPOINTLAB_CACHE": folder, "SAFEPOINTLAB_RUNS": folder / "runs"}

    return made


@pytest.fixture
def without_jdk(tmp_path, monkeypatch):
    """A machine on which no JDK can be found."""
    for name in ("JAVA_HOME", "CONDA_PREFIX", "SDKMAN_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(finder, "SYSTEM_FOLDERS", (str(tmp_path / "opt"),))
    for name in ("HOME", "PATH", "SAFEPOINTLAB_CACHE"):
        monkeypatch.setenv(name, str(tmp_path / name))
    return tmp_path


@pytest.mark.live
def test_a_run_on_one_core_ends_like_any_other():
    one = str(min(os.sched_getaffinity(0)))
    words = [*RUN, "--jdk", str(jdks.find()[-1].major)]
    code = f"import os, sys; os.sched_setaffinity(0, [{one}]); os.execv(sys.executable, {words!r})"
    done = typed([sys.executable, "-c", code])
    assert done.returncode == 0 and "main returns" in said(done), said(done)


def test_the_doctor_says_what_one_core_costs_and_that_a_gibibyte_is_too_little(monkeypatch):
    monkeypatch.setattr(machine, "cores", lambda: 1)
    monkeypatch.setattr(machine, "memory_gib", lambda: 1.0)
    found = {check.name: check for check in doctor.machine()}
    cores, memory = found["cores"], found["memory"]
    assert not cores.ok and not cores.needed and "Serial" in cores.found
    assert not memory.ok and "1.0 GiB" in memory.found and "at least" in memory.cure


def test_64_cores_are_counted_and_a_run_may_have_any_number_of_them_or_fewer_if_the_kernel_shows_fewer(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(64)))
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    monkeypatch.setattr(cgroups, "PROC", home.PACKAGE / "no such folder")
    assert (machine.usable_cores(), len(machine.first_cores(64)), machine.share().all_cores) == (64, 64, 64)
    assert "64 cores" in str(machine.share())
    finished = shell.execute(Plan(["true"]), deadline=30, key="64-cores")
    assert (finished.outcome, finished.exit_code) == ("exited", 0)


@pytest.mark.live
def test_a_limited_address_space_is_named_where_a_jvm_does_not_start():
    done = typed(limit=1000 * MIB, OPENBLAS_NUM_THREADS=1)
    assert done.returncode == 2 and "limits its address space to 1000 MiB" in said(done), said(done)


def test_without_pressure_a_run_is_recorded_and_says_nothing_of_waiting_threads(monkeypatch, tmp_path):
    monkeypatch.setattr(quiet, "PRESSURE", tmp_path / "none")
    finished = shell.execute(Plan(["true"]), deadline=30, key="no-pressure")
    assert finished.outcome == "exited" and math.isnan(finished.quiet.get("waited_ms", math.nan))
    assert quiet.so_far() is None or "waited" not in quiet.so_far().numbers


def test_without_setpriv_other_programs_children_have_no_leash(monkeypatch):
    monkeypatch.setattr(orphan_guard.shutil, "which", lambda name: None if name == "setpriv" else f"/bin/{name}")
    assert orphan_guard.words() == []
    [tool] = [check for check in doctor.tools() if check.name == "setpriv"]
    assert not tool.ok and "outlive" in tool.found


def test_without_a_jdk_the_error_says_how_to_get_one(without_jdk):
    with pytest.raises(JdkNotFound, match=r"found: none at all.*safepoint jdks install 17"):
        jdks.get(17)
    with pytest.raises(JdkNotFound, match="safepoint jdks install 17"):
        build.javac("hang/KillerTask")


def test_with_a_jre_alone_the_compiler_is_what_is_missing(without_jdk):
    java = without_jdk / "opt" / "jre" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text("#!/bin/sh\n")
    java.chmod(0o755)
    (java.parents[1] / "release").write_text('IMPLEMENTOR="Debian"\nJAVA_VERSION="17.0.15"\n')
    with pytest.raises(JdkNotFound, match="no JDK with a javac"):
        build.javac("hang/KillerTask", 17)


@pytest.mark.live
def test_a_cache_with_blanks_and_umlauts_in_its_name_holds_runs(cache):
    done = typed([*RUN, "--log", "safepoint"], **cache("ein Ordner, für Ümläute"))
    assert done.returncode == 0 and "main returns" in said(done), said(done)


def test_a_class_path_takes_no_colon(tmp_path):
    assert build.class_path([tmp_path / "a", tmp_path / "b"]) == f"{tmp_path}/a:{tmp_path}/b"
    with pytest.raises(StorageFailed, match="SAFEPOINTLAB_CACHE"):
        build.class_path([tmp_path / "a:b"])


@pytest.mark.live
@pytest.mark.parametrize(("language", "zone"), [("tr", "Asia/Kathmandu"), ("ar", "America/St_Johns")])
def test_logs_are_read_whole_in_any_locale_and_time_zone(language, zone):
    run = f"lab.java('hang/KillerTask', {jdks.find()[-1].major}, args='100 9 20000', log='compilation safepoint gc')"
    code = f"import safepointlab as lab; run = {run}; log = run.compilations; print(len(log) > 9, log.attrs['damaged'])"
    java = f"-Duser.language={language} -Duser.country={language.upper()}"
    done = typed([sys.executable, "-c", code], LC_ALL=f"{language}.UTF-8", TZ=zone, JAVA_TOOL_OPTIONS=java)
    assert done.stdout == b"True 0\n", said(done)


@pytest.mark.live
def test_a_terminal_of_ascii_gets_what_it_can_show():
    done = typed(PYTHONIOENCODING="ascii")
    assert done.returncode == 0 and rb"\xb7" in done.stdout and done.stdout.isascii(), said(done)


@pytest.mark.live
def test_a_home_that_cannot_be_written_names_the_variable_that_helps(tmp_path):
    (tmp_path / "home").write_text("no folder")
    environment = {"HOME": tmp_path / "home", "XDG_CACHE_HOME": "", "SAFEPOINTLAB_CACHE": "", "SAFEPOINTLAB_RUNS": ""}
    done = typed(**environment, JAVA_HOME=jdks.find()[-1].home)
    assert done.returncode == 2 and "point SAFEPOINTLAB_CACHE at a folder" in said(done), said(done)
