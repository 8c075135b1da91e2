"""The course's pages, by name -> the first page of the book, with its three doors, and the page above the course."""

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape

from safepointlab.site import documents
from safepointlab.site.prepare import Notebook, first_picture, minutes, title

OPENS_WITH, SHOWN = "00-start-here", "02-when-will-it-exit"
PARTS = {  # the first digit of a notebook's number -> the part of the course, as CONTRIBUTING.md counts them
    "0": "What happens",
    "1": "What it costs",
    "2": "How to watch it",
    "3": "A program of your own",
    "9": "Inside the JVM",
}
TITLE = "# Safepoint Lab"
HOOK = """A program that should exit after five seconds, and does not. A thread dump that takes as long as somebody
else's loop. HotSpot hides why. This lab makes it visible: change one thing (the JDK, the compiler, the collector, a
flag), run a small Java program in a JVM of its own, and see in a table and a picture what the JVM logged.
"""
COURSE = """# The course

Each page asks one question, lets you predict, and shows what a JVM did. What you see here was recorded: code, results
and pictures are those of one run of the page, and its stamp says on which machine and when. Panels and drawings answer
without a kernel.

"""


@dataclass(frozen=True)
class Door:
    """One of the three ways into the lab: who takes it, what waits there, where it leads, and the command."""

    who: str
    text: str
    link: str
    target: str
    more: str


def first(pages: Mapping[str, Notebook]) -> str:
    """The first page: what the lab is, a picture out of the course, and a door for each of the three readers."""
    doors = "\n".join(map(_door, _doors(pages)))
    hero = f"::::{{container}} sl-hero\n:::{{container}}\n{HOOK}:::\n{_picture(pages)}\n\n::::"
    return f"{TITLE}\n\n{hero}\n\n::::{{container}} sl-doors\n{doors}\n::::\n\n"


def _doors(pages: Mapping[str, Notebook]) -> tuple[Door, Door, Door]:
    start = pages[OPENS_WITH]
    return (
        Door(
            "You read alone",
            "Read here, with nothing to install: predict, open what came, and change what a panel shows. "
            "`make lab` runs the pages on your own JDKs, and `make lab REPLAY=1` on recordings, without any.",
            f"Start: {title(start)}",
            f"notebooks/{OPENS_WITH}.ipynb",
            f"{minutes(start)} minutes",
        ),
        Door(
            "You teach a workshop",
            "`make workshop` writes student pages, solutions, a guide with minutes, agendas and a handout. "
            "`safepoint doctor --workshop` says what a machine of the class lacks.",
            "Choose pages by their minutes",
            "notebooks/index.md",
            f"{len(pages)} pages, {_hours(pages)} hours in all",
        ),
        Door(
            "You speak on a stage",
            "`safepoint demo` lists demos of a minute for a terminal, one key a step, live or with `--replay` from a "
            "recording. `make slides` makes a deck of each notebook that has one.",
            f"The story: {title(pages[SHOWN])}",
            f"notebooks/{SHOWN}.ipynb",
            f"{minutes(pages[SHOWN])} minutes",
        ),
    )


def _hours(pages: Mapping[str, Notebook]) -> int:
    return round(sum(int(minutes(page) or 0) for page in pages.values()) / 60)


def _door(door: Door) -> str:
    head = f":::{{container}} sl-door\n**{door.who}**\n\n{door.text}\n"
    return f"{head}\n[{door.link}]({door.target}) ({door.more})\n:::"


def _picture(pages: Mapping[str, Notebook]) -> str:
    """Raw HTML: the picture stands in the book as it stands in the notebook, with its text alternative."""
    src, alternative = first_picture(pages[SHOWN])
    image = f'<img src="{src}" alt="{escape(alternative)}">'
    said = f'From <a href="notebooks/{SHOWN}.html">{escape(title(pages[SHOWN]))}</a>'
    return f'<figure class="sl-front">{image}<figcaption>{said}</figcaption></figure>'


def course(pages: Mapping[str, Notebook]) -> str:
    """The page above the notebooks: for each part its questions with their minutes, and the tree of pages."""
    return COURSE + "\n".join(_part(digit, _of_part(pages, digit)) for digit in PARTS if _of_part(pages, digit))


def _of_part(pages: Mapping[str, Notebook], digit: str) -> dict[str, Notebook]:
    return {name: page for name, page in pages.items() if name.startswith(digit)}


def _part(digit: str, pages: Mapping[str, Notebook]) -> str:
    rows = [f"| [{numbered(name, page)}]({name}.ipynb) | {minutes(page)} |" for name, page in pages.items()]
    table = "\n".join(["| question | minutes |", "|---|---:|", *rows])
    names = [f"{numbered(name, page)} </notebooks/{name}>" for name, page in pages.items()]
    hidden = documents.tree(names, PARTS[digit]).replace(":maxdepth", ":hidden:\n:maxdepth", 1)
    return f"## {PARTS[digit]}\n\n{table}\n\n{hidden}"


def numbered(name: str, page: Notebook) -> str:
    """A page's question with its number: "02 When will this program exit?"."""
    return f"{name[:2]} {title(page)}"
