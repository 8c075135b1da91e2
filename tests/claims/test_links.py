"""Names of JEPs, bugs and posts are links, once, and nowhere in code."""

import json

import pytest

from safepointlab.claims import links
from safepointlab.claims.base import POSTS
from safepointlab.process.home import PROJECT

NOTEBOOKS = sorted((PROJECT / "notebooks").glob("*.ipynb"))


@pytest.mark.each(
    ("bare", "linked"),
    [
        ("JEP 376's", "[JEP 376](https://openjdk.org/jeps/376)'s"),
        ("(JDK-8186027, 10)", "([JDK-8186027](https://bugs.openjdk.org/browse/JDK-8186027), 10)"),
        ("JEP 374, 15", "[JEP 374](https://openjdk.org/jeps/374), 15"),
        ("*JVM guaranteed safepoints*", f"*[JVM guaranteed safepoints]({links.PAGES['JVM guaranteed safepoints']})*"),
    ],
)
def test_a_name_becomes_a_link_once(bare, linked):
    assert links.markdown(bare) == links.markdown(linked) == linked


def test_each_number_of_a_list_of_jeps_is_a_link():
    assert links.markdown("JEP 439, 474 and 490 (ZGC)").count("](https://openjdk.org/jeps/") == 3


@pytest.mark.each(
    "text",
    [
        "`JEP 376`",
        "```\nJDK-8186027\n```",
        "[JEP 376](https://openjdk.org/jeps/376)",
        "[see *JEP 376* [a]](page.ipynb)",
        "https://bugs.openjdk.org/browse/JDK-8186027",
        "<a href='JDK-8186027'>",
        "JDK 17, JEPs, JDK-81",
    ],
)
def test_code_links_addresses_and_other_words_stay(text):
    assert links.markdown(text) == text


def test_text_for_a_page_is_escaped_and_linked():
    assert links.html("<b> JEP 374") == "&lt;b&gt; <a href='https://openjdk.org/jeps/374'>JEP 374</a>"


def test_every_post_has_an_address():
    assert not [title for title in POSTS.values() if not any(name in title for name in links.PAGES)]


def test_a_notebook_gets_links_in_its_markdown_and_one_that_needs_none_is_the_same_to_the_byte():
    cells = [{"cell_type": kind, "source": ["JEP 376\n", "é"]} for kind in ("markdown", "code")]
    linked = json.loads(links.in_notebook(json.dumps({"cells": cells})))["cells"]
    assert linked[0]["source"] == ["[JEP 376](https://openjdk.org/jeps/376)\n", "é"] and linked[1] == cells[1]
    text = '{"cells": [ ] }'
    assert links.in_notebook(text) is text


@pytest.mark.each("path", NOTEBOOKS)
def test_every_name_on_a_page_of_the_lab_is_a_link(path):
    text = path.read_text("utf-8")
    assert links.in_notebook(text) == text, "link them with: safepoint notebooks --links"
