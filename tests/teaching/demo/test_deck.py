"""A notebook's deck is one file with everything in it; a notebook without outputs or tags makes none, and says so."""

import base64
import json
import re
import struct

import pytest

from safepointlab import cli
from safepointlab.errors import BadInput
from safepointlab.process.home import PROJECT
from safepointlab.teaching.demo import cells, deck, demos

KERNEL = '{"kernelspec": {"name": "python3", "display_name": "Python"}}'
NOTEBOOKS = {demo.name: PROJECT / "notebooks" / f"{demo.notebook}.ipynb" for demo in demos.every()}


def notebook(folder, *parts: dict):
    path = folder / "99-own.ipynb"
    path.write_text(json.dumps({"cells": list(parts), "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    return path


def cell(kind: str = "markdown", tags: tuple[str, ...] = ("slide",), **more) -> dict:
    metadata = {"tags": list(tags), "speaker": "Say <this>."}
    return {"cell_type": kind, "id": "a1", "metadata": metadata, "source": "# Why?\n\nBecause.", **more}


@pytest.mark.each("path", NOTEBOOKS.values())
def test_each_demos_notebook_has_tagged_cells_that_all_say_something(path):
    tagged = cells.tagged(json.loads(path.read_text("utf-8")))
    assert 4 <= len(tagged) <= 12 and tagged[0]["cell_type"] == "markdown"
    assert all(part["metadata"].get(cells.SPEAKER) for part in tagged)


def test_a_deck_is_one_file_that_fetches_nothing(tmp_path):
    html = deck.written(notebook(tmp_path, cell()), tmp_path).read_text("utf-8")
    page = re.sub(r"(<script>).*?(</script>)", r"\1\2", html, flags=re.DOTALL)
    assert not re.findall(r"\s(?:src|href)=[\"'](?!data:)", page) and "@import" not in page and "reveal.js 5" in html
    assert "<title>Why?</title>" in html and '<aside class="notes">' in html


def test_a_notebook_without_tags_has_no_deck(tmp_path):
    with pytest.raises(BadInput, match="no cell with the tag 'slide'"):
        deck.written(notebook(tmp_path, cell(tags=())), tmp_path)


def test_a_notebook_that_was_saved_without_outputs_says_which_cell_lacks_them(tmp_path):
    with pytest.raises(BadInput, match="99-own.ipynb: the cell a1 is tagged and has no output"):
        deck.written(notebook(tmp_path, cell("code", outputs=[])), tmp_path)


def test_the_command_writes_the_deck_of_one_notebook(tmp_path, capsys):
    assert cli.main(["slides", "02", "--to", str(tmp_path)]) == 0
    assert {path.name for path in tmp_path.iterdir()} == {"02-when-will-it-exit.html", "index.html"}
    assert "href='02-when-will-it-exit.html'" in (tmp_path / "index.html").read_text()


@pytest.mark.notebook
def test_a_sharp_deck_executes_the_page_for_pictures_of_twice_the_size(tmp_path, monkeypatch):
    source = "import matplotlib.pyplot as plt\nfrom safepointlab.plot import _spoken\n"
    source += "figure, ax = plt.subplots(figsize=(4, 3), dpi=100)\n_spoken.speak(ax)\nfigure"
    own = notebook(tmp_path, cell("code", source=source, outputs=[], execution_count=None))
    own.write_text(own.read_text().replace('"metadata": {},', f'"metadata": {KERNEL},', 1))
    monkeypatch.setattr(deck, "pages", lambda: [own])
    assert cli.main(["slides", "--sharp", "--to", str(tmp_path)]) == 0
    png = re.search(r"data:image/png;base64,([^']+)", (tmp_path / "99-own.html").read_text())
    assert struct.unpack(">I", base64.b64decode(png[1])[16:20])[0] > 600
