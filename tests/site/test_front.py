"""The first page leads three readers to their doors, and the course has its parts."""

import re

import pytest

from safepointlab import cli
from safepointlab.process import home
from safepointlab.site import front


@pytest.fixture
def pages(page):
    return dict.fromkeys(("00-start-here", "02-when-will-it-exit", "10-more-threads"), page)


def test_each_of_the_three_readers_has_a_door_with_a_link(pages):
    doors = front.first(pages).split("{container} sl-door\n")[1:]
    assert [door.partition("**")[2].partition("**")[0] for door in doors] == [
        "You read alone",
        "You teach a workshop",
        "You speak on a stage",
    ]
    assert all("](notebooks/" in door for door in doors)


def test_the_commands_of_the_first_page_exist(pages):
    text = front.first(pages)
    makefile = (home.PROJECT / "Makefile").read_text()
    assert set(re.findall(r"`safepoint (\w+)", text)) <= set(cli.COMMANDS)
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in re.findall(r"`make (\w+)", text))


def test_the_first_page_counts_the_pages_and_their_hours(pages):
    assert "(3 pages, 2 hours in all)" in front.first(pages)


def test_the_first_pages_picture_is_the_courses_own_with_its_alternative(pages):
    assert '<img src="data:image/png;base64,AAAA" alt="1 of 2 hangs">' in front.first(pages)


def test_the_course_has_a_part_for_each_ten_and_no_empty_one(pages):
    parts = [line for line in front.course(pages).splitlines() if line.startswith("## ")]
    assert parts == ["## What happens", "## What it costs"]


def test_a_page_is_listed_with_its_number_question_and_minutes(pages):
    assert "| [10 Does it exit?](10-more-threads.ipynb) | 35 |" in front.course(pages)
