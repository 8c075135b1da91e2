"""A notebook -> its deck: the slides of its tagged cells in one HTML file, which fetches nothing when it is opened."""

import json
from pathlib import Path
from typing import Any

from safepointlab.errors import BadInput
from safepointlab.process import home
from safepointlab.process.files import write_whole
from safepointlab.teaching.demo import cells
from safepointlab.teaching.demo.cells import Slide

HERE = Path(__file__).parent
NOTEBOOKS = home.PROJECT / "notebooks"
DECKS = home.PROJECT / "build" / "slides"
NAME = "deck"  # of the template's folder


def pages() -> list[Path]:
    """The notebooks that have tagged cells."""
    return [path for path in sorted(NOTEBOOKS.glob("*.ipynb")) if cells.tagged(_read(path))]


def every(notebooks: list[Path], folder: Path = DECKS) -> list[Path]:
    """Write the decks of these notebooks, and a page that leads to all decks of the folder.

    Raises:
        BadInput: a notebook has no tagged cell, or a tagged cell has no outputs.
    """
    decks = [written(path, folder) for path in notebooks]
    return [*decks, _index(folder)]


def written(notebook: Path, folder: Path = DECKS) -> Path:
    """Write the deck of one notebook into the folder.

    Raises:
        BadInput: no cell is tagged, or a tagged one has no outputs, as the notebook was saved without them.
    """
    made = [slide for cell in cells.tagged(_read(notebook)) for slide in _slides(cell, notebook)]
    if not made:
        raise BadInput(f"{notebook.name} has no cell with the tag {cells.TAG!r}, so there is nothing to show.")
    return write_whole(home.ready(folder) / f"{notebook.stem}.html", html(made, title(made)))


def _slides(cell: cells.Cell, notebook: Path) -> list[Slide]:
    made = cells.slides(cell)
    if not made:
        advice = "Run `safepoint notebooks`, or take the saved page."
        raise BadInput(f"{notebook.name}: the cell {cell.get('id')} is tagged and has no output to show. {advice}")
    return made


def _read(notebook: Path) -> dict[str, Any]:
    return dict(json.loads(notebook.read_text("utf-8")))


def title(made: list[Slide]) -> str:
    """The first slide's heading: the notebook's question."""
    return made[0].markdown.partition("\n")[0].lstrip("# ").strip()


def html(made: list[Slide], name: str) -> str:
    """The deck as one page: nbconvert writes the slides, our template the page around them."""
    from nbconvert.exporters import SlidesExporter

    exporter = SlidesExporter(  # type: ignore[no-untyped-call]
        template_name=NAME,
        extra_template_basedirs=[str(HERE / "templates")],
        exclude_input_prompt=True,
        exclude_output_prompt=True,
        exclude_anchor_links=True,
    )
    page, _ = exporter.from_notebook_node(_as_notebook(made), {"deck": _parts(name)})
    return str(page)


def _parts(name: str) -> dict[str, str]:
    """What the template puts into the page: reveal.js, which comes with the lab, and our styles."""
    files = {"reveal_js": "reveal.js", "notes_js": "notes.js", "reveal_css": "reveal.css"}
    parts = {part: (HERE / "reveal" / file).read_text("utf-8") for part, file in files.items()}
    return parts | {"title": name, "css": (HERE / "templates" / NAME / "deck.css").read_text("utf-8")}


def _as_notebook(made: list[Slide]) -> Any:
    """A notebook as nbconvert's exporter expects it: a slide, then its notes, each a Markdown cell."""
    from nbformat import v4

    parts = [part for slide in made for part in ((slide.markdown, "slide"), (slide.notes, "notes"))]
    markdown = [v4.new_markdown_cell(text, metadata={"slideshow": {"slide_type": kind}}) for text, kind in parts]
    return v4.new_notebook(cells=markdown, metadata={"language_info": {"name": "python"}})


def _index(folder: Path) -> Path:
    decks = sorted(path.stem for path in folder.glob("*.html") if path.stem != "index")
    links = "\n".join(f"<li><a href='{name}.html'>{name}</a></li>" for name in decks)
    style = "<style>body{font:24px/1.6 sans-serif;margin:3em}</style>"
    head = f"<!DOCTYPE html><html lang='en'><meta charset='utf-8'><title>Safepoint Lab: slides</title>{style}"
    keys = "<p>In a deck: space goes on, s opens the speaker's notes, f fills the screen.</p>"
    return write_whole(folder / "index.html", f"{head}<h1>Slides</h1><ul>\n{links}\n</ul>{keys}</html>\n")
