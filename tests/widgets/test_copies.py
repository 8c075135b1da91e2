"""The reader's copies of the pages: made without outputs, renewed, and never lost."""

import json
import shutil
from collections import Counter
from datetime import UTC, datetime

import pytest

from safepointlab.process.home import PROJECT
from safepointlab.widgets import copies

TODAY = datetime(2026, 11, 29, 12, tzinfo=UTC)
KEPT = "02-a-kept-2026-11-29"


def a_page(path, source, output="", **metadata):
    outputs = [{"output_type": "stream", "name": "stdout", "text": [output]}] if output else []
    code = {"cell_type": "code", "execution_count": 1 if output else None, "metadata": metadata, "outputs": outputs}
    path.write_text(json.dumps({"cells": [{**code, "source": [source]}], "metadata": {"widgets": {"state": {}}}}))


@pytest.fixture(autouse=True)
def no_midnight(monkeypatch):
    """A day that doesn't end while a test runs."""

    class Today(datetime):
        @classmethod
        def now(cls, tz=None):
            return TODAY

    monkeypatch.setattr(copies, "datetime", Today)


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


def names(copy):
    return sorted(path.name for path in copy.parent.glob("*.ipynb"))


def test_a_copy_is_the_page_without_its_outputs_and_the_page_is_left_alone(page):
    before = page.read_bytes()
    copies.renew()
    copied, saved = json.loads((copies.folder() / page.name).read_text()), json.loads(before)
    assert copied == {"cells": [{**saved["cells"][0], "execution_count": None, "outputs": []}], "metadata": {}}
    assert page.read_bytes() == before


def test_a_copy_of_each_page_of_the_course_keeps_all_but_the_outputs_and_folds_what_happened(monkeypatch, tmp_path):
    def kept(cells):
        return [{k: v for k, v in cell.items() if k not in ("outputs", "execution_count", "source")} for cell in cells]

    def text(cell):
        return "".join(cell["source"])

    monkeypatch.setenv("SAFEPOINTLAB_WORK", str(tmp_path))
    copies.renew()
    folds = 0
    for page in (PROJECT / "notebooks").glob("*.ipynb"):
        saved, copied = (json.loads(path.read_text("utf-8")) for path in (page, tmp_path / page.name))
        code = [cell for cell in copied["cells"] if cell["cell_type"] == "code"]
        assert code and not any(cell["execution_count"] or cell["outputs"] for cell in code)
        assert "widgets" not in copied["metadata"]
        assert kept(copied["cells"]) == kept(saved["cells"])
        for before, cell, original in zip(copied["cells"], copied["cells"][1:], saved["cells"][1:], strict=False):
            folds += text(cell).startswith(copies.FOLD)
            more = Counter(text(cell).replace(copies.FOLD, "").split()) - Counter(text(original).split())
            assert more == Counter(["</details>"] * (copies.FOLD in text(cell)))
            if "lab.reveal(" in text(before) and cell["cell_type"] == "markdown":
                assert text(cell).startswith((copies.FOLD, "#")) or text(cell).rstrip().endswith(":")
    assert folds > 50


@pytest.mark.each(
    ("source", "folded", "goes_on"),
    [
        ("It hangs.", "{fold}\n\nIt hangs.\n\n</details>", True),
        ("It hangs.\n\n## Part 2\n\nNow", "{fold}\n\nIt hangs.\n\n</details>\n\n## Part 2\n\nNow", False),
        ("## Part 2\n\nNow", "## Part 2\n\nNow", False),
        ("It hangs.\n\nHere it is with G1:", "{fold}\n\nIt hangs.\n\n</details>\n\nHere it is with G1:", True),
        ("Here it is with G1:", "Here it is with G1:", True),
    ],
)
def test_what_is_said_of_an_answer_is_folded_up_to_the_next_heading_or_question(source, folded, goes_on):
    def cell(kind, text, *tags):
        return {"cell_type": kind, "metadata": {"tags": list(tags)}, "source": [text]}

    cells = [cell("code", 'lab.reveal("x", x)'), cell("code", "lab.expect(x)", "check"), cell("markdown", source)]
    cells += [cell("code", "x"), cell("markdown", "More of it."), cell("code", 'lab.predict("y")')]
    cells += [cell("markdown", "Another.")]
    made = ["".join(each["source"]) for each in copies.without_outputs({"metadata": {}, "cells": cells})["cells"]]
    assert made[2] == folded.format(fold=copies.FOLD)
    assert (copies.FOLD in made[4]) is goes_on and made[6] == "Another."


MINE = {"source": "mine"}


@pytest.mark.parametrize(
    ("mine", "new", "holds", "tells"),
    [
        (None, {"source": "second"}, "second", ""),  # nobody touched it
        ({"source": "first", "trusted": True}, {"source": "second"}, "second", ""),  # opened and saved, but not run
        ({"source": "first", "output": "mine"}, {"source": "first", "output": "other"}, "mine", ""),  # the same page
        ({"source": "first", "output": "mine"}, {"source": "second"}, "second", f"kept as {KEPT}.ipynb"),  # run
        (MINE, {"source": "second"}, "mine", "safepoint notebooks --original 02"),  # edited
        (MINE, None, "mine", ""),
        (MINE, {"source": "first", "tags": ["slide"]}, "mine", ""),  # its cells did not change
    ],
)
def test_what_happens_to_a_copy_when_its_page_changes(page, copy, mine, new, holds, tells):
    for path, change in ((copy, mine), (page, new)):
        if change:
            a_page(path, **change)
    assert [tells in sentence for sentence in copies.renew()] == [True] * bool(tells)
    assert holds in copy.read_text()
    kept = copy.with_name(f"{KEPT}.ipynb")
    assert kept.exists() == ("kept" in tells) and (not kept.exists() or "mine" in kept.read_text())


def test_a_copy_that_was_made_with_its_outputs_loses_them_unless_it_was_touched(page):
    copy = copies.folder() / "02-a.ipynb"
    shutil.copy(page, copy)
    memory = json.dumps({copy.name: vars(copies.Print.of(page.read_bytes()))})
    (copy.parent / copies.MEMORY).write_text(memory)
    assert copies.renew() == [] and "the answer" not in copy.read_text() and names(copy) == ["02-a.ipynb"]
    (copy.parent / copies.MEMORY).write_text(memory)
    a_page(copy, "mine", output="the answer")
    assert copies.renew() == [] and "mine" in copy.read_text()


def test_the_original_comes_back_and_the_edited_copy_is_kept_however_often(copy):
    assert "Your copy" not in copies.original("02-a.ipynb") and names(copy) == ["02-a.ipynb"]
    for number in ("", "-2", "-3"):
        a_page(copy, f"mine{number}")
        assert f"{KEPT}{number}.ipynb" in copies.original("02-a.ipynb")
        assert "first" in copy.read_text()
    assert len(names(copy)) == 4


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"02-a.ipynb": 1}'])
def test_where_the_memory_is_lost_a_copy_counts_as_the_readers_own(page, copy, damage):
    (copy.parent / copies.MEMORY).write_text(damage)
    a_page(copy, "mine")
    a_page(page, "second")
    assert copies.renew() == [] and "mine" in copy.read_text()


def test_what_is_no_notebook_is_copied_as_it_is_and_counts_as_edited(page, copy):
    page.write_text("<<<<<<< ours {")
    assert copies.renew() == [] and copy.read_text() == "<<<<<<< ours {"
    copy.write_text("half a file {")
    a_page(page, "second")
    assert len(copies.renew()) == 1 and copy.read_text() == "half a file {"


def test_a_page_that_is_open_says_itself_that_the_labs_page_is_new(page, copy, monkeypatch):
    monkeypatch.setenv(copies.OPENED, str(copy))
    assert copies.outdated() == ""
    a_page(copy, "mine")
    a_page(page, "second")
    assert "--original 02" in copies.outdated() and "--original 02" in copies.stamp().outdated


def test_a_page_that_is_not_the_readers_copy_makes_no_folder_for_copies(page, monkeypatch):
    monkeypatch.setenv(copies.OPENED, str(page))
    assert copies.outdated() == "" and not (page.parent / "work").exists()


HANG = 'first = lab.java("hang/KillerTask", jdk=17, gc="Serial", deadline=3)\nlab.reveal("00-exit", first)'
BY_G1 = HANG.replace("Serial", "G1")
TWO = 'runs = lab.sweep("hang/KillerTask", gc=["Serial", "G1"], deadline=3)'


@pytest.mark.each(
    ("run", "changes"),
    [
        ([], []),
        ([HANG, TWO, "flag = '-Xint'\nlab.grade('00-1', flag)"], []),  # an answer is asked for
        ([BY_G1, TWO], ['gc="G1" instead of gc="Serial"']),
        ([BY_G1, HANG], []),  # taken back
        ([HANG + "\nfirst.forensics"], ["first.forensics is new"]),
        ([TWO.replace('["Serial", "G1"]', '["G1"]')], ['gc=["G1"] instead of gc=["Serial", "G1"]']),
        ([BY_G1.replace("first", "mine"), "1 + 1"], []),  # cells of the reader's own
    ],
)
def test_a_page_knows_which_of_its_cells_its_reader_changed(page, monkeypatch, run, changes):
    cells = [HANG, TWO, "flag = ...\nlab.grade('00-1', flag)"]
    page.write_text(json.dumps({"cells": [{"cell_type": "code", "metadata": {}, "source": [cell]} for cell in cells]}))
    monkeypatch.setenv(copies.OPENED, "work/02-a.ipynb")
    assert copies.changes(run) == changes


@pytest.mark.parametrize("opened", ["", "work/mine.ipynb"])
def test_a_page_that_is_the_readers_own_has_no_changed_cells(page, monkeypatch, opened):
    monkeypatch.setenv(copies.OPENED, opened)
    assert copies.changes(["first!"]) == []
