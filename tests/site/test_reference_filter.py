"""Above the table of claims: only the rows that fit what a reader chose are left; without script all are there."""

from dataclasses import replace

import pytest
from playwright.sync_api import Page

from safepointlab.claims.base import Claim, holds
from safepointlab.process.home import PROJECT
from safepointlab.site.reference import claims, verdicts

SCRIPT = (PROJECT / "safepointlab" / "site" / "static" / "reference.js").read_text("utf-8")
SAID = {("000-01", 8): "holds", ("000-01", 25): "changed", ("001-01", 8): "never did", ("001-01", 25): "holds"}

pytestmark = pytest.mark.browser


def body() -> str:
    """A table of three claims: one is never measured."""
    entries = [{"id": id, "jdk": jdk, "verdict": word, "why": "", "measured": {}} for (id, jdk), word in SAID.items()]
    known = [
        Claim(id, f"It is {id}", "said", lambda jdk: {}, lambda evidence: holds(""))
        for id in ("000-01", "001-01", "002-01")
    ]
    topics = {"000-01": "hang", "001-01": "osr", "002-01": "osr"}
    return claims.filtered_table(
        verdicts.of({"kind": "", "verdicts": entries}, [replace(each, topic=topics[each.id]) for each in known])
    )


@pytest.fixture
def table(browser_page: Page) -> Page:
    browser_page.set_content(f"<script>{SCRIPT}</script>{body()}")
    return browser_page


def rows(page: Page) -> list[str]:
    return page.locator("#claims tbody tr:not(.sl-post):visible th").all_inner_texts()


@pytest.mark.parametrize(
    ("chosen", "left"),
    [
        ({"post": "001"}, ["001-01"]),
        ({"topic": "osr"}, ["001-01", "002-01"]),
        ({"verdict": "holds"}, ["000-01", "001-01"]),
        ({"jdk": "8", "verdict": "holds"}, ["000-01"]),
        ({"jdk": "25"}, ["000-01", "001-01"]),
        ({"verdict": "not-run"}, ["002-01"]),
    ],
)
def test_only_the_rows_that_fit_all_choices_are_left_and_counted(table, chosen, left):
    for name, value in chosen.items():
        table.select_option(f"select[name={name}]", value)
    assert rows(table) == left
    assert table.inner_text("output") == f"{len(left)} of 3 claims"


def test_a_reader_with_a_keyboard_alone_searches_and_shows_all_again(table):
    table.focus("input[name=words]")
    table.keyboard.type("001-01 is")
    assert rows(table) == ["001-01"] and not table.locator(".sl-post").first.is_visible()
    table.keyboard.press("Tab")
    table.keyboard.press("Enter")
    table.wait_for_function("document.querySelector('output').value.startsWith('3 of')")
    assert len(rows(table)) == 3


def test_without_script_there_are_all_rows_and_no_dead_form(browser_page):
    browser_page.set_content(body())
    assert len(rows(browser_page)) == 3 and not browser_page.locator("form").is_visible()
