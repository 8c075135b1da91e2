"""Every notebook runs top to bottom in a fresh kernel, and keeps to the anatomy that readers learn once."""

import os
import re
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pytest

from safepointlab.commands import notebooks
from safepointlab.errors import RunFailed

TOLERATED_S = 150  # twice what a notebook should take in the quick profile: machines do other things as well
NOTEBOOKS = sorted(notebooks.FOLDER.glob("*.ipynb"))
JAVA_NAMES = ("java", "java-serial", "java-biased")

every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def code_cells(path: Path) -> list[nbformat.NotebookNode]:
    return [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]


def prose(path: Path) -> str:
    cells = nbformat.read(path, as_version=4).cells
    return "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


def tags(cell: nbformat.NotebookNode) -> list[str]:
    return list(cell.metadata.get("tags", []))


def output_text(cell: nbformat.NotebookNode) -> str:
    shown = [str(out.get("text", "")) for out in cell.outputs]
    shown += [str(value) for out in cell.outputs for kind, value in out.get("data", {}).items() if "image" not in kind]
    return "\n".join(shown)


@pytest.mark.notebook
@pytest.mark.live
@pytest.mark.timeout(TOLERATED_S + 60)
@every_notebook
def test_a_notebook_executes_from_top_to_bottom_in_a_fresh_kernel(path, tmp_path, record_property, monkeypatch):
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    start = time.monotonic()
    done = notebooks.execute(path, tmp_path / path.name, deadline=TOLERATED_S)
    record_property("seconds", round(time.monotonic() - start, 1))
    assert done.cells == sum(bool(cell.execution_count) for cell in code_cells(done.saved))
    assert not [out for cell in code_cells(done.saved) for out in cell.outputs if out.output_type == "error"]


@every_notebook
def test_a_title_is_a_question(path):
    assert re.match(r"# [^\n]+\?$", prose(path).splitlines()[0])


@every_notebook
def test_a_notebook_has_25_to_45_cells(path):
    assert 25 <= len(nbformat.read(path, as_version=4).cells) <= 45


@every_notebook
def test_a_code_cell_has_one_to_eight_lines_and_most_have_three(path):
    lengths = [len(cell.source.strip().splitlines()) for cell in code_cells(path)]
    assert min(lengths) >= 1 and max(lengths) <= 8
    assert statistics.median(lengths) <= 4


@every_notebook
def test_a_python_notebook_defines_no_helpers(path):
    assert not [cell.source for cell in code_cells(path) if re.search(r"^\s*(def|class) ", cell.source, re.MULTILINE)]


@every_notebook
def test_a_notebook_can_be_read_in_half_an_hour(path):
    words = re.findall(r"[^\W\d_][\w'’-]*", re.sub(r"```.*?```", "", prose(path), flags=re.DOTALL))
    assert 800 <= len(words) <= 1600


@every_notebook
def test_a_notebook_ends_with_three_exercises_each_with_its_solution(path):
    assert len(re.findall(r"^#+ Exercise \d", prose(path), re.MULTILINE)) == 3
    assert sum("solution" in tags(cell) for cell in nbformat.read(path, as_version=4).cells) >= 3


@every_notebook
def test_committed_outputs_come_from_one_clean_execution(path):
    counts = [cell.execution_count for cell in code_cells(path) if notebooks.NOT_HEADLESS not in tags(cell)]
    assert counts == list(range(1, len(counts) + 1))
    assert not [cell for cell in code_cells(path) for out in cell.outputs if out.output_type == "error"]


@every_notebook
def test_committed_outputs_hold_no_folder_of_the_machine_they_were_made_on(path):
    text = "\n".join(output_text(cell) for cell in code_cells(path))
    assert not re.findall(r"(?<![\w~.])/(?:root|home|work|tmp|var|opt)/\S+", text)


@every_notebook
def test_a_saved_notebook_stays_under_900_kb(path):
    assert path.stat().st_size < 900_000


@every_notebook
def test_a_notebook_names_a_kernel_that_the_lab_installs(path):
    kernel = nbformat.read(path, as_version=4).metadata.kernelspec
    assert kernel.name in ("python3", *JAVA_NAMES)


def a_notebook(path: Path, *cells: str) -> Path:
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "", "language": "python"}
    nbformat.write(notebook, path)
    return path


@pytest.mark.notebook
def test_what_ran_before_a_failing_cell_is_saved(tmp_path):
    failing = a_notebook(tmp_path / "a.ipynb", "print('before')", "1 / 0", "print('after')")
    with pytest.raises(RunFailed, match=r"a.ipynb: (?s:.*)1 / 0(?s:.*)ZeroDivisionError: division by zero"):
        notebooks.execute(failing, tmp_path / "saved.ipynb")
    assert [output_text(cell).strip() for cell in code_cells(tmp_path / "saved.ipynb")][::2] == ["before", ""]


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
    code = (
        f"from pathlib import Path; from safepointlab.commands import notebooks; notebooks.execute(Path({str(path)!r}))"
    )
    with subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True) as command:
        while not (tmp_path / "on").exists() and command.poll() is None:
            time.sleep(0.1)
        command.send_signal(signal.SIGINT)
        assert "KeyboardInterrupt" in command.communicate(timeout=20)[1]


def test_the_course_has_its_first_notebooks_in_order():
    assert [path.stem for path in NOTEBOOKS][:1] == ["00-start-here"]
    assert {"02-when-will-it-exit", "90-hang-your-own-kernel"} <= {path.stem for path in NOTEBOOKS}
