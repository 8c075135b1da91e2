"""`safepoint notebooks` executes a page in a fresh kernel: what it saves, what it refuses to save, and how it ends."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pytest

from safepointlab import cli
from safepointlab.cli import notebooks
from safepointlab.cli.notebooks import Executed
from safepointlab.course import lessons
from safepointlab.course.exercises import NO_RUN
from safepointlab.errors import RunFailed


def code_cells(path: Path) -> list[nbformat.NotebookNode]:
    return [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]


def output_text(cell: nbformat.NotebookNode) -> str:
    shown = [str(out.get("text", "")) for out in cell.outputs]
    shown += [str(value) for out in cell.outputs for kind, value in out.get("data", {}).items() if "image" not in kind]
    return "\n".join(shown)


@pytest.mark.gate
@pytest.mark.live
@pytest.mark.notebook
def test_a_page_runs_live_from_top_to_bottom_and_meets_all_that_it_expects(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    done = notebooks.execute(notebooks.FOLDER / "00-start-here.ipynb", tmp_path / "00.ipynb", deadline=280)
    assert done.cells == sum(bool(cell.execution_count) for cell in code_cells(done.saved))
    assert not [out for cell in code_cells(done.saved) for out in cell.outputs if out.output_type == "error"]
    assert not done.unmet


def a_notebook(path: Path, *cells: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "", "language": "python"}
    nbformat.write(notebook, path)
    return path


@pytest.mark.gate
@pytest.mark.notebook
def test_what_ran_before_a_failing_cell_is_saved(tmp_path):
    failing = a_notebook(tmp_path / "a.ipynb", "print('before')", "1 / 0", "print('after')")
    with pytest.raises(RunFailed, match=r"a.ipynb: (?s:.*)1 / 0(?s:.*)ZeroDivisionError: division by zero"):
        notebooks.execute(failing, tmp_path / "saved.ipynb")
    assert [output_text(cell).strip() for cell in code_cells(tmp_path / "saved.ipynb")][::2] == ["before", ""]


@pytest.mark.gate
@pytest.mark.notebook
def test_a_cell_that_hangs_its_kernel_is_not_run_headless(tmp_path):
    path = a_notebook(tmp_path / "a.ipynb", "print(1)", "raise SystemExit")
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[1].metadata["tags"] = [notebooks.NOT_HEADLESS]
    nbformat.write(notebook, path)
    assert notebooks.execute(path, tmp_path / "saved.ipynb").cells == 1


@pytest.mark.notebook
def test_a_notebook_past_its_deadline_fails(tmp_path):
    slow = a_notebook(tmp_path / "a.ipynb", "import time; time.sleep(60)")
    with pytest.raises(RunFailed, match="a.ipynb: .*timed out"):
        notebooks.execute(slow, tmp_path / "saved.ipynb", deadline=4)


@pytest.mark.notebook
def test_ctrl_c_ends_the_kernel_and_the_command(tmp_path):
    path = a_notebook(tmp_path / "a.ipynb", f"open({str(tmp_path / 'on')!r}, 'w'); import time; time.sleep(60)")
    code = f"from pathlib import Path; from safepointlab.cli import notebooks; notebooks.execute(Path({str(path)!r}))"
    with subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True) as command:
        while not (tmp_path / "on").exists() and command.poll() is None:
            time.sleep(0.1)
        command.send_signal(signal.SIGINT)
        assert "KeyboardInterrupt" in command.communicate(timeout=20)[1]


@pytest.mark.gate
@pytest.mark.notebook
def test_a_page_goes_on_after_an_expectation_that_was_not_met_and_its_execution_tells_which(tmp_path, capsys):
    cells = ("import safepointlab as lab", "lab.expect(1 > 2, 'one is more')\nlab.expect(True, 'so')", "print('after')")
    done = notebooks.execute(a_notebook(tmp_path / "a.ipynb", *cells), tmp_path / "saved.ipynb")
    unmet, after = code_cells(done.saved)[1:]
    assert [line.partition(": ✗ ")[2][:23] for line in done.unmet] == ["Expected: one is more. "]
    assert len(unmet.outputs) == 2 and output_text(after).strip() == "after"
    assert "1 expectation NOT MET" in capsys.readouterr().out


@pytest.mark.gate
@pytest.mark.notebook
def test_the_answers_to_an_exercise_are_graded_where_it_ends_and_not_saved(tmp_path, monkeypatch):
    monkeypatch.setenv("SAFEPOINTLAB_REPLAY", str(tmp_path))  # a folder without any recording
    cells = ("import safepointlab as lab", 'lab.grade("23-3", ...)', 'lab.grade("00-1", ...)')
    done = notebooks.execute(a_notebook(tmp_path / "a.ipynb", *cells), tmp_path / "saved.ipynb", answers=True)
    assert [cell.source for cell in code_cells(done.saved)] == list(cells)
    flags = lessons.exercise("00-1")
    wanted = [f"{flags.solution} is right", *(f"{flag} is wrong" for flag in flags.wrong)]
    assert [line.partition("00-1: ")[2].partition(". Seen: ")[0] for line in done.unmet] == wanted
    assert all(f"Seen: [ ] {NO_RUN}" in line for line in done.unmet)


@pytest.mark.gate
@pytest.mark.notebook
def test_a_page_writes_into_folders_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setenv("SAFEPOINTLAB_WORK", str(tmp_path / "work"))
    cells = ("import safepointlab as lab", "lab.template('00-2')", "open('here', 'w').close()")
    done = notebooks.execute(a_notebook(tmp_path / "page" / "a.ipynb", *cells), tmp_path / "saved.ipynb")
    assert "../work/AnotherReason.java: Written." in output_text(code_cells(done.saved)[1])
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a.ipynb", "page", "saved.ipynb"]


@pytest.mark.gate
@pytest.mark.notebook
def test_every_picture_of_a_notebook_is_shown_not_only_the_first(tmp_path):
    row = "{'jdk': [8], 'outcome': ['hung'], 'wall_ms': [9.0]}"
    data = f"import pandas as pd, safepointlab as lab\nf = pd.DataFrame({row})"
    draw = "lab.plot.outcomes(f, columns='jdk');"
    notebooks.execute(a_notebook(tmp_path / "a.ipynb", data, draw, draw), tmp_path / "saved.ipynb")
    cells = code_cells(tmp_path / "saved.ipynb")
    shown = [[output.data["text/html"] for output in cell.outputs if "text/html" in output.data] for cell in cells]
    assert [[html.count("alt='The JVM hangs") for html in images] for images in shown] == [[], [1], [1]]


@pytest.fixture
def executed_in_place(tmp_path, monkeypatch):
    """`safepoint notebooks --in-place` on a page: its exit status, and whether the page was saved."""
    path = a_notebook(tmp_path / "notebooks" / "a.ipynb", "print(1)")
    executed = a_notebook(tmp_path / "build" / "a.ipynb", "print('executed')")
    monkeypatch.setattr(notebooks, "find", lambda which: [path])

    def run(*words: str, disturbed: list[list[str]], unmet: tuple[str, ...] = ()):
        monkeypatch.setattr(notebooks, "execute", lambda path, say, answers: Executed("a", 1, 1.0, executed, unmet))
        monkeypatch.setattr(notebooks.recording, "disturbed", lambda since: disturbed.pop(0))
        status = cli.main(["notebooks", "a", "--in-place", *words])
        return status, "executed" in path.read_text("utf-8")

    return run


TICK = ["Tick-1 disturbed: other processes took 50 %"]


@pytest.mark.parametrize(
    ("words", "disturbed", "unmet", "ended", "says"),
    [
        ("", [TICK], (), (1, False), [*TICK, "NOT SAVED"]),
        ("--disturbed-too", [TICK], (), (0, True), TICK),
        ("--disturbed-too", [[]], ("cell 3: ✗ so",), (1, False), ["cell 3: ✗ so", "NOT MET"]),
        ("--again 1", [TICK, []], (), (0, True), TICK),
        ("", [[]], (), (0, True), ["1 of 1 executed and saved"]),
    ],
)
def test_a_page_is_saved_in_place_if_it_is_what_it_expects_and_nothing_disturbed_it(
    executed_in_place, capsys, words, disturbed, unmet, ended, says
):
    before = dict(os.environ)
    assert executed_in_place(*words.split(), disturbed=disturbed, unmet=unmet) == ended
    said = capsys.readouterr().out
    assert all(line in said for line in says) and dict(os.environ) == before


def test_the_command_links_the_jeps_and_bugs_of_a_page_once(tmp_path, monkeypatch, capsys):
    text = json.dumps({"cells": [{"cell_type": "markdown", "source": ["JEP 376"]}]})
    (page := tmp_path / "a.ipynb").write_text(text)
    monkeypatch.setattr(notebooks, "find", lambda which: [page])
    assert [cli.main(["notebooks", "a", "--links"]) for _ in range(2)] == [0, 0]
    assert "[JEP 376](https://openjdk.org/jeps/376)" in page.read_text()
    assert re.findall("^. of 1", capsys.readouterr().out, re.MULTILINE) == ["1 of 1", "0 of 1"]


def test_a_readers_copy_comes_back_to_the_original_and_only_the_one_that_was_named(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("SAFEPOINTLAB_WORK", str(tmp_path))
    (tmp_path / "02-when-will-it-exit.ipynb").write_text("mine")
    assert cli.main(["notebooks", "--original", "02"]) == 0
    assert code_cells(tmp_path / "02-when-will-it-exit.ipynb") and "kept" in capsys.readouterr().out
    assert len([*tmp_path.glob("*.ipynb")]) == 2
    assert cli.main(["notebooks", "--original"]) != 0 and "Which page?" in capsys.readouterr().err


def test_the_readers_copies_are_made_without_a_server_and_without_outputs(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("SAFEPOINTLAB_WORK", str(tmp_path))
    assert cli.main(["notebooks", "--copies"]) == 0 and str(tmp_path) in capsys.readouterr().out
    assert {path.name for path in tmp_path.glob("*.ipynb")} == {path.name for path in notebooks.find()}
    cells = [cell for path in notebooks.find() for cell in code_cells(tmp_path / path.name)]
    assert not [cell for cell in cells if cell.outputs]
