"""Questions and exercises are found by name; a name that there is none of is answered with those that there are."""

import json

import pytest

from safepointlab.cli import notebooks
from safepointlab.course import lessons
from safepointlab.errors import BadInput


def test_each_name_begins_with_the_number_of_its_notebook_and_each_text_has_its_function():
    for number, lesson in lessons.every().items():
        answers = lesson.module("answers")
        assert answers and set(lesson.predictions) == set(answers.CLASSIFIERS)
        assert list(lesson.exercises) == sorted(answers.JUDGES) == [f"{number}-1", f"{number}-2", f"{number}-3"]
        assert all(name.startswith(f"{number}-") for name in lesson.predictions)


def test_the_template_of_an_exercise_is_a_file_of_its_lesson_and_there_is_no_other():
    for lesson in lessons.every().values():
        templates = {exercise.template for exercise in lesson.exercises.values() if exercise.template}
        assert templates == set((lesson.folder / "templates").glob("*"))


def test_an_exercise_has_a_solution_and_two_wrong_answers_each_another_edit_of_its_file_if_it_has_one():
    for exercise in lessons.exercises():
        answers = [exercise.solution, *exercise.wrong]
        if exercise.template:
            answers = [exercise.template.read_text(), *(exercise.edited(edits).read_text() for edits in answers)]
        assert len(set(answers)) == len(answers) == 3 + bool(exercise.template)


def test_a_flag_that_solves_an_exercise_is_in_its_pages_solution():
    for exercise in lessons.exercises():
        if str(exercise.solution).startswith('"-X'):
            [page] = notebooks.find(exercise.name[:2])
            cells = json.loads(page.read_text("utf-8"))["cells"]
            solutions = ["".join(cell["source"]) for cell in cells if "solution" in cell["metadata"].get("tags", [])]
            assert any(exercise.solution.strip('"') in text for text in solutions), exercise.name


def test_a_misspelt_name_is_told_its_neighbour_and_all_of_its_page():
    with pytest.raises(BadInput, match=r"no question '02-kiler'\. Known: 02-killer, .*Did you mean '02-killer'"):
        lessons.prediction("02-kiler")


@pytest.mark.parametrize("odd", ["", "99-1", None, 3, ..., [], object()])
def test_what_is_no_name_at_all_is_told_every_exercise(odd):
    with pytest.raises(BadInput, match="Known: 00-1, .*23-3"):
        lessons.exercise(odd)
