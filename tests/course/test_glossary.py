"""A word has one meaning on all pages: every new word of a page is in the glossary, under one of its names."""

import json
import re
from pathlib import Path

import pytest

from safepointlab.course import glossary
from safepointlab.errors import BadInput
from safepointlab.process.home import PROJECT

NOTEBOOKS = sorted((PROJECT / "notebooks").glob("*.ipynb"))
ENTRIES = list(glossary.entries().values())

each_entry = pytest.mark.each("entry", ENTRIES)


def source(path: Path) -> str:
    return "\n\n".join("".join(cell["source"]) for cell in json.loads(path.read_text("utf-8"))["cells"])


@pytest.mark.each("path", NOTEBOOKS)
def test_every_new_word_of_a_page_is_in_the_glossary(path):
    words = glossary.new_words(page := source(path))
    assert bool(words) == ("**New words" in page) and all(map(glossary.find, words))


@each_entry
def test_an_entry_ends_as_a_sentence_and_names_the_notebook_that_explains_it(entry):
    assert entry.means.endswith((".", ".)")) and entry.page in [path.stem for path in NOTEBOOKS]


@each_entry
def test_a_link_of_an_entry_leads_to_a_jep_a_bug_or_a_known_site(entry):
    for name in entry.see:
        assert name in glossary.SITES or re.fullmatch(r"JEP \d{2,3}|JDK-\d{7}", name)


def test_no_name_belongs_to_two_entries():
    names = [name.lower() for entry in ENTRIES for name in (entry.word, *entry.also)]
    assert sorted(set(names)) == sorted(names)


def test_the_file_is_in_the_order_of_the_alphabet():
    assert list(glossary.entries()) == sorted(glossary.entries(), key=str.lower)


@pytest.mark.parametrize("name", ["TTSP", "time to Safepoint", " poll ", "polls", "door"])
def test_a_word_is_found_by_any_of_its_names(name):
    assert glossary.find(name).word in {"time to safepoint", "poll", "OSR entry"}


def test_a_word_that_is_missing_is_answered_with_those_like_it():
    with pytest.raises(BadInput, match="no 'savepoint'. It has like it: safepoint"):
        glossary.words("savepoint")


def test_a_page_shows_word_meaning_and_links_without_script_or_style():
    html = glossary.words("handshake", "handshakes")._repr_html_()
    assert html.startswith("<dl><dt><b>handshake</b></dt><dd>The VM has one thread") and html.count("<dt>") == 1
    assert (
        "<a href='16-which-calls-stop-the-world.ipynb'>" in html and "<a href='https://openjdk.org/jeps/312'>" in html
    )
    assert not re.search("<script|<style|style=", html)


def test_a_terminal_shows_a_line_a_word():
    assert repr(glossary.words("promotion")).startswith("promotion: A young collection moves")


def test_all_of_it_is_shown_if_no_word_is_named():
    assert len(repr(glossary.words()).splitlines()) == len(ENTRIES) > 80
