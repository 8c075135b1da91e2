"""`safepoint slides` -> a deck for each notebook that has one, in build/slides, with pictures for a projector."""

import argparse
import json
from pathlib import Path

from safepointlab.cli import notebooks, recordings
from safepointlab.process import home, recording
from safepointlab.process.files import write_whole
from safepointlab.teaching.demo import deck

EXECUTED = home.PROJECT / "build" / "sharp"  # the notebooks that were executed for sharp pictures
SHARP = "from matplotlib_inline.backend_inline import set_matplotlib_formats\nset_matplotlib_formats('retina')\n"
KEYS = " · ".join(f"{key}: {does}" for key, does in deck.KEYS.items()).replace(" · b:", "\n  b:")
EPILOG = f"""from the recorded runs, ten seconds or more a deck:
  safepoint slides
of one page, or of several:
  safepoint slides 02
  safepoint slides 02 06 20
from the pages as they were saved, at once, with half as many pixels in a picture's width:
  safepoint slides --saved
keys in a deck (a demo has its own, see safepoint demo --help: there b goes back, and n shows the notes on the screen):
  {KEYS}"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("wanted", nargs="*", help="the number or name of a notebook, or several (all)")
    parser.add_argument("--to", type=Path, default=deck.DECKS, metavar="FOLDER", help="where to (build/slides)")
    parser.add_argument("--saved", action="store_true", help="take the saved pages, whose pictures are smaller")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    named = dict.fromkeys(page for wanted in arguments.wanted for page in notebooks.find(wanted))  # each page once
    pages = list(named) or deck.pages()
    if without := [page for page in pages if not deck.tagged(json.loads(page.read_text("utf-8")))]:
        raise deck.without_slides(without[0])
    if not arguments.saved:
        if not recording.replaying():
            recordings.play()
        pages = list(map(_execute_sharply, pages))
    for path in deck.write_decks(pages, arguments.to):
        print(home.shown(path))
    return 0


def _execute_sharply(page: Path) -> Path:
    """The page, played from its recording with sharp pictures."""
    notebook = json.loads(page.read_text("utf-8"))
    first = next(cell for cell in notebook["cells"] if cell["cell_type"] == "code")
    first["source"] = SHARP + "".join(first["source"])
    copy = write_whole(home.ready(EXECUTED) / page.name, json.dumps(notebook))
    return notebooks.execute(copy, save=copy, say=lambda line: print(line, flush=True)).saved
