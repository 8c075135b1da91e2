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

import bootstrap
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
def packed(wheel: Path) -> dict[str, bytes]:
    """What the wheel holds."""
    with zipfile.ZipFile(wheel) as files:
        return {name: files.read(name) for name in files.namelist()}


def test_the_wheel_has_every_java_program_and_the_classes_of_the_java_kernel_and_no_notebook_or_recording(packed):
    samples = PROJECT / "java-samples"
    java = [path for part in ("programs", "benchmarks/src") for path in (samples / part).rglob("*.java")]
    own = {f"safepointlab/java-samples/{path.relative_to(samples)}" for path in java}
    own |= {f"safepointlab/widgets/startup/{file.name}" for file in kernels.CLASSES}
    assert own <= set(packed) and len(own) > 50
    assert not {Path(name).suffix for name in packed} & {".ipynb", ".xz", ".class", ".jar"}


def test_the_wheel_brings_the_page_of_man_and_the_command_by_both_names(packed):
    [page] = [text for name, text in packed.items() if name.endswith("/share/man/man1/safepoint.1")]
    assert page == (PROJECT / "docs" / "safepoint.1").read_bytes()
    [scripts] = [text.decode() for name, text in packed.items() if name.endswith("entry_points.txt")]
    commands = {line.split(" = ")[0] for line in scripts.splitlines() if " = " in line}
    assert commands == {"safepoint", "safepointlab"}  # uvx looks for the package's own name


def test_the_tools_do_without_jupyter_and_the_extra_brings_it(wheel):
    metadata = metadata_of(wheel)
    entries = metadata.get_all("Requires-Dist") or []
    course = {entry for entry in entries if "extra == 'lab'" in entry}
    assert len(entries) - len(course) == len(TOOLS)
    assert any(entry.startswith("jupyterlab") for entry in course) and metadata["Provides-Extra"] == "lab"


def test_the_readme_of_a_release_leads_to_its_repository(tmp_path):
    released = metadata_of(built(tmp_path, SAFEPOINTLAB_REPOSITORY="someone/safepoint-lab"))
    place = "https://github.com/someone/safepoint-lab"
    assert f"Issues, {place}/issues" in (released.get_all("Project-URL") or [])
    readme = str(released.get_payload())
    assert f"]({place}/raw/main/docs/page.png)" in readme and "](docs/" not in readme


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
    hello = tools.folder / "Hello.java"
    hello.write_text("class Hello { public static void main(String[] words) { System.gc(); } }")
    ran = tools("safepointlab", "late", "--", java, hello.name)
    assert ran.returncode == 0 and "exit status 0" in ran.stderr and "Witnesses" in ran.stderr, ran.stderr


@pytest.mark.newcomer
def test_logs_and_claims_can_be_looked_at_outside_of_a_checkout(tools):
    parsed = tools("safepoint", "parse", "safepoint", str(LOG))
    assert parsed.returncode == 0 and parsed.stdout.count("\n") > 2, parsed.stderr
    made = tools("safepoint", "report", str(LOG), "-o", "report.html")
    assert made.returncode == 0, made.stderr
    assert any(mark in (tools.folder / "report.html").read_text() for mark in ("<img", "<svg"))
    listed = tools("safepoint", "claims", "--list", "hang")
    assert listed.returncode == 0 and "000-12" in listed.stdout, listed.stderr


NO_COURSE, NO_CHECKOUT = "pip install 'safepointlab[lab]'", "Get a checkout"


@pytest.mark.newcomer
@pytest.mark.each(
    ("word", "advice"),
    [("kernels", NO_COURSE), ("workbench", NO_COURSE)]
    + [(word, NO_CHECKOUT) for word in ("notebooks", "site", "slides", "workshop")],
)
def test_a_command_of_the_course_says_what_it_lacks(tools, word, advice):
    refused = tools("safepoint", word)
    assert refused.returncode == 2 and advice in refused.stderr and "Traceback" not in refused.stderr
