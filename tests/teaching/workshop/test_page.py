"""page.py and answers.py: a notebook tells a teacher its parts, what came, the solutions, and what goes wrong."""

import pytest

from safepointlab.errors import BadInput
from safepointlab.teaching.workshop import cells, page
from safepointlab.teaching.workshop.answers import NOT_RECORDED, exercises, questions


def test_a_part_has_the_last_heading_of_the_cell_that_states_its_minutes(small):
    assert [(part.label, part.heading, part.minutes) for part in page.parts(small)] == [
        ("Part 1", "Part 1: a hang", 4),
        ("Try it", "Try it", 5),
    ]


def test_a_page_tells_its_goal_and_its_pitfalls_from_the_metadata(small):
    told = page.page("02-exit", small)
    assert (told.number, told.title, told.minutes, told.goal) == ("02", "Does it exit?", 9, "Know it.")
    assert told.goes_wrong == ("All.",) and told.asked == (("Why?", "So."),)


def test_what_came_is_what_the_saved_page_has(small):
    (question,) = questions(small)
    assert question.came == ("What came: It hangs.", "Why: No poll.") and "countOdds" in question.text
    small["cells"][3]["outputs"] = []
    assert questions(small)[0].came == (NOT_RECORDED,)


def test_a_page_in_java_asks_in_its_prose(small):
    asked = "Who reads it?\n\n**Predict.**\n\n- **A**: nobody\n\n<details>no</details>"
    small["cells"][1:3] = [{"cell_type": "markdown", "metadata": {}, "source": asked}]
    assert questions({**small, "cells": small["cells"][:2]})[0].text == "Who reads it?\n\n- **A**: nobody"


def test_an_exercise_has_its_solution_and_what_a_right_answer_is_told(small):
    (exercise,) = exercises(small)
    assert (exercise.heading, exercise.text) == ("Exercise 1: a flag", "Which?")
    assert exercise.solutions[0].code == 'the_answer("-XX:+Yes")' and exercise.solutions[0].put_out == ("it exits",)
    assert exercise.why


def test_a_notebook_without_a_goal_is_refused_with_what_to_add(small):
    del small["metadata"]["workshop"]["goal"]
    with pytest.raises(BadInput, match="02-exit: the notebook's metadata have no goal under the key 'workshop'"):
        page.page("02-exit", small)


def test_a_notebook_without_minutes_is_refused(small):
    small["cells"][0]["source"] = ["# Does it exit?"]
    with pytest.raises(BadInput, match="the opening says no minutes"):
        page.page("02-exit", small)


def test_a_damaged_notebook_and_an_empty_folder_are_named(tmp_path):
    (tmp_path / "02-exit.ipynb").write_text("{")
    with pytest.raises(BadInput, match="02-exit.ipynb cannot be read"):
        cells.read(tmp_path / "02-exit.ipynb")
    with pytest.raises(BadInput, match="no notebooks in"):
        page.course(tmp_path / "none")


def test_the_parts_of_each_page_add_up_to_its_minutes(course):
    assert {each.name: sum(part.minutes for part in each.parts) for each in course} == {
        each.name: each.minutes for each in course
    }


def test_each_page_has_a_goal_two_or_three_pitfalls_and_two_or_three_questions(course):
    assert len(course) == 21 and all(len(each.goal) > 40 for each in course)
    assert all(len(each.goes_wrong) in (2, 3) and len(each.asked) in (2, 3) for each in course)


def test_each_lesson_has_its_predictions_and_three_solved_exercises(course):
    lessons = [each for each in course if each.number != "30"]
    assert all(len(each.questions) >= 2 and all(question.text for question in each.questions) for each in lessons)
    assert all(len(each.exercises) == 3 for each in lessons)
    assert all(exercise.solutions for each in lessons for exercise in each.exercises)
