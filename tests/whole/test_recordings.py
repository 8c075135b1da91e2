"""A page plays from an archive on a machine that has no JDK: nothing of one is looked at, and no child is started."""

import json

import nbformat
import pytest

from safepointlab import cli
from safepointlab.cli import notebooks
from safepointlab.process import home, recording
from safepointlab.process.archives import archive, unpack
from safepointlab.run import load
from safepointlab.run.request import make as make_request
from safepointlab.widgets import saved_kernel

COMMITTED = [(name, file) for name, files in unpack.committed().items() for file in files]
PLAYED = [page for page in notebooks.find() if not saved_kernel.plays(page)]
# Python calls it at the start of each process. What a kernel needs for itself: its system's name, matplotlib's fonts.
NO_JDK = """
import sys
def watch(event, args):
    words = " ".join(map(str, args[1])) if event == "subprocess.Popen" else ""
    if words and not words.startswith(("uname", "fc-list")) and "_kernel" not in words:
        raise RuntimeError(f"a child was started: {words}")
    if event in ("open", "os.listdir", "os.scandir") and args and str(args[0]).startswith(("/usr/lib/jvm", "/opt")):
        raise RuntimeError(f"a JDK was looked for: {args[0]}")
sys.addaudithook(watch)
"""
PAGE = [
    "import safepointlab as lab; lab.stamp()",
    'run = lab.java("hang/KillerTask", 17, gc="Serial"); run',
    "run.command",
]
JDK = {"major": 17, "version": "17.0.15", "vendor": "Debian", "home": "/usr/lib/jvm/17", "origin": "system"}


@pytest.fixture
def without_jdk(tmp_path, monkeypatch):
    """An empty cache and home folder, and kernels in which a look at a JDK is an error."""

    def hide():
        for folder in ("hook", "home"):
            (tmp_path / folder).mkdir()
        (tmp_path / "hook" / "sitecustomize.py").write_text(NO_JDK)
        changed = {"PYTHONPATH": "hook", "HOME": "home", "SAFEPOINTLAB_CACHE": "cache", "SAFEPOINTLAB_WORK": "work"}
        for variable, folder in changed.items():
            monkeypatch.setenv(variable, str(tmp_path / folder))
        monkeypatch.delenv("JAVA_HOME", raising=False)
        monkeypatch.delenv("SAFEPOINTLAB_RUNS")

    return hide


def played(page, place, monkeypatch, answers=False):
    """The text of all outputs of a page that is played from a set."""
    monkeypatch.setenv("SAFEPOINTLAB_REPLAY", str(place))
    monkeypatch.setenv("JUPYTER_PATH", str(saved_kernel.install(home.cache() / "jupyter")))
    done = notebooks.execute(page, home.cache() / page.name, deadline=300, answers=answers)
    assert not done.unmet
    cells = nbformat.read(done.saved, as_version=4).cells
    return json.dumps([cell.outputs for cell in cells if cell.cell_type == "code"], ensure_ascii=False)


@pytest.fixture
def small_page(tmp_path, monkeypatch):
    """A page of three cells, and the run that it asks for, which no JVM made."""
    monkeypatch.setattr(notebooks, "FOLDER", tmp_path)
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in PAGE])
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python"}
    nbformat.write(notebook, tmp_path / "01-small.ipynb")
    request = make_request("hang/KillerTask", 17, gc="Serial")
    about = {"request": request.to_dict(), "jdk": JDK, "machine": {"cores": 16, "system": "Debian"}}
    command = [f"{home.cache()}/jdks/17/bin/java", "KillerTask"]
    folder = home.ready(recording.new_folder(request.key))
    finished = recording.Finished(
        command, folder, "exited", 0, "2026-11-22T12:00:00+00:00", 900.0, 800.0, None, about=about
    )
    recording.write_json(folder / "run.json", recording.as_json(finished))
    return tmp_path / "01-small.ipynb"


def test_a_page_plays_from_an_archive_without_any_jdk(small_page, tmp_path, without_jdk, monkeypatch, capsys):
    archives = [tmp_path / "a.tar.xz", tmp_path / "b.tar.xz"]
    for archived in archives:
        assert cli.main(["runs", "export", str(archived), "--notebook", "01"]) == 0
    assert archives[0].read_bytes() == archives[1].read_bytes()  # of the same runs
    without_jdk()
    assert cli.main(["runs", "import", str(archives[0])]) == 0
    assert "1 runs recorded 2026-11-22 on" in capsys.readouterr().out
    text = played(small_page, home.recordings() / "lab", monkeypatch)
    assert "recorded 2026-11-22 on 16 cores, Debian" in text and "REPLAY of runs recorded 2026-11-22 on" in text
    assert "/jdks/17/bin/java KillerTask" in text


def test_a_page_that_lacks_a_run_is_named_with_the_run_and_not_packed(small_page, tmp_path, capsys):
    notebook = nbformat.read(small_page, as_version=4)
    notebook.cells[1].source = 'lab.java("hang/KillerTask", 17, gc="Parallel")'
    nbformat.write(notebook, small_page)
    assert cli.main(["runs", "export", str(tmp_path / "a.tar.xz"), "--notebook", "01"]) == 1
    out = capsys.readouterr().out
    assert "LACKS RUNS" in out and "hang/KillerTask JDK 17 javac Parallel" in out and "NOT PACKED: 01-small" in out
    assert not (tmp_path / "a.tar.xz").exists()


def test_another_machines_recordings_appear_beside_ours(small_page, tmp_path, without_jdk, monkeypatch):
    assert cli.main(["runs", "export", str(tmp_path / "a.tar.xz"), "--notebook", "01", "--as", "big-box"]) == 0
    without_jdk()
    place = unpack.unpack(tmp_path / "a.tar.xz")
    import safepointlab as lab

    there = load.from_other_machines(lambda: lab.java("hang/KillerTask", 17, gc="Serial").machine)
    assert there == {"big-box": "16 cores, Debian"}
    swept = load.from_other_machines(lambda: list(lab.sweep("hang/KillerTask", jdk=17, gc="Serial")["outcome"]))
    assert swept == {"big-box": ["exited"]}  # though a sweep's runs are another thread's
    assert load.from_other_machines(lambda: lab.java("hang/KillerTask", 17, gc="Parallel")) == {}
    monkeypatch.setenv("SAFEPOINTLAB_REPLAY", str(place))
    assert load.from_other_machines(lambda: lab.java("hang/KillerTask", 17, gc="Serial")) == {}


@pytest.mark.parametrize("word", ["Big", "../up", "a b"])
def test_a_set_is_not_named_by_anything_but_small_letters_digits_and_hyphens(word, capsys):
    with pytest.raises(SystemExit):
        cli.main(["runs", "export", "--as", word])
    assert "can't be a name: use small letters, digits and hyphens" in capsys.readouterr().err


def test_where_no_recordings_came_with_the_lab_the_command_that_makes_them_is_named(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(unpack, "COMMITTED", tmp_path)
    assert cli.main(["runs", "play", "--", "jupyter", "lab"]) == 2
    assert "make recordings" in capsys.readouterr().err


def test_a_java_page_plays_its_saved_outputs_without_a_jvm(without_jdk, monkeypatch, tmp_path):
    without_jdk()
    [page] = [page for page in notebooks.find() if saved_kernel.plays(page)]
    text = played(page, tmp_path, monkeypatch)
    assert "REPLAY of the outputs that this page was saved with" in text and "not recorded" not in text


def test_a_java_cell_that_is_not_the_pages_says_that_it_is_not_recorded():
    [(kind, content)] = saved_kernel.messages("int mine = 1;")
    assert kind == "stream" and "not recorded" in content["text"] and "make lab" in content["text"]


@pytest.mark.each(("name", "file"), COMMITTED)
def test_a_committed_archive_is_sound_and_names_no_folder_of_its_machine(name, file):
    text = b"".join(archive.contents(archive.read(file)).values())
    assert not {word for word in (b"/root/", b"/work/", b"/tmp/pytest-") if word in text}
    assert archive.checked(archive.contents(archive.read(file)))["name"] == name


@pytest.mark.gate
@pytest.mark.notebook
@pytest.mark.timeout(400)
@pytest.mark.skipif("lab" not in dict(COMMITTED), reason="no recordings in the checkout: make recordings")
@pytest.mark.parametrize("page", PLAYED, ids=lambda page: page.stem)
def test_a_page_and_the_answers_to_its_exercises_play_from_the_committed_recordings(page, without_jdk, monkeypatch):
    without_jdk()
    place = unpack.renew("lab", unpack.committed()["lab"])
    assert "never recorded" not in played(page, place, monkeypatch, answers=True)
