"""The reader's copies of the pages: made without outputs, renewed, and never lost."""

import json
import shutil
from datetime import UTC, datetime

import pytest

from safepointlab.process.home import PROJECT
from safepointlab.widgets import copies

TODAY = f"{datetime.now(UTC):%Y-%m-%d}"


def a_page(path, source, output="", **metadata):
    outputs = [{"output_type": "stream", "name": "stdout", "text": [output]}] if output else []
    code = {"cell_type": "code", "execution_count": 1 if output else None, "metadata": metadata, "outputs": outputs}
    path.write_text(json.dumps({"cells": [{**code, "source": [source]}], "metadata": {"widgets": {"state": {}}}}))


@pytest.fixture
def page(tmp_path, monkeypatch):
    """The lab's own page, 02-a.ipynb, with nobody's copy of it yet."""
    monkeypatch.setenv("SAFEPOINTLAB_WORK", str(tmp_path / "work"))
    monkeypatch.setattr(copies, "ORIGINALS", tmp_path)
    a_page(tmp_path / "02-a.ipynb", "first", output="the answer")
    return tmp_path / "02-a.ipynb"


@pytest.fixture
def copy(page):
    """The reader's copy of it."""
    assert copies.renew() == []
    return copies.folder() / "02-a.ipynb"


@pytest.fixture
def old_copy(page):
    """The reader's copy as earlier versions of the lab made it: with the outputs, and the whole page remembered."""
    copy = copies.folder() / "02-a.ipynb"
    shutil.copy(page, copy)
    (copy.parent / copies.MEMORY).write_text(json.dumps({copy.name: vars(copies.Print.of(page.read_bytes()))}))
    return copy


def names(copy):
    return sorted(path.name for path in copy.parent.glob("*.ipynb"))


def test_a_copy_is_the_page_without_its_outputs_and_the_page_is_left_alone(page):
    before = page.read_bytes()
    copies.renew()
    copied, saved = json.loads((copies.folder() / page.name).read_text()), json.loads(before)
    assert copied == {"cells": [{**saved["cells"][0], "execution_count": None, "outputs": []}], "metadata": {}}
    assert page.read_bytes() == before


def test_a_copy_of_each_page_of_the_course_keeps_all_but_the_outputs(monkeypatch, tmp_path):
    monkeypatch.setenv("SAFEPOINTLAB_WORK", str(tmp_path))
    copies.renew()
    for page in (PROJECT / "notebooks").glob("*.ipynb"):
        saved, text = json.loads(page.read_text("utf-8")), (tmp_path / page.name).read_text("utf-8")
        copied = json.loads(text)
        code = [cell for cell in copied["cells"] if cell["cell_type"] == "code"]
        assert code and not any(cell["outputs"] or cell["execution_count"] for cell in code)
        assert "data:image" not in text and "widgets" not in copied["metadata"]
        assert [unrun(cell) for cell in copied["cells"]] == [unrun(cell) for cell in saved["cells"]]


def unrun(cell):
    """All of a cell but what a run changes."""
    return {name: value for name, value in cell.items() if name not in ("outputs", "execution_count")}


def test_a_copy_that_nobody_touched_follows_the_page(page, copy):
    a_page(page, "second")
    assert copies.renew() == [] and "second" in copy.read_text() and names(copy) == ["02-a.ipynb"]


def test_a_page_whose_outputs_alone_were_saved_again_is_the_same_page(page, copy):
    a_page(copy, "first", output="mine")
    a_page(page, "first", output="another answer")
    assert copies.renew() == [] and "mine" in copy.read_text() and names(copy) == ["02-a.ipynb"]


def test_a_copy_that_was_opened_and_saved_but_not_run_counts_as_untouched(page, copy):
    a_page(copy, "first", trusted=True)
    a_page(page, "second")
    assert copies.renew() == [] and "second" in copy.read_text() and names(copy) == ["02-a.ipynb"]


def test_a_copy_that_was_only_run_follows_the_page_and_is_kept_with_a_date(page, copy):
    a_page(copy, "first", output="mine")
    a_page(page, "second")
    (said,) = copies.renew()
    kept = copy.with_name(f"02-a-kept-{TODAY}.ipynb")
    assert kept.name in said and "mine" in kept.read_text() and "second" in copy.read_text()


def test_an_edited_copy_stays_and_the_reader_is_told_that_the_page_is_new(page, copy):
    a_page(copy, "mine")
    a_page(page, "second")
    (said,) = copies.renew()
    assert "mine" in copy.read_text() and "safepoint notebooks --original 02" in said


def test_an_edited_copy_of_a_page_that_did_not_change_is_nobodys_business(copy):
    a_page(copy, "mine")
    assert copies.renew() == [] and "mine" in copy.read_text()


def test_an_edited_copy_of_a_page_whose_cells_did_not_change_is_nobodys_business(page, copy):
    a_page(copy, "mine")
    a_page(page, "first", tags=["slide"])
    assert copies.renew() == [] and "mine" in copy.read_text()


def test_a_copy_of_an_earlier_version_that_nobody_touched_loses_its_outputs(old_copy):
    assert "the answer" in old_copy.read_text()
    assert copies.renew() == [] and "the answer" not in old_copy.read_text() and names(old_copy) == ["02-a.ipynb"]


def test_a_copy_of_an_earlier_version_that_was_run_is_kept_with_a_date(old_copy):
    a_page(old_copy, "first", output="mine")
    (said,) = copies.renew()
    kept = old_copy.with_name(f"02-a-kept-{TODAY}.ipynb")
    assert kept.name in said and "mine" in kept.read_text() and "mine" not in old_copy.read_text()


def test_a_copy_of_an_earlier_version_that_was_edited_stays_and_is_told_of_new_cells_alone(page, old_copy):
    a_page(old_copy, "mine", output="the answer")
    assert copies.renew() == [] and "mine" in old_copy.read_text()
    a_page(page, "second")
    (said,) = copies.renew()
    assert "mine" in old_copy.read_text() and "safepoint notebooks --original 02" in said


def test_the_original_of_a_copy_of_an_earlier_version_keeps_nothing_beside_unless_it_was_touched(page, old_copy):
    assert "Your copy" not in copies.original("02-a.ipynb") and "the answer" not in old_copy.read_text()
    a_page(old_copy, "mine")
    assert "Your copy" in copies.original("02-a.ipynb") and len(names(old_copy)) == 2


def test_the_original_comes_back_and_the_edited_copy_is_kept_however_often(copy):
    for number in ("", "-2", "-3"):
        a_page(copy, f"mine{number}")
        assert f"02-a-kept-{TODAY}{number}.ipynb" in copies.original("02-a.ipynb")
        assert "first" in copy.read_text()
    assert len(names(copy)) == 4


def test_the_original_of_a_copy_that_is_one_keeps_nothing_beside(copy):
    assert "Your copy" not in copies.original("02-a.ipynb") and names(copy) == ["02-a.ipynb"]


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"02-a.ipynb": 1}'])
def test_where_the_memory_is_lost_a_copy_counts_as_the_readers_own(page, copy, damage):
    (copy.parent / copies.MEMORY).write_text(damage)
    a_page(copy, "mine")
    a_page(page, "second")
    assert copies.renew() == [] and "mine" in copy.read_text()


def test_a_page_that_is_no_notebook_is_copied_as_it_is(page):
    page.write_text("<<<<<<< ours {")
    assert copies.renew() == [] and (copies.folder() / page.name).read_text() == "<<<<<<< ours {"


def test_a_copy_that_is_no_notebook_any_more_counts_as_edited(page, copy):
    copy.write_text("half a file {")
    a_page(page, "second")
    assert len(copies.renew()) == 1 and copy.read_text() == "half a file {"


def test_a_page_that_is_open_says_itself_that_the_labs_page_is_new(page, copy, monkeypatch):
    monkeypatch.setenv(copies.OPENED, str(copy))
    assert copies.outdated() == ""
    a_page(copy, "mine")
    a_page(page, "second")
    assert "--original 02" in copies.outdated()


def test_a_page_that_is_not_the_readers_copy_makes_no_folder_for_copies(page, monkeypatch):
    monkeypatch.setenv(copies.OPENED, str(page))
    assert copies.outdated() == "" and not (page.parent / "work").exists()
