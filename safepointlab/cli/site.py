"""`safepoint site` -> the book as static web pages, from the notebooks as they were saved."""

import argparse
import time
from pathlib import Path

from safepointlab import config
from safepointlab.process import home

EPILOG = """the book in build/site:
  safepoint site
with links that run a page in the cloud:
  safepoint site --repository owner/name --out public"""


def configure(parser: argparse.ArgumentParser) -> None:
    where = (
        f"owner/name at GitHub, for links that run a page on Binder and in a Codespace (or ${config.REPOSITORY.name})"
    )
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="where to (build/site)")
    parser.add_argument("--repository", default=config.REPOSITORY.text(), metavar="OWNER/NAME", help=where)
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from safepointlab.site import book

    begin = time.monotonic()
    page = book.build((arguments.out or book.OUT).expanduser().resolve(), arguments.repository)
    count = len(list(page.parent.rglob("*.html")))
    print(f"{count} pages in {time.monotonic() - begin:.0f} s. Open {home.shown(page)}")
    return 0
