"""A notebook tells a teacher its parts, what came, the solutions, and what goes wrong."""

import pytest

from safepointlab.errors import BadInput
from safepointlab.teaching.workshop import page
from safepointlab.teaching.workshop.page import NOT_RECORDED


def test_a_page_tells_its_goal_its_pitfalls_and_its_parts_by_the_last_heading_of_their_first_cell(small):
    told = page.page("02-exit", small)
    assert (told.number, told.title, told.minutes, told.goal) == ("02", "Does it exit?", 9, "Know it.")
    assert told.goes_wrong == ("All.",) and told.asked == (("Why?", "So."),)
    parts = [(part.label, part.heading, part.minutes) for part in told.parts]
    assert parts == [("Part 1", "Part 1: a hang", 4), ("Try it", "Try it", 5)]


def test_what_came_is_what_the_saved_page_has(small):
    (question,) = page.page("02-exit", small).questions
    assert question.came == ("Result: It hangs.", "Why: No poll.") and "countOdds" in question.text
    small["cells"][3]["outputs"] = []
    assert page.page("02-exit", small).questions[0].came == (NOT_RECORDED,)


def test_a_page_in_java_asks_in_its_prose(small):
    asked = "Who reads it?\n\n**Predict.**\n\n- **A**: nobody\n\n<details>no</details>"
    small["cells"][1:3] = [{"cell_type": "markdown", "metadata": {}, "source": asked}]
    told = page.page("02-exit", {**small, "cells": small["cells"][:2]})
    assert told.questions[0].text == "Who reads it?\n\n- **A**: nobody"


def test_an_exercise_has_its_solution_and_what_a_right_answer_is_told(small):
    (exercise,) = page.page("02-exit", small).exercises
    assert (exercise.heading, exercise.text) == ("Exercise 1: a flag", "Which?")
    assert exercise.solutions[0].code == 'the_answer("-XX:+Yes")' and exercise.solutions[0].put_out == ("it exits",)
    assert exercise.why and exercise.kind == "a"


def test_a_notebook_without_a_goal_or_minutes_is_refused_with_what_to_add(small):
    with pytest.raises(BadInput, match="the opening says no minutes"):
        page.page("02-exit", {**small, "cells": [{**small["cells"][0], "source": ["# Does it exit?"]}]})
    del small["metadata"]["workshop"]["goal"]
    with pytest.raises(BadInput, match="02-exit: the notebook's metadata have no goal under the key 'workshop'"):
        page.page("02-exit", small)


def test_a_damaged_notebook_and_an_empty_folder_are_named(tmp_path):
    with pytest.raises(BadInput, match="no notebooks in"):
        page.course(tmp_path)
    (tmp_path / "02-exit.ipynb").write_text("{")
    with pytest.raises(BadInput, match="02-exit.ipynb cannot be read"):
        page.course(tmp_path)


def test_each_page_of_the_course_has_what_a_teacher_needs(course):
    assert [each.name for each in course] == sorted(path.stem for path in page.FOLDER.glob("*.ipynb"))
    for each in course:
        assert sum(part.minutes for part in each.parts) == each.minutes
        assert len(each.goal) > 40 and len(each.goes_wrong) in (2, 3) and len(each.asked) in (2, 3)
        if each.number != "30":
            assert len(each.questions) >= 2 and all(question.text for question in each.questions)
            assert len(each.exercises) == 3 and all(exercise.solutions for exercise in each.exercises)
