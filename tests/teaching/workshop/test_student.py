"""student.py: no outputs, solutions or answers in the class's pages; predictions, checks and templates stay."""

import ast
import re
from pathlib import Path

import nbformat
import pytest

from safepointlab.cli import notebooks
from safepointlab.course import lessons
from safepointlab.teaching.workshop import cells, page
from safepointlab.teaching.workshop.student import INSTEAD, student

PAGES = sorted(page.FOLDER.glob("*.ipynb"))
CALLS = re.compile(r"lab\.(?:predict|reveal|grade|template)\(\s*\"[\w-]+\"")

every_page = pytest.mark.each("path", PAGES)


def made(path: Path) -> cells.Notebook:
    return student(cells.read(path))


def text(notebook: cells.Notebook) -> str:
    return "\n".join(map(cells.source, notebook["cells"]))


def solutions(path: Path) -> list[cells.Cell]:
    return [cell for cell in cells.read(path)["cells"] if cells.is_solution(cell)]


@every_page
def test_no_output_and_no_count_is_left(path):
    code = [cell for cell in made(path)["cells"] if cells.is_code(cell)]
    assert code and not any(cell["outputs"] or cell["execution_count"] for cell in code)


@every_page
def test_no_solution_is_left_neither_its_cell_nor_its_text(path):
    blank = made(path)
    assert not [cell for cell in blank["cells"] if cells.is_solution(cell)]
    assert not [source for cell in solutions(path) if (source := cells.source(cell)) in text(blank)]


@every_page
def test_nothing_in_the_metadata_tells_what_comes(path):
    blank = made(path)
    assert set(blank["metadata"]) <= {"kernelspec", "language_info", "topic"}
    assert {key for cell in blank["cells"] for key in cell["metadata"]} <= {"jupyter", "tags", "minutes"}


@every_page
def test_each_prediction_check_and_template_of_the_page_is_there(path):
    original = [cell for cell in cells.read(path)["cells"] if not cells.is_solution(cell)]
    calls = [call for cell in original for call in CALLS.findall(cells.source(cell))]
    assert CALLS.findall(text(made(path))) == calls


@every_page
def test_each_prose_is_as_it_was_except_for_the_folded_solution(path):
    prose = [cells.source(cell) for cell in cells.read(path)["cells"] if not cells.is_code(cell)]
    kept = [cells.source(cell) for cell in made(path)["cells"] if not cells.is_code(cell)]
    changed = set(kept) - set(prose) - {INSTEAD}
    assert len(changed) <= 1 and "folded solution" not in text(made(path))


@every_page
def test_it_is_a_notebook(path):
    nbformat.validate(made(path))


def test_the_files_that_exercises_edit_come_with_the_lab():
    edited = [exercise.template for exercise in lessons.exercises() if exercise.template]
    assert edited and all(path.is_file() for path in edited)


@every_page
def test_no_later_cell_needs_what_a_solution_defines(path):
    notebook = cells.read(path)
    if notebook["metadata"]["kernelspec"]["name"] != "python3":
        return  # its cells are in Java
    later, missing = set(), set()
    for cell in reversed(
        [cell for cell in notebook["cells"] if cells.is_code(cell) and "%%" not in cells.source(cell)]
    ):
        used = [node for node in ast.walk(ast.parse(cells.source(cell))) if isinstance(node, ast.Name)]
        if cells.is_solution(cell):
            missing |= later & {name.id for name in used if isinstance(name.ctx, ast.Store)}
        else:
            later |= {name.id for name in used if isinstance(name.ctx, ast.Load)}
            later -= {name.id for name in used if isinstance(name.ctx, ast.Store)}
    assert not missing


def test_a_solution_becomes_a_sentence_and_the_original_stays(small):
    blank = student(small)
    assert cells.source(blank["cells"][-1]) == INSTEAD and blank["cells"][-1]["id"] == "g"
    assert small["cells"][-1]["outputs"] and "folded solution" not in text(blank)


@pytest.mark.live
@pytest.mark.notebook
def test_a_student_page_runs_up_to_its_first_exercise(tmp_path, monkeypatch):
    monkeypatch.setenv("SAFEPOINTLAB_WORK", str(tmp_path / "work"))
    blank = made(page.FOLDER / "00-start-here.ipynb")
    first = next(n for n, cell in enumerate(blank["cells"]) if "### Exercise 1" in cells.source(cell))
    part = nbformat.from_dict({**blank, "cells": blank["cells"][: first + 2]})
    nbformat.write(part, tmp_path / "00-start-here.ipynb")
    ended = notebooks.execute(tmp_path / "00-start-here.ipynb", tmp_path / "saved.ipynb")
    saved = "\n".join(out for cell in cells.read(ended.saved)["cells"] for out in cells.outputs(cell))
    assert "What came" in saved and "No answer yet." in saved
