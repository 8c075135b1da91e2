"""`safepoint workbench`: a page in the cache, and a server on this machine that opens it and the Java file."""

import json
from pathlib import Path

import pytest

from safepointlab.errors import BadInput, SampleNotFound
from safepointlab.process import home
from safepointlab.widgets.workbench import page


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """A cache and a folder of sources."""
    monkeypatch.setenv("SAFEPOINTLAB_CACHE", str(tmp_path / "cache"))
    (tmp_path / "sources").mkdir()
    monkeypatch.chdir(tmp_path / "sources")


def prepared(program: str) -> tuple[dict, dict]:
    """The page as JupyterLab would open it, and the settings of its server by name."""
    command = page.prepare(program, 8890)
    settings = dict(word.removeprefix("--").split("=", 1) for word in command if word.startswith("--"))
    return json.loads(Path(settings["LabApp.default_url"].split("/tree")[1]).read_text()), settings


def test_a_java_file_is_begun_from_the_template_and_its_folder_keeps_nothing_else(tmp_path):
    notebook, settings = prepared("Own.java")
    own = tmp_path / "sources" / "Own.java"
    assert list(own.parent.iterdir()) == [own] and "class Own" in own.read_text()
    assert 'lab.workbench("Own.java")' in notebook["cells"][0]["source"]
    assert Path("/", notebook["metadata"][page.MARK]["source"]) == own
    assert settings["MappingKernelManager.root_dir"] == str(own.parent)
    assert Path(settings["FileCheckpoints.checkpoint_dir"]).is_relative_to(home.cache())


def test_a_sample_and_no_program_have_no_file_to_edit():
    assert 'lab.workbench("hang/KillerTask")' in prepared("hang/KillerTask")[0]["cells"][0]["source"]
    assert prepared("")[0]["metadata"][page.MARK] == {"source": ""}


def test_neither_a_file_nor_a_sample_is_refused_before_anything_starts(tmp_path):
    with pytest.raises(SampleNotFound, match="Did you mean"):
        page.prepare("hang/KilerTask", 8890)
    with pytest.raises(BadInput, match="no folder"):
        page.prepare(str(tmp_path / "nowhere" / "Own.java"), 8890)


def test_the_server_needs_nothing_outside_the_package(tmp_path):
    _, settings = prepared("")
    assert settings["config"] == str(page.CONFIG) and page.CONFIG.with_name("lab-settings").is_dir()
    assert Path(settings["LabApp.extra_labextensions_path"], "safepointlab-workbench/static/remoteEntry.js").exists()
