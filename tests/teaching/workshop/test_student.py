"""A class's pages: no outputs, solutions or answers; predictions, checks and templates stay."""

import ast
import re

import nbformat
import pytest

from safepointlab.cli import notebooks
from safepointlab.teaching.workshop import page
from safepointlab.teaching.workshop.folder import INSTEAD, student
from safepointlab.teaching.workshop.page import is_code, is_solution, source
from safepointlab.widgets.copies import FOLD

PAGES = sorted(page.FOLDER.glob("*.ipynb"))
CALLS = re.compile(r"lab\.(?:predict|reveal|grade|template)\(\s*\"[\w-]+\"")


def text(cells: list[page.Cell]) -> str:
    return "\n".join(map(source, cells))


@pytest.mark.each("path", PAGES)
def test_a_students_page_is_the_page_without_what_tells_the_result(path):
    saved = page.read(path)
    blank, cells = student(saved), student(saved)["cells"]
    nbformat.validate(blank)
    code = [cell for cell in cells if is_code(cell)]
    assert code and not any(cell["outputs"] or cell["execution_count"] for cell in code)
    given = [source(cell) for cell in saved["cells"] if is_solution(cell)]
    assert not any(map(is_solution, cells)) and not [solution for solution in given if solution in text(cells)]
    assert set(blank["metadata"]) <= {"kernelspec", "language_info", "topic"}
    assert {key for cell in cells for key in cell["metadata"]} <= {"jupyter", "tags", "minutes"}
    others = [cell for cell in saved["cells"] if not is_solution(cell)]
    assert CALLS.findall(text(cells)) == CALLS.findall(text(others))
    changed = {source(cell) for cell in cells} - {source(cell) for cell in others} - {INSTEAD}
    assert len([each for each in changed if not each.startswith(FOLD)]) <= 1 and "folded solution" not in text(cells)


@pytest.mark.each("path", PAGES)
def test_no_later_cell_needs_what_a_solution_defines(path):
    notebook = page.read(path)
    if notebook["metadata"]["kernelspec"]["name"] != "python3":
        return  # its cells are in Java
    later, missing = set(), set()
    for cell in reversed([cell for cell in notebook["cells"] if is_code(cell) and "%%" not in source(cell)]):
        used = [node for node in ast.walk(ast.parse(source(cell))) if isinstance(node, ast.Name)]
        stored = {name.id for name in used if isinstance(name.ctx, ast.Store)}
        if is_solution(cell):
            missing |= later & stored
        else:
            later = (later | {name.id for name in used if isinstance(name.ctx, ast.Load)}) - stored
    assert not missing


def test_a_solution_becomes_a_sentence_and_the_original_stays(small):
    blank = student(small)["cells"]
    assert source(blank[-1]) == INSTEAD and blank[-1]["id"] == "g"
    assert small["cells"][-1]["outputs"] and "folded solution" not in text(blank)


@pytest.mark.live
@pytest.mark.notebook
def test_a_student_page_runs_up_to_its_first_exercise(tmp_path, monkeypatch):
    monkeypatch.setenv("SAFEPOINTLAB_WORK", str(tmp_path / "work"))
    blank = student(page.read(page.FOLDER / "00-start-here.ipynb"))
    first = next(n for n, cell in enumerate(blank["cells"]) if "### Exercise 1" in source(cell))
    part = nbformat.from_dict({**blank, "cells": blank["cells"][: first + 2]})
    nbformat.write(part, tmp_path / "00-start-here.ipynb")
    ended = notebooks.execute(tmp_path / "00-start-here.ipynb", tmp_path / "saved.ipynb")
    saved = "\n".join(out for cell in page.read(ended.saved)["cells"] for out in page.outputs(cell))
    assert "Result" in saved and "No answer yet." in saved
