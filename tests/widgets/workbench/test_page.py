"""`safepoint workbench`: a page beside the Java file, and a server on this machine that opens it."""

import json

import pytest

from safepointlab.errors import BadInput, SampleNotFound
from safepointlab.widgets.workbench import page


def test_the_page_is_beside_its_java_file_which_is_begun_from_the_template(tmp_path):
    path = page.prepare(str(tmp_path / "Own.java"))
    assert path.parent == tmp_path and 'lab.workbench("Own.java")' in path.read_text().replace('\\"', '"')
    assert "class Own" in (tmp_path / "Own.java").read_text()


def test_the_page_of_another_day_is_used_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert page.prepare() == page.prepare("hang/KillerTask") == tmp_path / "workbench.ipynb"
    [cell] = json.loads((tmp_path / "workbench.ipynb").read_text())["cells"]
    assert 'lab.workbench("hang/KillerTask")' in cell["source"]


@pytest.mark.parametrize("text", ['{"metadata": {}}', "no notebook", "[]"])
def test_a_page_of_that_name_that_is_not_ours_is_left_alone(text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "workbench.ipynb").write_text(text)
    assert page.prepare().name == "workbench-1.ipynb"
    assert (tmp_path / "workbench.ipynb").read_text() == text


def test_neither_a_file_nor_a_sample_is_refused_before_anything_starts(tmp_path):
    with pytest.raises(SampleNotFound, match="Did you mean"):
        page.prepare("hang/KilerTask")
    with pytest.raises(BadInput, match="no folder"):
        page.prepare(str(tmp_path / "nowhere" / "Own.java"))


def test_the_server_listens_on_this_machine_only_and_needs_nothing_outside_the_package(tmp_path, monkeypatch):
    monkeypatch.setenv("SAFEPOINTLAB_CACHE", str(tmp_path))
    command = page.server(tmp_path / "workbench.ipynb", 8890)
    assert "--ServerApp.ip=localhost" in command and f"--ServerApp.root_dir={tmp_path}" in command
    assert (page.EXTENSIONS / "safepointlab-workbench" / "static" / "remoteEntry.js").exists()
    assert (page.SETTINGS / "overrides.json").exists()
