"""`safepoint workshop` -> a folder for a class: student pages, solutions apart, guide, agendas, handout, message."""

import argparse
from collections.abc import Iterator
from pathlib import Path

from safepointlab.errors import BadInput
from safepointlab.phrases import listed
from safepointlab.process import home
from safepointlab.teaching.workshop import announce, folder, page

MINUTES = 120  # of the class of --pages
EPILOG = """the folder for a class, in build/workshop or elsewhere:
  safepoint workshop
  safepoint workshop --out class
the same again: what you added there or edited stays, and there is a new version of an edited file:
  safepoint workshop --out class
a class of your own, of three pages in two hours, with its agenda and its guide:
  safepoint workshop --pages 02 11 23 --minutes 120
one of the ready classes alone, in the same way:
  safepoint workshop --agenda 2-hours
then, on each machine of the class:
  safepoint doctor --workshop"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--out", type=Path, default=folder.OUT, metavar="FOLDER", help="where to put it (build/workshop)"
    )
    told = "make one agenda, and the guide and the student pages of these alone"
    parser.add_argument("--pages", nargs="+", default=[], metavar="NN", help=told)
    parser.add_argument("--minutes", type=int, help="how long --pages may take, in minutes (120)")
    ready = listed(announce.names())
    parser.add_argument(
        "--agenda",
        choices=announce.names(),
        metavar="NAME",
        help=f"the same for one of the ready agendas, which are {ready}",
    )
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    out = arguments.out.expanduser().resolve()
    if arguments.minutes and not arguments.pages:
        ready = listed(dict.fromkeys(agenda.minutes for agenda in announce.agendas(page.course())))
        raise BadInput(
            "--minutes says how long the class of --pages is. Name its pages: --pages 02 11 23. "
            f"Without either there are agendas of {ready} minutes."
        )
    if arguments.agenda and arguments.pages:
        raise BadInput("--agenda is for a ready class, and --pages for one of your own. Give only one of them.")
    numbers = [number for each in arguments.pages for number in each.split(",") if number]
    made = folder.build(out, numbers=numbers, minutes=arguments.minutes or MINUTES, ready=arguments.agenda or "")
    pages = sum(path.suffix == ".ipynb" for path in made.files)
    counts = f"{len(made.files)} files in {home.shown(out)}: {pages} student pages"
    print(f"{counts} in student/, their solutions in solutions/.")
    print(f"Begin with {home.shown(out / 'instructor.html')}; the class gets student.zip, and at the end handout.html.")
    print("Fill in message.md, and send it a week before the class.")
    if not numbers and not arguments.agenda:
        lengths = listed(each.title.partition(":")[0].lower() for each in announce.agendas(page.course()))
        names = listed(announce.names())
        print(f"It has agendas of {lengths}. For one of them alone, give --agenda and its name: {names}.")
        print("For a class of your own, name its pages: --pages 02 11 23 --minutes 120.")
    for line in _kept(made):
        print(line)
    return 0


def _kept(made: folder.Made) -> Iterator[str]:
    """What is said of the files that a teacher added or edited, and of what edited ones would be now."""
    if made.own:
        yield f"Kept as you left it: {', '.join(made.own)}."
    if students := [name for name in made.own if name.startswith("student/")]:
        yield f"The class gets these of yours in student.zip, too: {listed(students)}."
    if made.new:
        yield f"Some were made for another class or by another version. What they would be now: {listed(made.new)}."
        yield "Copy what you need from there into yours."
