"""The lab's environment variables: each is declared in config.py, read through it, and listed in docs/settings.md."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from safepointlab import config
from safepointlab.errors import LabError
from safepointlab.process.home import PROJECT

NAME = re.compile(r"SAFEPOINTLAB_[A-Z_]+")
PACKAGE = PROJECT / "safepointlab"
LOOKUPS = re.compile(r"os\.(getenv\(|environ(\[|\.get\(|\.pop\())config\.")


def test_no_module_looks_up_a_variable_of_the_lab_on_its_own():
    files = [file for file in sorted(PACKAGE.rglob("*.py")) if file.name != "config.py"]
    assert [place for file in files for place in spelt(file)] == []


def test_every_variable_that_the_project_mentions_is_declared():
    files = [PROJECT / "README.md", PROJECT / "Makefile", PROJECT / "Dockerfile"]
    files += [file for folder in ("safepointlab", "scripts", "tests") for file in (PROJECT / folder).rglob("*.py")]
    mentioned = {name for file in files for name in re.findall(r"SAFEPOINTLAB_[A-Z_]*[A-Z]", file.read_text("utf-8"))}
    assert mentioned - {variable.name for variable in config.VARIABLES} == set()


def test_the_page_lists_what_is_declared():
    subprocess.run([sys.executable, PROJECT / "scripts" / "settings_page.py", "--check"], check=True)


def test_a_variable_is_read_when_it_is_asked_for(monkeypatch, tmp_path):
    monkeypatch.delenv("SAFEPOINTLAB_WORK", raising=False)
    assert (config.WORK.value(), config.WORK.text(), config.WORK.folder()) == (None, "", None)
    monkeypatch.setenv("SAFEPOINTLAB_WORK", "")
    assert (config.WORK.value(), config.WORK.folder()) == ("", None)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SAFEPOINTLAB_WORK", "mine")
    assert config.WORK.folder() == (tmp_path / "mine").resolve()


def test_a_profile_that_does_not_exist_is_refused_with_the_names_of_those_that_do(monkeypatch):
    monkeypatch.setenv("SAFEPOINTLAB_PROFILE", "")
    assert config.profile() == "standard"
    monkeypatch.setenv("SAFEPOINTLAB_PROFILE", "fast")
    with pytest.raises(LabError, match="no profile 'fast': set SAFEPOINTLAB_PROFILE to one of quick, standard, full"):
        config.profile()


def spelt(file: Path):
    """Where a module holds a variable's name as a text of its own, or looks up in os.environ what config declares."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        named = isinstance(node, ast.Constant) and isinstance(node.value, str) and NAME.fullmatch(node.value)
        reads = isinstance(node, ast.Call) or (isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load))
        if named or (reads and LOOKUPS.match(ast.unparse(node))):
            yield f"{file.relative_to(PROJECT)}:{node.lineno}: {ast.unparse(node)}"  # type: ignore[attr-defined]
