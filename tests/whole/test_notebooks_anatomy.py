"""What a reader may rely on in each committed page: outputs of one clean run, no answer in sight, links that lead."""

import json
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest

from safepointlab.cli import notebooks
from safepointlab.course import lessons
from safepointlab.course.exercises import MARKS
from safepointlab.process import home
from safepointlab.run import benchmarks

NOTEBOOKS = sorted(notebooks.FOLDER.glob("*.ipynb"))
LESSONS = [path for path in NOTEBOOKS if path.stem[:2] != "30"]  # the workbench is a page to work on, not to read
IN_PYTHON = [path for path in LESSONS if path.stem[:2] != "90"]  # its kernel knows nothing of the lab's Python
KERNELS = ("python3", "java", "java-serial", "java-biased")
WITHOUT_SAMPLES = {"late", "workbench"}  # they look at programs of others, and at hang/KillerTask
LONGEST_LINE = 100
ASSERTION = re.compile(r"^\s*assert\b", re.MULTILINE)
MINUTES = re.compile(r"^\*(\d+) minutes\b", re.MULTILINE)
CALLS = re.compile(r"lab\.(predict|reveal|grade|template)\(\s*\"([\w-]+)\"")
LINKS = re.compile(r"\]\((?!https?:|#)([^)#\s]+)")

every_notebook = pytest.mark.each("path", NOTEBOOKS)
every_lesson = pytest.mark.each("path", LESSONS)
every_python_lesson = pytest.mark.each("path", IN_PYTHON)

Cell = dict[str, Any]


def page(path: Path) -> dict[str, Any]:
    return dict(json.loads(path.read_text("utf-8")))


def cells(path: Path, kind: str) -> list[Cell]:
    return [cell for cell in page(path)["cells"] if cell["cell_type"] == kind]


def source(cell: Cell) -> str:
    return "".join(cell["source"])


def prose(path: Path) -> str:
    return "\n\n".join(map(source, cells(path, "markdown")))


def tagged(path: Path, tag: str) -> list[Cell]:
    return [cell for cell in cells(path, "code") if tag in cell["metadata"].get("tags", [])]


def outputs(path: Path) -> list[dict[str, Any]]:
    return [output for cell in cells(path, "code") for output in cell["outputs"]]


def text(output: dict[str, Any]) -> str:
    """All that an output says, without its images."""
    shown = {kind: value for kind, value in output.get("data", {}).items() if "image" not in kind}
    return "\n".join("".join(part) for part in [output.get("text", ""), *map(str, shown.values())])


def untrusted(output: dict[str, Any]) -> str:
    """What is left of an output in a page that nobody trusts: no script, no style sheet, no inline SVG, no widget."""
    data = {kind: "".join(value) for kind, value in output.get("data", {}).items() if isinstance(value, str | list)}
    if "text/html" in data:
        return re.sub(r"(?s)<(script|style|svg)\b.*?</\1>", "", data["text/html"])
    return "<img>" if "image/png" in data else "".join(output.get("text", data.get("text/plain", "")))


def calls(path: Path) -> list[tuple[str, str]]:
    return [call for cell in cells(path, "code") for call in CALLS.findall(source(cell))]


@every_notebook
def test_committed_outputs_come_from_one_clean_execution_that_met_all_that_the_page_expects(path):
    run = [cell for cell in cells(path, "code") if notebooks.NOT_HEADLESS not in cell["metadata"].get("tags", [])]
    assert [cell["execution_count"] for cell in run] == list(range(1, len(run) + 1))
    assert not [output for output in outputs(path) if output["output_type"] == "error"]
    assert not notebooks.unmet(nbformat.read(path, as_version=4))


@every_notebook
def test_each_committed_output_is_something_to_a_reader_whose_page_is_untrusted(path):
    shown = [untrusted(output) for output in outputs(path) if output.get("name") != "stderr"]
    assert not [text for text in shown if re.search(r"\w+\(children=|^<\S+ object at 0x", text)]
    assert all(re.sub(r"(?s)<(?!img)[^>]*>|\s", "", text) for text in shown)


@every_notebook
def test_committed_outputs_hold_no_folder_of_the_machine_they_were_made_on(path):
    said = "\n".join(map(text, outputs(path)))
    assert not re.findall(r"(?<![\w~.])/(?:root|home|work|tmp|var|opt)/\S+", said)


@every_notebook
def test_a_page_is_small_names_a_kernel_of_the_lab_and_each_cell_once(path):
    ids = [cell["id"] for cell in page(path)["cells"]]
    assert path.stat().st_size < 900_000 and len(set(ids)) == len(ids)
    assert page(path)["metadata"]["kernelspec"]["name"] in KERNELS


@every_notebook
def test_a_title_is_a_question_a_link_leads_to_a_file_and_no_cell_defines_a_helper(path):
    assert re.match(r"# [^\n]+\?$", prose(path).splitlines()[0])
    assert not [target for target in LINKS.findall(prose(path)) if not (path.parent / target).exists()]
    assert not [code for code in map(source, cells(path, "code")) if re.search(r"^\s*(def|class) ", code, re.MULTILINE)]


@every_lesson
def test_a_line_of_code_fits_the_page(path):
    lines = [line for cell in cells(path, "code") for line in source(cell).splitlines()]
    assert not [line for line in lines if len(line) > LONGEST_LINE]


@every_lesson
def test_a_page_has_three_exercises_each_with_a_folded_solution(path):
    assert len(re.findall(r"^#+ Exercise \d", prose(path), re.MULTILINE)) == 3
    solutions = tagged(path, "solution")
    folds = [cell["metadata"].get("jupyter", {}) for cell in solutions]
    assert len(solutions) >= 3 and all(fold.get("source_hidden") and fold.get("outputs_hidden") for fold in folds)
    begun = {source(cell).splitlines()[0] for cell in solutions}
    assert begun <= {"# A solution", "// A solution"}  # JupyterLab shows a folded cell's first line


@every_lesson
def test_the_minutes_of_the_parts_are_those_of_the_page(path):
    parts = [cell["metadata"]["minutes"] for cell in cells(path, "markdown") if "minutes" in cell["metadata"]]
    stated = MINUTES.search(prose(path))
    assert stated and len(parts) >= 3 and sum(parts) == int(stated[1])


@every_python_lesson
def test_the_surprise_is_a_picture_nothing_is_asserted_in_sight_and_what_is_expected_is_folded(path):
    assert re.search(r"\b(lab\.plot|pictures)\b", "\n".join(map(source, cells(path, "code")[:4])))
    checks = tagged(path, "check")
    assert not [cell for cell in cells(path, "code") if ASSERTION.search(source(cell))]
    assert checks and all(cell["metadata"].get("jupyter", {}).get("source_hidden") for cell in checks)
    assert not [cell for cell in cells(path, "code") if "lab.expect(" in source(cell) and cell not in checks]


@every_python_lesson
def test_each_question_of_a_page_is_asked_once_before_its_answer_is_shown(path):
    asked = [name for what, name in calls(path) if what == "predict"]
    answered = [name for what, name in calls(path) if what == "reveal"]
    assert len(asked) >= 2 and len(set(asked)) == len(asked) and sorted(asked) == sorted(set(answered))
    assert sorted(asked) == sorted(lessons.every()[path.stem[:2]].predictions)
    order = [call for call in calls(path) if call[0] in ("predict", "reveal")]
    assert all(order.index(("predict", name)) < order.index(("reveal", name)) for name in asked)


@every_python_lesson
def test_no_exercise_is_judged_where_the_page_is_saved(path):
    solutions = [cell["id"] for cell in tagged(path, "solution")]
    saved = [cell["outputs"] for cell in cells(path, "code") if cell["id"] not in solutions]
    said = json.dumps(saved, ensure_ascii=False)  # judged, it tells its hint: an edited file lay in work/
    assert MARKS[True] not in said and MARKS[False] not in said


@every_python_lesson
def test_its_exercises_are_the_topics_own(path):
    checked = [name for what, name in calls(path) if what == "grade"]
    exercises = lessons.every()[path.stem[:2]].exercises.values()
    assert list(dict.fromkeys(checked)) == [exercise.name for exercise in exercises] and len(exercises) == 3
    edited = [name for what, name in calls(path) if what == "template"]
    assert edited == [exercise.name for exercise in exercises if exercise.template]


def test_one_word_names_a_topic_on_its_page_and_in_the_folders_of_its_samples():
    roots = (home.SAMPLES, benchmarks.SOURCES)
    folders = {place.name for root in roots for place in root.iterdir() if place.is_dir()}
    topics = {str(page(path)["metadata"]["topic"]) for path in NOTEBOOKS}
    assert folders <= topics <= folders | WITHOUT_SAMPLES


def test_the_course_has_its_pages_in_order():
    assert NOTEBOOKS[0].stem == "00-start-here"
    assert {"02-when-will-it-exit", "90-hang-your-own-kernel"} <= {path.stem for path in NOTEBOOKS}
