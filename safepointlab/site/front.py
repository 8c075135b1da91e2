"""The course's pages, by name -> the first page of the book, with its three doors, and the page above the course."""

from collections.abc import Mapping

from safepointlab.plot.interactive import Alive
from safepointlab.site import markup
from safepointlab.site.prepare import Notebook, minutes, title

OPENS_WITH, STORY, GET, COMMANDS = "00-start-here", "02-when-will-it-exit", "docs/get.md", "docs/commands.md"
PARTS = {  # the first digit of a notebook's number -> the part of the course, as CONTRIBUTING.md counts them
    "0": "What happens",
    "1": "What it costs",
    "2": "How to watch it",
    "3": "A program of your own",
    "9": "Inside the JVM",
}
HOOK = "This is how `main` ends. It sleeps for 0.6 s and returns, so only a daemon thread is left. Will the JVM exit?"
ABOUT = """To exit, to collect garbage or to print stacks, the JVM has to bring every thread that runs Java code to a
stop. That state is called a **safepoint**, and one thread that is slow to stop makes all the others wait. In this lab
you change one thing about a small Java program (the JDK, the compiler, the collector, a flag), run it in a JVM of its
own, and see what that JVM logged.
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
:::"""  # what the reader wants to do, what waits there, the link's words and target, and how much it is


def first(pages: Mapping[str, Notebook], listing: str, player: Alive, address: str = "") -> str:
    """The first page: a hang to play, what the lab is, a door for each of the three readers, and how to get the lab.

    Args:
        listing: the program's source that stands next to the player.
        address: where the lab can be cloned; "" leaves that out.
    """
    start, story = pages[OPENS_WITH], pages[STORY]
    hours = round(sum(int(minutes(page) or 0) for page in pages.values()) / 60)
    alone = "Read here, with nothing to install: predict, open the result, and change what a panel shows."
    workshop = "`make workshop` writes student pages, solutions, an instructor's guide, agendas and a handout."
    stage = "`safepoint demo` plays one-minute demos in a terminal, live or recorded; `make slides` makes decks."
    to_start, to_story = f"notebooks/{OPENS_WITH}.ipynb", f"notebooks/{STORY}.ipynb"
    size = f"{len(pages)} pages, {hours} hours in all"
    doors = [
        DOOR.format("Study on your own", alone, f"Start: {title(start)}", to_start, f"{minutes(start)} minutes"),
        DOOR.format("Teach a class", workshop, "Pick pages by their length", "notebooks/index.md", size),
        DOOR.format("Give a talk", stage, f"The story: {title(story)}", to_story, f"{minutes(story)} minutes"),
    ]
    program = f":::{{container}}\n{HOOK}\n\n{markup.code(listing, 'java')}\n{ABOUT}:::"
    hero = f"::::{{container}} sl-hero\n{program}\n\n{markup.raw(player._repr_html_())}\n::::"
    clone = f"`git clone {address} safepoint-lab`, and in that folder `make lab`. " if address else ""
    get = f"**Get the lab**: {clone}[On Linux, on Windows, on macOS, in a container]({GET})"
    yours = (
        "**A slow service of your own**: `safepoint late` finds the thread and the line that delay its safepoints, and "
        f"`safepoint report` makes pictures of your logs. [Which command do I need?]({COMMANDS})"
    )
    below = "\n".join(["::::{container} sl-doors", *doors, "::::"])
    return "\n\n".join(["# Safepoint Lab", hero, below, get, yours, ""])


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
