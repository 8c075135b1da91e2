"""The reader's copies of the pages: made, renewed, and never lost."""

import json
from datetime import UTC, datetime

import pytest

from safepointlab.session import work

TODAY = f"{datetime.now(UTC):%Y-%m-%d}"


def a_page(path, source, output=""):
    outputs = [{"output_type": "stream", "name": "stdout", "text": [output]}] if output else []
    path.write_text(json.dumps({"cells": [{"cell_type": "code", "source": [source], "outputs": outputs}]}))


@pytest.fixture
def page(tmp_path, monkeypatch):
    """The lab's own page, 02-a.ipynb, with nobody's copy of it yet."""
    monkeypatch.setenv("SAFEPOINTLAB_WORK", str(tmp_path / "work"))
    monkeypatch.setattr(work, "ORIGINALS", tmp_path)
    a_page(tmp_path / "02-a.ipynb", "first")
    return tmp_path / "02-a.ipynb"


@pytest.fixture
def copy(page):
    """The reader's copy of it."""
    assert work.renew() == []
    return work.folder() / "02-a.ipynb"


def names(copy):
    return sorted(path.name for path in copy.parent.glob("*.ipynb"))


def test_a_copy_is_made_of_every_page_and_the_page_is_left_alone(page, copy):
    assert copy.read_bytes() == page.read_bytes() and copy.parent != page.parent


def test_a_copy_that_nobody_touched_follows_the_page(page, copy):
    a_page(page, "second")
    assert work.renew() == [] and "second" in copy.read_text() and names(copy) == ["02-a.ipynb"]


def test_a_copy_that_was_only_run_follows_the_page_and_is_kept_with_a_date(page, copy):
    a_page(copy, "first", output="mine")
    a_page(page, "second")
    (said,) = work.renew()
    kept = copy.with_name(f"02-a-kept-{TODAY}.ipynb")
    assert kept.name in said and "mine" in kept.read_text() and "second" in copy.read_text()


def test_an_edited_copy_stays_and_the_reader_is_told_that_the_page_is_new(page, copy):
    a_page(copy, "mine")
    a_page(page, "second")
    (said,) = work.renew()
    assert "mine" in copy.read_text() and "safepoint notebooks --original 02" in said


def test_an_edited_copy_of_a_page_that_did_not_change_is_nobodys_business(copy):
    a_page(copy, "mine")
    assert work.renew() == [] and "mine" in copy.read_text()


def test_the_original_comes_back_and_the_edited_copy_is_kept_however_often(copy):
    for number in ("", "-2", "-3"):
        a_page(copy, f"mine{number}")
        assert f"02-a-kept-{TODAY}{number}.ipynb" in work.original("02-a.ipynb")
        assert "first" in copy.read_text()
    assert len(names(copy)) == 4


def test_the_original_of_a_copy_that_is_one_keeps_nothing_beside(copy):
    assert "Your copy" not in work.original("02-a.ipynb") and names(copy) == ["02-a.ipynb"]


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"02-a.ipynb": 1}'])
def test_where_the_memory_is_lost_a_copy_counts_as_the_readers_own(page, copy, damage):
    (copy.parent / work.MEMORY).write_text(damage)
    a_page(copy, "mine")
    a_page(page, "second")
    assert work.renew() == [] and "mine" in copy.read_text()


def test_a_copy_that_is_no_notebook_any_more_counts_as_edited(page, copy):
    copy.write_text("half a file {")
    a_page(page, "second")
    assert len(work.renew()) == 1 and copy.read_text() == "half a file {"


def test_a_page_that_is_open_says_itself_that_the_labs_page_is_new(page, copy, monkeypatch):
    monkeypatch.setenv(work.OPENED, str(copy))
    assert work.outdated() == ""
    a_page(copy, "mine")
    a_page(page, "second")
    assert "--original 02" in work.outdated()


def test_a_page_that_is_not_the_readers_copy_makes_no_folder_for_copies(page, monkeypatch):
    monkeypatch.setenv(work.OPENED, str(page))
    assert work.outdated() == "" and not (page.parent / "work").exists()
