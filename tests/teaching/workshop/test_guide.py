"""guide.py: the instructor's guide names each part, what came, what goes wrong and each solution of every page."""

import re

import pytest

from safepointlab.teaching.workshop import agenda, guide, page
from safepointlab.teaching.workshop.document import slug


@pytest.fixture(scope="module")
def text(course):
    return guide.guide(course, agenda.agendas(course))


def test_the_guide_names_each_part_of_each_page_with_its_minutes(course, text):
    sections = dict(zip([each.name for each in course], re.split(r"^## ", text, flags=re.MULTILINE)[1:], strict=True))
    for each in course:
        lines = [f"| {part.heading} | {part.minutes} |" for part in each.parts]
        assert lines and all(line in sections[each.name] for line in lines)


def test_the_guide_tells_goal_pitfalls_and_questions_of_each_page(course, text):
    for each in course:
        told = [each.goal, *each.goes_wrong, *(words for asked in each.asked for words in asked)]
        assert all(words in text for words in told)


def test_the_guide_has_each_solution(course, text):
    codes = [solution.code for each in course for exercise in each.exercises for solution in exercise.solutions]
    assert len(codes) >= 60 and all(code in text for code in codes)


def test_each_page_of_the_table_leads_to_its_section(course, text):
    assert all(f"(#{slug(guide.heading(each))})" in text for each in course)


def test_a_question_has_what_it_offers_and_what_came(small):
    lines = list(guide.section(page.page("02-exit", small)))
    assert "    - **What came**: It hangs." in lines and "    - **Why**: No poll." in lines
    assert any(line.startswith("    - **Offered**: ") and " · " in line for line in lines)


def test_the_solutions_apart_have_text_code_and_what_it_put_out(small):
    small["cells"][4]["source"] += " See [05](05-counted-or-uncounted.ipynb)."
    apart = guide.solutions(page.page("02-exit", small))
    assert "## Exercise 1: a flag" in apart and 'the_answer("-XX:+Yes")' in apart and "it exits" in apart
    assert "(../student/05-counted-or-uncounted.ipynb)" in apart
