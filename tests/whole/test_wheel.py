"""The package without a checkout: a wheel with the Java programs in it, the tools with few packages, the course on top.

Where the machine has no package index, or no uv, the tests of the installed package are skipped.
"""

import email
import json
import os
import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile
from dataclasses import dataclass
from email.message import Message
from pathlib import Path

import pytest

from safepointlab import jdks
from safepointlab.cli import kernels
from safepointlab.process import extras
from safepointlab.process.home import PROJECT

pytestmark = pytest.mark.timeout(240)
UV = shutil.which("uv") or str(PROJECT / ".venv" / "bin" / "uv")
LOG = PROJECT / "tests" / "data" / "safepoint" / "jdk17-info.log"
TOOLS = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]["dependencies"]


def uv(*words: object, **settings: str) -> subprocess.CompletedProcess[str]:
    """uv, with the package index that this machine's pip is set to."""
    sys.path.insert(0, str(PROJECT / "scripts"))
    try:
        import bootstrap
    finally:
        sys.path.pop(0)
    env = {**bootstrap.environment(), **settings}
    command = [UV, *map(str, words)]
    return subprocess.run(command, cwd=PROJECT, env=env, capture_output=True, text=True, timeout=200, check=False)


def built(folder: Path, **settings: str) -> Path:
    """The wheel as `make wheel` builds it: by the locked tools, with no network."""
    if not Path(UV).is_file():
        pytest.skip("no uv, which builds the wheel; `make setup` installs it from the lock")
    done = uv("build", "--wheel", "--no-build-isolation", "--python", sys.executable, "-o", folder, **settings)
    assert done.returncode == 0, done.stderr
    return next(folder.glob("*.whl"))


def metadata_of(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as files:
        return email.message_from_bytes(files.read(next(name for name in files.namelist() if "/METADATA" in name)))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def metadata(wheel: Path) -> Message:
    return metadata_of(wheel)


def test_the_wheel_has_every_java_program_of_the_checkout(wheel):
    with zipfile.ZipFile(wheel) as files:
        packed = {name for name in files.namelist() if name.endswith(".java")}
    own = {f"safepointlab/java-samples/{path.relative_to(PROJECT / 'java-samples')}" for path in java_files()}
    assert packed >= own and len(own) > 50


def test_the_wheel_has_the_classes_that_a_java_kernel_evaluates(wheel):
    with zipfile.ZipFile(wheel) as files:
        packed = set(files.namelist())
    assert {f"safepointlab/widgets/startup/{file.name}" for file in kernels.CLASSES} <= packed


def java_files() -> list[Path]:
    return [
        path for part in ("programs", "benchmarks/src") for path in (PROJECT / "java-samples" / part).rglob("*.java")
    ]


def test_the_wheel_has_no_notebook_no_recording_and_no_class_file(wheel):
    with zipfile.ZipFile(wheel) as files:
        endings = {Path(name).suffix for name in files.namelist()}
    assert not endings & {".ipynb", ".xz", ".class", ".jar"}


def test_the_wheel_brings_the_page_of_man(wheel):
    with zipfile.ZipFile(wheel) as files:
        [page] = [name for name in files.namelist() if name.endswith("/share/man/man1/safepoint.1")]
        assert files.read(page) == (PROJECT / "docs" / "safepoint.1").read_bytes()


def test_the_command_has_the_packages_name_too_so_that_uvx_finds_it(wheel):
    with zipfile.ZipFile(wheel) as files:
        scripts = files.read(next(name for name in files.namelist() if name.endswith("entry_points.txt"))).decode()
    assert {line.split(" = ")[0] for line in scripts.splitlines() if " = " in line} == {"safepoint", "safepointlab"}


def test_the_tools_do_without_jupyter_and_the_extra_brings_it(metadata):
    entries = metadata.get_all("Requires-Dist") or []
    course = {entry for entry in entries if "extra == 'lab'" in entry}
    assert len(entries) - len(course) == len(TOOLS)
    assert any(entry.startswith("jupyterlab") for entry in course) and metadata["Provides-Extra"] == "lab"


def test_the_readme_of_a_release_leads_to_its_repository(tmp_path):
    released = metadata_of(built(tmp_path, SAFEPOINTLAB_REPOSITORY="someone/safepoint-lab"))
    place = "https://github.com/someone/safepoint-lab"
    assert f"Issues, {place}/issues" in (released.get_all("Project-URL") or [])
    readme = str(released.get_payload())
    assert f"]({place}/raw/main/docs/hang.png)" in readme and "](docs/" not in readme


@dataclass(frozen=True)
class Installed:
    """The wheel with the tools' packages in an environment of its own, used from an empty folder."""

    bin: Path
    folder: Path

    def __call__(self, *words: str) -> subprocess.CompletedProcess[str]:
        env = {**os.environ, "SAFEPOINTLAB_RUNS": str(self.folder / "runs"), "PYTHONPATH": ""}
        command = [str(self.bin / words[0]), *words[1:]]
        return subprocess.run(
            command, cwd=self.folder, env=env, capture_output=True, text=True, timeout=120, check=False
        )


@pytest.fixture(scope="module")
def tools(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    place = tmp_path_factory.mktemp("tools")
    venv.create(place / "venv", symlinks=True)
    python = place / "venv" / "bin" / "python"
    install = ("pip", "install", "--python", python, "-c", "requirements.lock")
    try:
        fetched = uv(*install, *TOOLS)
    except subprocess.TimeoutExpired:
        pytest.skip("the package index is too slow here")
    if fetched.returncode:
        pytest.skip(f"no package index answers here: {' '.join(fetched.stderr.split())[-200:]}")
    added = uv(*install, "--offline", "--no-deps", wheel)
    assert added.returncode == 0, added.stderr
    return Installed(python.parent, place)


@pytest.mark.newcomer
def test_the_tools_need_no_package_of_the_course(tools):
    listed = uv("pip", "list", "--format", "json", "--python", tools.bin / "python")
    names = {entry["name"].replace("-", "_") for entry in json.loads(listed.stdout)}
    assert "safepointlab" in names and not names & {module.lower() for module in extras.MODULES}
    assert uv("pip", "check", "--python", tools.bin / "python").returncode == 0


@pytest.mark.newcomer
@pytest.mark.live
def test_a_sample_runs_outside_of_a_checkout(tools):
    newest = str(max(jdk.major for jdk in jdks.find()))
    ran = tools("safepoint", "run", "hang/KillerTask", "--jdk", newest, "--deadline", "3")
    assert ran.returncode in (0, 1), ran.stderr
    assert "<Run KillerTask" in ran.stdout and "Recorded as KillerTask-" in ran.stdout


@pytest.mark.newcomer
@pytest.mark.live
def test_a_command_line_is_attended_under_the_packages_own_name(tools):
    java = str(max(jdks.find(), key=lambda jdk: jdk.major).java)
    ran = tools("safepointlab", "late", "--", java, "-version")
    assert ran.returncode == 0 and "exit status 0" in ran.stderr and "Witnesses" in ran.stderr, ran.stderr


@pytest.mark.newcomer
def test_a_log_becomes_a_table_outside_of_a_checkout(tools):
    parsed = tools("safepoint", "parse", "safepoint", str(LOG))
    assert parsed.returncode == 0 and parsed.stdout.count("\n") > 2, parsed.stderr


@pytest.mark.newcomer
def test_a_log_becomes_a_page_with_pictures_outside_of_a_checkout(tools):
    made = tools("safepoint", "report", str(LOG), "-o", "report.html")
    assert made.returncode == 0, made.stderr
    assert any(mark in (tools.folder / "report.html").read_text() for mark in ("<img", "<svg"))


@pytest.mark.newcomer
def test_the_claims_are_listed_outside_of_a_checkout(tools):
    listed = tools("safepoint", "claims", "--list", "hang")
    assert listed.returncode == 0 and "000-12" in listed.stdout, listed.stderr


@pytest.mark.newcomer
@pytest.mark.parametrize("word", ["kernels", "workbench"])
def test_a_command_of_the_course_says_what_to_install(tools, word):
    refused = tools("safepoint", word)
    assert refused.returncode == 2 and "pip install 'safepointlab[lab]'" in refused.stderr


@pytest.mark.newcomer
@pytest.mark.parametrize("word", ["notebooks", "site", "slides", "workshop"])
def test_a_command_on_the_notebooks_says_that_it_needs_a_checkout(tools, word):
    refused = tools("safepoint", word)
    assert refused.returncode == 2 and "Get a checkout" in refused.stderr and "Traceback" not in refused.stderr
