"""The Java kernels run in the JVM that the lab chose, with its flags, and die with the server that started them."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from safepointlab import jdks
from safepointlab.cli import doctor, kernels
from safepointlab.cli.kernels import JavaKernel
from safepointlab.errors import JdkNotFound
from safepointlab.jdks import Jdk, jars
from safepointlab.process import home

KERNEL_OWNER = """
import sys, time
from jupyter_client.manager import start_new_kernel
manager, client = start_new_kernel(kernel_name="java-serial")
print(manager.provisioner.pid, flush=True)
time.sleep(60)
"""


def jdk(major: int) -> Jdk:
    return Jdk(Path(f"/jvm/{major}"), major, f"{major}.0.1", "any", "system")


@pytest.fixture
def on_this_machine(monkeypatch):
    """Pretend that these JDKs are all there is; JShell is missing from those named so."""

    def pretend(*majors: int, without_jshell: tuple[int, ...] = ()) -> None:
        monkeypatch.setattr(jdks, "find", lambda: [jdk(major) for major in majors])
        monkeypatch.setattr(kernels, "has_jshell", lambda jdk: jdk.major not in without_jshell)

    return pretend


def test_java_cells_run_on_the_newest_jdk_up_to_25_that_has_jshell(on_this_machine):
    on_this_machine(8, 17, 21, 25, 28)
    assert kernels.host().major == 25
    on_this_machine(17, 21, without_jshell=(21,))
    assert kernels.host().major == 17


def test_without_a_fitting_jdk_the_error_names_those_that_were_looked_at(on_this_machine):
    on_this_machine(8, 11, 17, without_jshell=(17,))
    with pytest.raises(JdkNotFound, match=r"jdk.jshell.*Looked at: JDK 17.0.1.*safepoint jdks install 25"):
        kernels.host()


@pytest.mark.each("name", kernels.JAVA_KERNELS)
def test_a_kernel_starts_the_jar_with_its_flags_and_gives_its_cells_jol_and_the_labs_classes(name):
    kernel = kernels.JAVA_KERNELS[name]
    spec = kernels.java_spec(jdk(17), kernel)
    flags = "".join(f"{flag} " for flag in kernel.flags)
    command = " ".join(spec["argv"])
    assert f"/jvm/17/bin/java --add-opens jdk.jshell/jdk.jshell=ALL-UNNAMED {flags}-jar " in command
    assert command.endswith("jjava.jar {connection_file}") and spec["interrupt_mode"] == "message"
    assert spec["env"]["JJAVA_CLASSPATH"].endswith("jol-core-0.17.jar") and kernels.JOL in jars.LIBRARIES
    files = [Path(file) for file in spec["env"]["JJAVA_STARTUP_SCRIPTS_PATH"].split(os.pathsep)]
    assert [file.name for file in files] == ["Lab.jshell", "SecondJvm.jshell"]
    assert all(file.is_file() and file.is_relative_to(home.PACKAGE) for file in files)
    assert (Path(spec["env"]["SAFEPOINTLAB_SAMPLES"]) / "hang" / "KillerTask.java").is_file()


def test_installing_writes_one_folder_a_kernel(on_this_machine, tmp_path):
    on_this_machine(17)
    names = kernels.install(tmp_path)
    saved = {path.parent.name: json.loads(path.read_text()) for path in tmp_path.glob("share/jupyter/kernels/*/*.json")}
    assert sorted(saved) == sorted(names) == ["java", "java-biased", "java-serial", "python3"]
    assert saved["python3"]["argv"][0] == sys.executable


def test_biased_locks_need_a_jdk_before_18_and_the_other_kernels_do_not_wait_for_it(on_this_machine, tmp_path):
    on_this_machine(25)
    with pytest.raises(JdkNotFound, match=r"java-biased: no JDK from 11 to 17.*safepoint jdks install 17"):
        kernels.install(tmp_path)
    written = {path.parent.name for path in tmp_path.glob("share/jupyter/kernels/*/kernel.json")}
    assert written == {"java", "java-serial", "python3"}


def test_a_kernel_that_an_older_lab_installed_gets_the_classes_by_the_next_set_up(on_this_machine, tmp_path):
    on_this_machine(17)
    older = tmp_path / "share" / "jupyter" / "kernels" / "java-serial" / "kernel.json"
    older.parent.mkdir(parents=True)
    older.write_text(json.dumps({"argv": [sys.executable], "language": "java", "env": {"JJAVA_CLASSPATH": "jol.jar"}}))
    assert doctor.kernel_state(older) == (False, "installed by another version of the lab")
    kernels.install(tmp_path)
    assert json.loads(older.read_text())["env"][kernels.SCRIPTS] == kernels.scripts()


CELLS = """
import sys
from jupyter_client.manager import start_new_kernel
manager, client = start_new_kernel(kernel_name=sys.argv[1])
for cell in sys.argv[2:]:
    client.execute_interactive(cell, output_hook=lambda message: print(message["content"]), timeout=60)
manager.shutdown_kernel(now=True)
"""


def said(folder: Path, kernel: str, *cells: str) -> str:
    """What the cells show in a fresh kernel whose spec is below this folder."""
    environment = {**os.environ, "JUPYTER_PATH": str(folder / "share" / "jupyter")}
    words = [sys.executable, "-c", CELLS, kernel, *cells]
    return subprocess.run(words, env=environment, capture_output=True, text=True, timeout=120).stdout


@pytest.mark.gate
@pytest.mark.live
@pytest.mark.parametrize("majors", [range(11, 12), range(17, 26)], ids=["oldest", "newest"])
def test_the_first_cell_of_a_java_kernel_knows_the_labs_classes(majors, tmp_path, monkeypatch):
    monkeypatch.setattr(kernels, "JAVA_KERNELS", {"java": JavaKernel("Java", ("-XX:+UseSerialGC",), majors)})
    kernels.install(tmp_path)
    shown = said(tmp_path, "java", 'Lab.flag("UseSerialGC")', 'Lab.check("", "")', 'SecondJvm.check("")')
    assert re.findall(r"'text/plain': '([^']+)'", shown) == ["true", *["[ ] No answer yet."] * 2], shown


@pytest.mark.live
def test_a_thread_in_a_counted_loop_is_waited_for_and_one_that_polls_is_not(tmp_path):
    kernels.install(tmp_path)
    loops = "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) k += j & 1;"
    count = f"static int odd(int n) {{ int k = 0; {loops} return k; }}"
    warm = "for (int i = 0; i < 100_000; i++) odd(10);"
    longer = (
        "Lab.timeToSafepoint(() -> odd(60_000)) > 10 * Lab.timeToSafepoint(() -> { while (!Thread.interrupted()) { } })"
    )
    assert "'text/plain': 'true'" in (shown := said(tmp_path, "java-serial", count, warm, longer)), shown


@pytest.mark.live
def test_a_kernel_without_the_classes_answers_and_its_cell_says_what_it_does_not_know(tmp_path, monkeypatch):
    monkeypatch.setattr(kernels, "CLASSES", (tmp_path / "gone" / "Lab.jshell",))
    kernels.install(tmp_path)
    shown = said(tmp_path, "java", "1 + 1", "Lab.stamp()")
    assert "'text/plain': '2'" in shown and re.search(r"cannot find symbol.*variable Lab", shown, re.DOTALL), shown


@pytest.mark.live
def test_a_java_kernel_does_not_outlive_a_killed_server(tmp_path, eventually):
    kernels.install(tmp_path)
    environment = {**os.environ, "JUPYTER_PATH": str(tmp_path / "share" / "jupyter")}
    with subprocess.Popen([sys.executable, "-c", KERNEL_OWNER], env=environment, stdout=subprocess.PIPE) as owner:
        assert owner.stdout
        java = Path("/proc") / owner.stdout.readline().decode().strip()
        assert "jjava.jar" in (java / "cmdline").read_text()
        owner.send_signal(signal.SIGKILL)
    assert eventually(lambda: not java.exists(), 10)


def test_a_spec_that_other_environments_share_by_a_link_is_left_to_them(tmp_path, monkeypatch):
    monkeypatch.setattr(kernels, "JAVA_KERNELS", {})
    ours = tmp_path / "env" / "share" / "jupyter" / "kernels" / "python3" / "kernel.json"
    ours.parent.mkdir(parents=True)
    theirs = tmp_path / "cache.json"
    theirs.write_text("{}")
    os.link(theirs, ours)
    kernels.install(tmp_path / "env")
    assert theirs.read_text() == "{}" and json.loads(ours.read_text())["argv"][0] == sys.executable
