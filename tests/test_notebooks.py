"""Every notebook runs top to bottom in a fresh kernel, and keeps to the anatomy that readers learn once."""

import os
import re
import statistics
import sys
import time
from pathlib import Path

import nbformat
import pytest

from safepointlab import notebooks

TOLERATED_S = 150  # twice what a notebook should take in the quick profile: machines do other things as well
NOTEBOOKS = sorted(notebooks.FOLDER.glob("*.ipynb"))
JAVA_NAMES = ("java", "java-serial")

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


def test_the_course_has_its_first_notebooks_in_order():
    assert [path.stem for path in NOTEBOOKS][:1] == ["00-start-here"]
    assert {"02-when-will-it-exit", "90-hang-your-own-kernel"} <= {path.stem for path in NOTEBOOKS}
