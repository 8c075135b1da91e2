"""The first page leads three readers to their doors, and the course has its parts."""

import re

import pytest

from safepointlab import cli
from safepointlab.process import home
from safepointlab.site import front


@pytest.fixture
def pages(page):
    return dict.fromkeys(("00-start-here", "02-when-will-it-exit", "10-more-threads"), page)


def test_each_of_the_three_readers_has_a_door_with_a_link_and_the_picture_has_its_alternative(pages):
    text = front.first(pages)
    doors = text.split("{container} sl-door\n")[1:]
    assert len(doors) == 3 and all("](notebooks/" in door for door in doors)
    assert "(3 pages, 2 hours in all)" in text
    assert '<img src="data:image/png;base64,AAAA" alt="1 of 2 hangs">' in text


def test_the_commands_of_the_first_page_exist(pages):
    text = front.first(pages)
    makefile = (home.PROJECT / "Makefile").read_text()
    assert set(re.findall(r"`safepoint (\w+)", text)) <= set(cli.COMMANDS)
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in re.findall(r"`make (\w+)", text))


def test_the_course_has_a_part_for_each_ten_and_lists_questions_with_their_minutes(pages):
    text = front.course(pages)
    parts = [line for line in text.splitlines() if line.startswith("## ")]
    assert parts == ["## What happens", "## What it costs"]
    assert "| [10 Does it exit?](10-more-threads.ipynb) | 35 |" in text
