"""The form that readers meet on each page: predictions before their runs, folded checks and solutions, minutes."""

import json
import re
from pathlib import Path

import pytest

from safepointlab.commands import notebooks
from safepointlab.pages import names
from safepointlab.session.exercises import MARKS

LESSONS = sorted(path for path in notebooks.FOLDER.glob("*.ipynb") if path.stem[:2] != "30")
IN_JAVA = {"90"}  # its kernel knows nothing of the lab's Python
IN_PYTHON = [path for path in LESSONS if path.stem[:2] not in IN_JAVA]
LONGEST_LINE = 100
ASSERTION = re.compile(r"^\s*assert\b", re.MULTILINE)
MINUTES = re.compile(r"^\*(\d+) minutes\b", re.MULTILINE)
OLD_WORDS = re.compile(
    r"\b(two thousand million|turns? \d|say a number before|for want of|earlier edition)\b", re.IGNORECASE
)
CALLS = re.compile(r"lab\.(predict|predicted|check|template)\(\s*\"([\w-]+)\"")

every_lesson = pytest.mark.each("path", LESSONS)
every_python_lesson = pytest.mark.each("path", IN_PYTHON)


def cells(path: Path, kind: str) -> list[dict]:
    return [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == kind]


def source(cell: dict) -> str:
    return "".join(cell["source"])


def tagged(path: Path, tag: str) -> list[dict]:
    return [cell for cell in cells(path, "code") if tag in cell["metadata"].get("tags", [])]


def calls(path: Path) -> list[tuple[str, str]]:
    return [call for cell in cells(path, "code") for call in CALLS.findall(source(cell))]


@every_lesson
def test_a_line_of_code_fits_the_page(path):
    lines = [line for cell in cells(path, "code") for line in source(cell).splitlines()]
    assert not [line for line in lines if len(line) > LONGEST_LINE]


def test_a_java_page_defines_only_the_loops_that_its_reader_looks_at():
    pages = [path for path in LESSONS if path.stem[:2] in IN_JAVA]
    sources = "\n".join(source(cell) for path in pages for cell in cells(path, "code"))
    assert set(re.findall(r"^(?:static )?\w+ (\w+)\(.*\{", sources, re.MULTILINE)) == {"odd", "yours", "solved"}
    assert not re.search(r"^(class|record|interface) ", sources, re.MULTILINE)  # Lab and SecondJvm come with the kernel


@every_lesson
def test_solutions_are_folded(path):
    solutions = tagged(path, "solution")
    folds = [cell["metadata"].get("jupyter", {}) for cell in solutions]
    assert solutions and all(fold.get("source_hidden") and fold.get("outputs_hidden") for fold in folds)
    begun = {"".join(cell["source"]).splitlines()[0] for cell in solutions}
    assert begun <= {"# A solution", "// A solution"}  # JupyterLab shows a folded cell's first line


@every_lesson
def test_the_minutes_of_the_parts_are_those_of_the_page(path):
    parts = [cell["metadata"]["minutes"] for cell in cells(path, "markdown") if "minutes" in cell["metadata"]]
    stated = MINUTES.search("\n".join(map(source, cells(path, "markdown"))))
    assert stated and len(parts) >= 3 and sum(parts) == int(stated[1])


@every_lesson
def test_the_prose_has_none_of_the_words_that_the_course_has_given_up(path):
    assert not OLD_WORDS.findall("\n".join(map(source, cells(path, "markdown"))))


@every_python_lesson
def test_nothing_is_asserted_in_sight_and_what_is_expected_is_folded(path):
    checks = tagged(path, "check")
    assert not [cell for cell in cells(path, "code") if ASSERTION.search(source(cell))]
    assert checks and all(cell["metadata"].get("jupyter", {}).get("source_hidden") for cell in checks)
    assert not [cell for cell in cells(path, "code") if "lab.expect(" in source(cell) and cell not in checks]


@every_python_lesson
def test_each_question_of_a_page_is_asked_once_before_its_answer_is_shown(path):
    asked = [name for what, name in calls(path) if what == "predict"]
    answered = [name for what, name in calls(path) if what == "predicted"]
    assert len(asked) >= 2 and len(set(asked)) == len(asked) and sorted(asked) == sorted(set(answered))
    assert sorted(asked) == sorted(question.name for question in names.of_page(path.stem[:2], "PREDICTIONS"))
    order = [call for call in calls(path) if call[0].startswith("predict")]
    assert all(order.index(("predict", name)) < order.index(("predicted", name)) for name in asked)


@every_python_lesson
def test_no_exercise_is_judged_where_the_page_is_saved(path):
    solutions = [cell["id"] for cell in tagged(path, "solution")]
    saved = [cell["outputs"] for cell in cells(path, "code") if cell["id"] not in solutions]
    text = json.dumps(saved, ensure_ascii=False)  # judged, it tells its hint: an edited file lay in work/
    assert MARKS[True] not in text and MARKS[False] not in text


@every_python_lesson
def test_its_exercises_are_the_topics_own(path):
    checked = [name for what, name in calls(path) if what == "check"]
    exercises = names.of_page(path.stem[:2], "EXERCISES")
    assert list(dict.fromkeys(checked)) == [exercise.name for exercise in exercises] and len(exercises) == 3
    edited = [name for what, name in calls(path) if what == "template"]
    assert edited == [exercise.name for exercise in exercises if exercise.template]


@every_python_lesson
def test_the_surprise_is_a_picture_in_the_first_four_code_cells(path):
    assert "lab.plot." in "\n".join(map(source, cells(path, "code")[:4]))
