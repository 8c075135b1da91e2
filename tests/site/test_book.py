"""A checkout becomes a book, or an error that says what is missing; what was there before stays whole."""

import json

import pytest

from safepointlab import cli
from safepointlab.errors import BadInput, RunFailed, ToolMissing
from safepointlab.site import book


@pytest.fixture(autouse=True)
def without_reference(monkeypatch):
    """The reference is made of the lab's own tables; these books are of two pages."""
    monkeypatch.setattr(book.reference, "write", lambda folder, project: [])


def test_the_book_has_each_page_its_file_to_keep_and_the_documents_and_folds_the_answer(project, tmp_path):
    index = book.build(tmp_path / "out", "some-one/lab.js", project)
    there = {str(path.relative_to(index.parent)) for path in index.parent.rglob("*")}
    assert {"notebooks/00-start-here.html", "downloads/00-start-here.ipynb", "docs/architecture.html"} <= there
    kept = json.loads((index.parent / "downloads" / "00-start-here.ipynb").read_text())
    assert not [cell for cell in kept["cells"] if cell.get("outputs")]
    assert "blob/HEAD/safepointlab/cli.py" in (index.parent / "docs" / "architecture.html").read_text()
    html = (index.parent / "notebooks" / "00-start-here.html").read_text()
    assert html.count('<details class="sl-fold sl-fold-code" open>') == 2
    assert html.count('<details class="sl-fold sl-fold-answer">') == 1
    assert html.count('<details class="sl-fold sl-fold-solution">') == 1


def test_what_is_said_about_an_answer_is_folded_with_it_up_to_the_next_heading_or_question(project, tmp_path):
    place = project / "notebooks" / "00-start-here.ipynb"
    page = json.loads(place.read_text())
    opening, question, answer, *rest = page["cells"]
    said = [{**opening, "source": text} for text in ("It hangs.\n\nWhat else?", "It hung.", "## Part 2\n\nIt waits.")]
    page["cells"] = [opening, question, answer, said[0], question, answer, said[1], said[2], *rest]
    place.write_text(json.dumps(page))
    html = (book.build(tmp_path / "out", "", project).parent / "notebooks" / "00-start-here.html").read_text()
    folds = [part.partition("</details>")[0] for part in html.split("sl-fold-answer")[1:]]
    assert ["It hangs." in fold for fold in folds] == [True, False]
    assert ["It hung." in fold for fold in folds] == [False, True]
    assert not [fold for fold in folds if "What else?" in fold or "It waits." in fold]


def test_a_page_without_outputs_is_named_and_the_book_of_before_stays(project, tmp_path):
    (tmp_path / "out").mkdir()
    for name in (book.MARK, "index.html"):
        (tmp_path / "out" / name).write_text("before")
    place = project / "notebooks" / "02-when-will-it-exit.ipynb"
    page = json.loads(place.read_text())
    page["cells"][1].update(outputs=[], execution_count=None)
    place.write_text(json.dumps(page))
    with pytest.raises(BadInput, match="02-when-will-it-exit is saved without its outputs"):
        book.build(tmp_path / "out", "", project)
    assert (tmp_path / "out" / "index.html").read_text() == "before"


def test_a_link_to_nowhere_makes_no_book_and_sphinx_says_where_it_stands(project, tmp_path):
    place = project / "notebooks" / "00-start-here.ipynb"
    place.write_text(place.read_text().replace("02-when-will-it-exit.ipynb", "03-not-there.ipynb"))
    with pytest.raises(RunFailed, match="00-start-here.*03-not-there"):
        book.build(tmp_path / "out", "", project)
    assert not (tmp_path / "out").exists()


def test_a_folder_that_holds_something_else_is_not_replaced(project, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    with pytest.raises(BadInput, match="holds something else"):
        book.build(tmp_path / "mine", "", project)
    assert (tmp_path / "mine" / "thesis.txt").exists()


def test_without_sound_notebooks_it_is_said_where_they_were_looked_for(tmp_path):
    with pytest.raises(BadInput, match="no notebooks in .*nowhere/notebooks"):
        book.build(tmp_path / "out", "", tmp_path / "nowhere")
    (tmp_path / "nowhere" / "notebooks").mkdir(parents=True)
    (tmp_path / "nowhere" / "notebooks" / "00-start-here.ipynb").write_text('{"cells": [')
    with pytest.raises(BadInput, match="00-start-here.ipynb is damaged"):
        book.build(tmp_path / "out", "", tmp_path / "nowhere")


def test_without_sphinx_it_is_said_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setattr(book, "NEEDED", ("sphinx", "no_such_theme"))
    with pytest.raises(ToolMissing, match="no no_such_theme.*pip install"):
        book.build(tmp_path / "out")


@pytest.mark.each("repository", ["https://github.com/a/b", "lab", "someone/", "some one/lab", "a/b/c"])
def test_a_repository_that_is_not_owner_and_name_is_an_error_of_the_command(repository, tmp_path, capsys):
    assert cli.main(["site", "--out", str(tmp_path / "out"), "--repository", repository]) == 2
    assert "owner/name" in capsys.readouterr().err
