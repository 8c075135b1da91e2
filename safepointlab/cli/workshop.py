"""`safepoint workshop` -> a folder for a class: student pages, solutions apart, guide, agendas, handout, message."""

import argparse
from pathlib import Path

from safepointlab.errors import BadInput
from safepointlab.process import home
from safepointlab.teaching.workshop import folder

MINUTES = 120  # of the class of --pages
EPILOG = """the folder for a class, in build/workshop or elsewhere:
  safepoint workshop
  safepoint workshop --out class
a class of your own, of three pages in two hours, with its agenda and its guide:
  safepoint workshop --pages 02 11 23 --minutes 120
then, on each machine of the class:
  safepoint doctor --workshop"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--out", type=Path, default=folder.OUT, metavar="FOLDER", help="where to put it (build/workshop)"
    )
    told = "make one agenda, and the guide and the student pages of these alone"
    parser.add_argument("--pages", nargs="+", default=[], metavar="NN", help=told)
    parser.add_argument("--minutes", type=int, help="how long --pages may take, in minutes (120)")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    out = arguments.out.expanduser().resolve()
    if arguments.minutes and not arguments.pages:
        raise BadInput("--minutes says how long the class of --pages is. Name its pages: --pages 02 11 23.")
    files = folder.build(out, numbers=arguments.pages, minutes=arguments.minutes or MINUTES)
    pages = sum(path.suffix == ".ipynb" for path in files)
    print(f"{len(files)} files in {home.shown(out)}: {pages} student pages in student/, their solutions in solutions/.")
    print(f"Begin with {home.shown(out / 'instructor.html')}; the class gets student.zip and handout.html.")
    if (out / folder.EDITED).exists():
        print(f"Your own {folder.MESSAGE} of before is there as {folder.EDITED}.")
    return 0
