"""What a newcomer's machine is told to install agrees with itself, and every command that is written down exists."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import pytest
from packaging.requirements import Requirement

from safepointlab.process import extras
from safepointlab.process.home import PROJECT
from safepointlab.run import benchmarks

LOCK = (PROJECT / "requirements.lock").read_text()
PINNED = dict(re.findall(r"^([\w.-]+)==([^\s;]+)", LOCK, re.MULTILINE))
CONDA_ONLY = {"python", "openjdk", "make", "pip"}
CONDA_NAMES = {"matplotlib-base": "matplotlib"}  # conda's without a window system
HOSTS = "pypi|pythonhosted|maven|npmjs|anaconda|conda|docker|debian|ubuntu|adoptium|azul"


def conda_entries() -> list[str]:
    lines = (PROJECT / "environment.yml").read_text().partition("dependencies:")[2].splitlines()
    return [line.partition("- ")[2] for line in lines if re.match(r" +- ", line) and "pip:" not in line]


def needed() -> set[str]:
    table = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    entries = [*table["dependencies"], *table["optional-dependencies"]["lab"]]
    return {re.split(r"[<>=]", entry)[0] for entry in entries}


def test_every_locked_package_is_held_to_its_hash():
    entries = re.split(r"\n(?=\S)", LOCK.strip())
    assert len(entries) > 100 and all("==" in entry for entry in entries)
    assert not [entry for entry in entries if "--hash=sha256:" not in entry]


def test_the_lock_holds_all_that_the_package_needs_and_the_lab_knows_what_the_course_adds():
    table = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert needed() <= set(PINNED)
    assert {re.split(r"[<>=]", entry)[0] for entry in table["lab"]} <= extras.MODULES


def test_the_lock_is_made_of_the_tools_the_course_and_every_group():
    groups = tomllib.loads((PROJECT / "pyproject.toml").read_text())["dependency-groups"]
    command = re.search(r"^lock:.*?\n\n", (PROJECT / "Makefile").read_text(), re.MULTILINE | re.DOTALL)
    assert command and all(f"--group {group}" in command[0] for group in groups)
    assert "--extra lab" in command[0]


def test_no_committed_file_names_a_registrys_host():
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=PROJECT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout, so there is no list of committed files")
    files = [name for name in listed.stdout.split("\0") if name and not name.startswith("tests/data/")]
    texts = {name: (PROJECT / name).read_text(errors="replace") for name in files if (PROJECT / name).is_file()}
    host = re.compile(rf"\b[\w.-]*(?:{HOSTS})[\w-]*\.(?:org|io|com|net)\b")
    assert not {name: found for name, text in texts.items() if (found := host.findall(text))}


def test_a_conda_environment_has_all_that_the_package_needs_in_ranges_that_take_the_locks_versions():
    entries = [entry.partition("#")[0].strip() for entry in conda_entries()]
    asked = [Requirement(entry) for entry in entries if not entry.startswith("-e")]
    wanted = {CONDA_NAMES.get(one.name, one.name): one.specifier for one in asked}
    assert len(wanted) == len(asked) and set(wanted) == needed() | CONDA_ONLY
    locked = {name: PINNED[name] for name in wanted if name in PINNED}
    assert not {name: held for name, held in locked.items() if not wanted[name].contains(held, prereleases=True)}


def test_make_lab_uses_the_conda_environment_that_is_active_and_the_tests_do_not(tmp_path):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "safepoint").touch()

    def planned(target: str, conda: Path) -> str:
        command = ["make", "-n", "-C", str(PROJECT), target]
        environment = {"PATH": os.environ["PATH"], "CONDA_PREFIX": str(conda)}
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout

    assert f"{tmp_path}/bin/jupyter lab" in planned("lab", tmp_path) and ".venv" not in planned("lab", tmp_path)
    assert ".venv/bin/python" in planned("test", tmp_path)
    assert ".venv/bin/jupyter lab" in planned("lab", tmp_path / "an-environment-without-the-lab")


def test_the_images_script_that_gets_jdks_has_all_that_it_imports(tmp_path):
    """The Dockerfile copies a part of the package for it, so that a change elsewhere leaves the layer of JDKs alone."""
    dockerfile = (PROJECT / "Dockerfile").read_text().replace("\\\n", "")
    for names, target in re.findall(r"^COPY (.+) /opt/build/(.*)$", dockerfile, re.MULTILINE):
        for source in map(PROJECT.joinpath, names.split()):
            place = tmp_path / target
            place.mkdir(exist_ok=True)
            copy = partial(shutil.copytree, dirs_exist_ok=True) if source.is_dir() else shutil.copy
            copy(source, place)
    (tmp_path / "jdks.lock").write_text("")
    own = {**os.environ, "PYTHONSAFEPATH": "", "SAFEPOINTLAB_CACHE": str(tmp_path / "cache")}
    (tmp_path / "cache").mkdir()
    said = subprocess.run([sys.executable, tmp_path / "jdks.py"], env=own, capture_output=True, text=True, check=False)
    assert said.stdout == "0 of 0 JDKs are the locked builds\n", said.stderr


def test_make_alone_prints_its_targets():
    listed = subprocess.run(["make", "-C", PROJECT], capture_output=True, text=True, check=True).stdout
    assert {"lab", "notebooks", "test", "nightly", "quick", "lint"} <= set(re.findall(r"make ([a-z-]+) ", listed))


def test_the_table_of_notebooks_and_the_ways_to_get_the_lab_are_up_to_date():
    subprocess.run([sys.executable, PROJECT / "scripts" / "readme.py", "--check"], check=True)


def find_python(folder: Path, **programs: str) -> subprocess.CompletedProcess[str]:
    """What scripts/find-python finds where these shell scripts are all there is on the PATH."""
    for name, script in programs.items():
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)
    command = ["/bin/sh", PROJECT / "scripts" / "find-python"]
    return subprocess.run(command, env={"PATH": str(folder)}, capture_output=True, text=True, check=False)


def test_a_python_is_found_under_a_name_with_its_version(tmp_path):
    found = find_python(tmp_path, **{"python3": "exit 1", "python3.12": "exit 0"})
    assert found.stdout.strip() == str(tmp_path / "python3.12")


@pytest.mark.parametrize(
    ("refuses", "says"),
    [
        ("version_info", ["needs Python 3.11 or newer", "too old: python3"]),
        ("ensurepip", ["venv module", "python3-venv"]),
    ],
)
def test_a_python_that_is_old_or_lacks_venv_is_named_with_what_to_do(refuses, says, tmp_path):
    refused = find_python(tmp_path, python3=f'case "$2" in *{refuses}*) exit 1;; esac')
    assert refused.returncode == 1 and all(words in refused.stderr for words in says)


def test_maven_builds_the_benchmarks_with_the_versions_that_the_lab_uses():
    pom = ElementTree.parse(benchmarks.SOURCES.parents[2] / "pom.xml")
    space = {"m": "http://maven.apache.org/POM/4.0.0"}
    jmh = pom.findtext("m:properties/m:jmh.version", namespaces=space) or ""
    found = {
        ":".join(part.text or "" for part in list(dependency)[:3]).replace("${jmh.version}", jmh)
        for dependency in pom.findall("m:dependencies/m:dependency", space)
    }
    transitive = {"net.sf.jopt-simple:jopt-simple:5.0.4", "org.apache.commons:commons-math3:3.6.1"}
    assert found == {*benchmarks.LIBRARY, benchmarks.PROCESSOR} - transitive
