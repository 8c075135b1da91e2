"""The first page leads three readers to their doors, and the course has its parts."""

import re

import pytest

from safepointlab import cli
from safepointlab.plot.interactive import Alive
from safepointlab.process import home
from safepointlab.site import front


@pytest.fixture
def pages(page):
    return dict.fromkeys(("00-start-here", "02-when-will-it-exit", "10-more-threads"), page)


def first(pages, address=""):
    return front.first(pages, "killer.start();", Alive("hang", {}, "<p>still there</p>", "it hangs"), address)


def test_each_of_the_three_readers_has_a_door_with_a_link_below_the_hang(pages):
    hero, *doors = first(pages).split("{container} sl-door\n")
    assert len(doors) == 3 and all("](notebooks/" in door for door in doors)
    assert "killer.start();" in hero and "<p>still there</p>" in hero
    assert "(3 pages, 2 hours in all)" in doors[1]


def test_a_clone_is_offered_only_from_an_address_that_others_reach(pages):
    assert "git clone https://git.example.org/a/lab " in first(pages, "https://git.example.org/a/lab")
    assert "git clone" not in first(pages) and "](docs/get.md)" in first(pages)


def test_the_commands_of_the_first_page_exist(pages):
    text = first(pages)
    makefile = (home.PROJECT / "Makefile").read_text()
    assert set(re.findall(r"`safepoint (\w+)", text)) <= set(cli.COMMANDS)
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in re.findall(r"`make (\w+)", text))


def test_the_course_has_a_part_for_each_ten_and_lists_questions_with_their_minutes(pages):
    text = front.course(pages)
    parts = [line for line in text.splitlines() if line.startswith("## ")]
    assert parts == ["## What happens", "## What it costs"]
    assert "| [10 Does it exit?](10-more-threads.ipynb) | 35 |" in text
