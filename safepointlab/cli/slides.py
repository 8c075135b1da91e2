"""`safepoint slides` -> a deck for each notebook that has one, made of its saved outputs, in build/slides."""

import argparse
import json
from pathlib import Path

from safepointlab.cli import notebooks
from safepointlab.process import home
from safepointlab.process.files import write_whole
from safepointlab.teaching.demo import deck

PAGES = "pages"  # below the decks: the notebooks that were executed for sharp pictures
SHARP = "from matplotlib_inline.backend_inline import set_matplotlib_formats\nset_matplotlib_formats('retina')\n"
EPILOG = """from the saved pages, in seconds:
  safepoint slides
the same with twice as many pixels in each picture, from the recorded runs, in minutes:
  safepoint runs play -- safepoint slides --sharp"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("wanted", nargs="?", default="", help="the number or name of one notebook (all)")
    parser.add_argument("--to", type=Path, default=deck.DECKS, metavar="FOLDER", help="where to (build/slides)")
    parser.add_argument("--sharp", action="store_true", help="execute the pages first, for pictures of twice the size")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    pages = notebooks.find(arguments.wanted) if arguments.wanted else deck.pages()
    if arguments.sharp:
        pages = [_execute_sharply(page, arguments.to) for page in pages]
    for path in deck.write_decks(pages, arguments.to):
        print(home.shown(path))
    return 0


def _execute_sharply(page: Path, folder: Path) -> Path:
    """The page, executed with sharp pictures; where recordings are played, it starts no JVM."""
    notebook = json.loads(page.read_text("utf-8"))
    first = next(cell for cell in notebook["cells"] if cell["cell_type"] == "code")
    first["source"] = SHARP + "".join(first["source"])
    copy = write_whole(home.ready(folder / PAGES) / page.name, json.dumps(notebook))
    return notebooks.execute(copy, save=copy, say=lambda line: print(line, flush=True)).saved
