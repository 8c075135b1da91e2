"""The course's pages, by name -> the first page of the book, with its three doors, and the page above the course."""

from collections.abc import Mapping
from html import escape

from safepointlab.site import markup
from safepointlab.site.prepare import Notebook, first_picture, minutes, title

OPENS_WITH, SHOWN = "00-start-here", "02-when-will-it-exit"
PARTS = {  # the first digit of a notebook's number -> the part of the course, as CONTRIBUTING.md counts them
    "0": "What happens",
    "1": "What it costs",
    "2": "How to watch it",
    "3": "A program of your own",
    "9": "Inside the JVM",
}
HOOK = """A program that should exit after five seconds, but doesn't. A thread dump that takes as long as another
thread's loop. HotSpot hides why. This lab makes it visible: change one thing (the JDK, the compiler, the collector, a
flag), run a small Java program in a JVM of its own, and see in a table and a picture what the JVM logged.
"""
COURSE = """# The course

Each page asks one question, lets you predict, and shows what a JVM did. What you see here was recorded: code, results
and pictures are those of one run of the page, and its stamp says on which machine and when. Panels and drawings answer
without a kernel.

"""
DOOR = """:::{{container}} sl-door
**{}**

{}

[{}]({}) ({})
:::"""  # who takes it, what waits there, the link's words and target, and how much it is


def first(pages: Mapping[str, Notebook]) -> str:
    """The first page: what the lab is, a picture out of the course, and a door for each of the three readers."""
    start, story = pages[OPENS_WITH], pages[SHOWN]
    hours = round(sum(int(minutes(page) or 0) for page in pages.values()) / 60)
    alone = (
        "Read here, with nothing to install: predict, open the result, and change what a panel shows. "
        "`make lab` runs the pages on your own JDKs, and `make lab REPLAY=1` on recordings, without any."
    )
    workshop = (
        "`make workshop` writes student pages, solutions, a guide with minutes, agendas and a handout. "
        "`safepoint doctor --workshop` says what a machine of the class lacks."
    )
    stage = (
        "`safepoint demo` lists demos of a minute for a terminal, one key a step, live or with `--replay` from a "
        "recording. `make slides` makes a deck of each notebook that has one."
    )
    to_start, to_story = f"notebooks/{OPENS_WITH}.ipynb", f"notebooks/{SHOWN}.ipynb"
    size = f"{len(pages)} pages, {hours} hours in all"
    doors = [
        DOOR.format("You read alone", alone, f"Start: {title(start)}", to_start, f"{minutes(start)} minutes"),
        DOOR.format("You teach a workshop", workshop, "Choose pages by their minutes", "notebooks/index.md", size),
        DOOR.format("You speak on a stage", stage, f"The story: {title(story)}", to_story, f"{minutes(story)} minutes"),
    ]
    src, alternative = first_picture(story)  # raw HTML: it stands in the book as it stands in the notebook
    said = f'From <a href="notebooks/{SHOWN}.html">{escape(title(story))}</a>'
    image = f'<img src="{src}" alt="{escape(alternative)}">'
    picture = f'<figure class="sl-front">{image}<figcaption>{said}</figcaption></figure>'
    hero = f"::::{{container}} sl-hero\n:::{{container}}\n{HOOK}:::\n{picture}\n\n::::"
    return "\n\n".join(["# Safepoint Lab", hero, "\n".join(["::::{container} sl-doors", *doors, "::::"]), ""])


def course(pages: Mapping[str, Notebook]) -> str:
    """The page above the notebooks: for each part its questions with their minutes, and the tree of pages."""
    parts = []
    for digit, part in PARTS.items():
        questions = {name: f"{name[:2]} {title(page)}" for name, page in pages.items() if name.startswith(digit)}
        rows = [(f"[{question}]({name}.ipynb)", minutes(pages[name])) for name, question in questions.items()]
        table = markup.markdown_table(("question", "minutes"), rows, numbers="minutes")
        tree = markup.tree([f"{question} </notebooks/{name}>" for name, question in questions.items()], part)
        parts += [f"## {part}\n\n{table}\n{tree}"] if rows else []
    return COURSE + "\n".join(parts)
