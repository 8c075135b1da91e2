"""A notebook -> its deck: the slides of its tagged cells in one HTML file, which fetches nothing when it is opened.

A cell that is tagged `slide` becomes slides of one thought each:

A Markdown cell   one slide: its heading and its text up to a table's end, without references; of the page's first cell
                  the first paragraph. Links to other pages become words
an excerpt        one slide: the Java that the cell shows
a prediction      one slide: the question and what there is to choose; the audience votes
a picture         one slide each, as large as the slide; its own title is the heading that one sees
other output      one slide: what the run printed, under the heading in the cell's metadata or the cell's own line

A picture and other output are results: at their foot is the machine and the day, from the page's stamp.

The result of a vote on several choices has a line below it with the letter of each.

The last slide has the words of the glossary that the others use, for the questions, and where the lab is.

Where a Markdown cell speaks to readers of the course, its metadata has what an audience reads in its text's place,
`"shown": "..."`. What the speaker says is in the cell's metadata, too, `"speaker": "..."`: a cell that makes several
slides has a note for each, between them a line `---`; without that line all have the same note. The result of a
prediction, where the page tells it, stands before the last: after the question if no slide asks it, and of a vote on
several choices after a line with a yes or no for each letter. `"then": "..."` leads from there to the next slide.
"""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import escape, unescape
from math import ceil
from pathlib import Path
from string import ascii_uppercase
from typing import Any

from safepointlab.course import glossary
from safepointlab.errors import BadInput
from safepointlab.html import inline
from safepointlab.phrases import counted
from safepointlab.process import home, origin
from safepointlab.process.files import write_whole
from safepointlab.teaching.demo import demos

HERE = Path(__file__).parent
NOTEBOOKS = home.PROJECT / "notebooks"
DECKS = home.PROJECT / "build" / "slides"
NAME = "deck"  # of the template's folder
TAG, SPEAKER, THEN = "slide", "speaker", "then"  # a tag, and keys of a cell's metadata
HEADING, SHOWN = "heading", "shown"
MOST_WORDS = 8  # of the glossary
LARGE, SMALL = 34, 28  # px: the letters of their list, as in deck.css
LIST_HEIGHT, LIST_WIDTH = 900, 1730  # px: what the heading and the margins leave of a slide
LETTER, BOLD_LETTER, ROW, GAP = 0.53, 0.65, 1.4, 0.53  # parts of the letters' size; measured with DejaVu Sans
NEXT_NOTE = re.compile(r"\n\s*---\s*\n")
PAGE_LINK = re.compile(r"\[([^\[\]]*)\]\([\w-]+\.ipynb\)")
PAGE_NUMBER = re.compile(r"(?:\b(In|in|Page|page) )?\[(\d\d)\]\([\w-]+\.ipynb\)")
ON_PAGE = {"In": "On page", "in": "on page", "Page": "Page"}  # and else "page"
Cell = Mapping[str, Any]
LEFT_OUT = re.compile(r"^(\*\*References\*\*|\*\*Next\*\*|\*\*New words)")
IMAGE = re.compile(r"<img src='(data:image/[^']+)' alt='([^']*)'")
SOURCE = re.compile(r"<div>(?:<small>[\w/]+\.java</small>)?(<pre style=.*?</pre>)", re.DOTALL)
SAMPLE = re.compile(r"\bexcerpt\(\s*\"([\w/]+)\"")
PREDICTED = re.compile(r"\bpredict\(\s*\"([\w-]+)\"")
REVEALED = re.compile(r"\breveal\(\s*\"([\w-]+)\"")
CHOICE = re.compile(r"^  [(\[] ?[)\]] (.*)$", re.MULTILINE)
VERDICT = re.compile(r"^(.+?): (Yes|No)\.", re.MULTILINE)  # of a result: on one of several choices
NAMED = re.compile(r"`(?:-XX:(?:CompileCommand=)?)?([^`]+)`")  # a flag, as pictures name it
KEYS = {  # of a deck, for its index and for `safepoint slides --help`; what they do is in the template
    "space": "next slide",
    "p": "previous slide",
    "s or n": "speaker's notes, in a window of their own",
    "b": "black screen and back",
    "f": "full screen",
    "d": "dark or light",
    "o": "a strip of all slides",
    "?": "all keys; Esc closes them",
}
PROGRESS = re.compile(r"<small>[^<]*done[^<]*</small>")
MANY_LINES, SOME_LINES, MOST_LINES, WIDE, WIDEST = 21, 16, 18, 76, 98
MANY_ROWS, MANY_COLUMNS, MOST_CHARS = 9, 6, 4000


@dataclass(frozen=True)
class Slide:
    """One slide: Markdown, which may hold HTML, and plain text for the speaker."""

    markdown: str
    notes: str


def pages() -> list[Path]:
    return [path for path in sorted(NOTEBOOKS.glob("*.ipynb")) if tagged(json.loads(path.read_text("utf-8")))]


def write_decks(notebooks: list[Path], folder: Path = DECKS) -> list[Path]:
    """Write the decks of these notebooks, and a page that leads to all decks of the folder.

    Raises:
        BadInput: a notebook has no tagged cell, or a tagged cell has no outputs.
    """
    decks = [write_deck(path, folder) for path in notebooks]
    links = "\n".join(_link(path) for path in sorted(folder.glob("*.html")) if path.stem != "index")
    keys = "\n".join(f"<dt><kbd>{key}</kbd></dt><dd>{does}</dd>" for key, does in KEYS.items())
    index = (HERE / "templates" / NAME / "decks.html").read_text("utf-8").replace("LINKS", links).replace("KEYS", keys)
    return [*decks, write_whole(folder / "index.html", index)]


def _link(deck: Path) -> str:
    """The line that leads to a deck that was written: its page's number, its title, its length, and its demos."""
    page = deck.read_text("utf-8")
    found, count = re.search(r"<title>(.*?)</title>", page, re.DOTALL), page.count('<aside class="notes">')
    title = f"{deck.stem.partition('-')[0]} {found[1] if found else deck.stem}"
    of_deck = [demo.name for demo in demos.every() if demo.notebook == deck.stem]
    live = "".join(f" · <code>safepoint demo {name}</code>" for name in of_deck)
    return f"<li><a href='{deck.name}'>{title}</a>, {counted(count, 'slide')}{live}</li>"


def write_deck(notebook: Path, folder: Path = DECKS) -> Path:
    """Write the deck of one notebook into the folder.

    Raises:
        BadInput: no cell is tagged, or a tagged one has no outputs, as the notebook was saved without them.
    """
    page, made = json.loads(notebook.read_text("utf-8")), list[Slide]()
    outputs = (
        output for cell in page["cells"] if "lab.stamp(" in "".join(cell["source"]) for output in cell["outputs"]
    )
    stamp = next(map(_plain, outputs), "").partition(" · JDKs ")[0].replace("REPLAY of runs recorded", "Recorded")
    letters, unasked = dict[str, str](), questions_without_slide(page)  # letters: of the choices voted on so far
    for cell in tagged(page):
        of_cell = slides(cell, stamp, letters, unasked)
        letters |= lettered("\n".join(map(_plain, cell.get("outputs", ()))))
        if not of_cell:
            advice = "Run `safepoint notebooks`, or take the saved page."
            raise BadInput(f"{notebook.name}: the cell {cell.get('id')} is tagged and has no output to show. {advice}")
        made += of_cell
    if not made:
        raise without_slides(notebook)
    new = glossary.new_words("\n".join("".join(cell["source"]) for cell in page["cells"]))
    where = [f"Safepoint Lab, page {notebook.stem.partition('-')[0]}", origin.address()]
    return write_whole(home.ready(folder) / f"{notebook.stem}.html", html([*made, *words(made, new, _foot(where))]))


def _foot(told: Iterable[str]) -> str:
    """The line at the foot of a slide; what is "" is left out."""
    return f"<p class='stamp'>{escape(' · '.join(filter(None, told)))}</p>"


def without_slides(notebook: Path) -> BadInput:
    """What to say of a notebook that has no deck."""
    numbers = (path.name.partition("-")[0] for path in pages())
    return BadInput(f"{notebook.name} has no slides. These pages have some: {', '.join(numbers)}.")


def words(made: Iterable[Slide], new: Collection[str] = (), foot: str = "") -> Iterator[Slide]:
    """A slide with the words that these slides use, in the order in which they come; none, no slide. `foot` is HTML.

    They are the glossary's that HotSpot's sources or others explain as well, and those that are new on this page: the
    lab's own, such as "stop", mostly have their everyday sense. If they are too long for the slide, their letters are
    smaller; if that isn't enough, the last ones are left out.
    """
    text = " ".join(re.sub(r"src='data:[^']*'|</?\w+( class='[^']*')?>", "", slide.markdown) for slide in made)
    found = dict[int, tuple[int, glossary.Word]]()
    for word in [word for word in glossary.entries().values() if word.see or word.word in new]:
        if match := word.pattern.search(text):
            length, _ = found.get(match.start(), (0, word))
            if len(match[0]) > length:  # "strip mining", and not "strip"
                found[match.start()] = len(match[0]), word
    told = [word for _, (_, word) in sorted(found.items())][:MOST_WORDS]
    kind = "" if list_height(told, LARGE) <= LIST_HEIGHT else " class='many'"
    while list_height(told, SMALL) > LIST_HEIGHT:
        told.pop()
    meanings = "".join(f"<dt><b>{escape(word.word)}</b></dt><dd>{inline(word.means)}</dd>" for word in told)
    if told:
        yield Slide(f"## The words\n\n<dl{kind}>{meanings}</dl>{foot}", "Leave it up while they ask.")


def list_height(told: list[glossary.Word], size: float) -> float:
    """About how high a list of words is in letters of that size; both in pixels."""
    column = LIST_WIDTH - max((len(word.word) for word in told), default=0) * BOLD_LETTER * size
    rows = sum(ceil(len(word.means) * LETTER * size / column) for word in told)
    return (rows * ROW + (len(told) - 1) * GAP) * size


def html(made: list[Slide]) -> str:
    """The deck as one page: nbconvert writes the slides, our template the page around them, with reveal.js in it."""
    from nbconvert.exporters import SlidesExporter
    from nbformat import v4

    title = made[0].markdown.partition("\n")[0].lstrip("# ").strip()  # the notebook's question
    parts = [part for slide in made for part in ((slide.markdown, "slide"), (slide.notes, "notes"))]
    markdown = [v4.new_markdown_cell(text, metadata={"slideshow": {"slide_type": kind}}) for text, kind in parts]
    notebook = v4.new_notebook(cells=markdown, metadata={"language_info": {"name": "python"}})
    files = {"reveal_js": "reveal.js", "notes_js": "notes.js", "reveal_css": "reveal.css"}
    around = {part: (HERE / "reveal" / file).read_text("utf-8") for part, file in files.items()}
    around |= {"title": title, "css": (HERE / "templates" / NAME / "deck.css").read_text("utf-8")}
    exporter = SlidesExporter(  # type: ignore[no-untyped-call]
        template_name=NAME,
        extra_template_basedirs=[str(HERE / "templates")],
        exclude_input_prompt=True,
        exclude_output_prompt=True,
        exclude_anchor_links=True,
    )
    page, _ = exporter.from_notebook_node(notebook, {"deck": around})
    return str(page)


def tagged(notebook: Mapping[str, Any]) -> list[Cell]:
    """The cells of a notebook that are tagged for its deck."""
    return [cell for cell in notebook["cells"] if TAG in cell.get("metadata", {}).get("tags", [])]


def questions_without_slide(notebook: Mapping[str, Any]) -> dict[str, str]:
    """The questions of the predictions that no slide asks, by the prediction's name."""
    found = dict[str, str]()
    for cell in notebook["cells"]:
        name = PREDICTED.search("".join(cell["source"]))
        asked = next((text for text in map(_plain, cell.get("outputs", ())) if CHOICE.search(text)), "")
        if name and asked and TAG not in cell.get("metadata", {}).get("tags", []):
            found[name[1]], _ = _question(asked)
    return found


def lettered(text: str) -> dict[str, str]:
    """The letter of each choice of a prediction as text."""
    return dict(zip(CHOICE.findall(text), ascii_uppercase, strict=False))


def slides(
    cell: Cell, stamp: str = "", letters: Mapping[str, str] | None = None, unasked: Mapping[str, str] | None = None
) -> list[Slide]:
    """The slides of one tagged cell, results with the stamp below; a code cell without outputs has none.

    Args:
        letters: those of the choices that were voted on; the notes name a result by its letter, too.
        unasked: the questions that no slide asks, by the prediction's name; the notes have them before the result.
    """
    metadata, source = cell.get("metadata", {}), "".join(cell["source"])
    say, then, named = metadata.get(SPEAKER, ""), metadata.get(THEN, ""), metadata.get(HEADING)
    instead = metadata.get(SHOWN)
    if cell["cell_type"] == "markdown":
        heading = f"## {named}" if named else source.partition("\n")[0]
        shown = f"{heading}\n\n{instead}" if instead else source.partition("\n\n<details>")[0]
        paragraphs = [each for each in shown.split("\n\n") if not LEFT_OUT.match(each)]
        headings = [number for number, each in enumerate(paragraphs) if each.startswith("#")]
        end = headings[1] if len(headings) > 1 else len(paragraphs)  # what follows belongs to another slide
        if source.startswith("# "):  # the hook, with the table that it may announce
            end = len(paragraphs) if instead else 3 if paragraphs[1].endswith(":") else 2
        else:
            end = next((number for number, each in enumerate(paragraphs[:end], 1) if each.startswith("|")), end)
        return [Slide(without_links("\n\n".join(paragraphs[:end])), say)]
    plain = [_plain(output) for output in cell["outputs"]]
    asks = any(map(CHOICE.search, plain))
    results = [] if asks else [text.strip() for text in plain if text.startswith("Result:")]
    lines = [_by_letter(line, letters or {}) for text in results for line in text.splitlines()]
    name = REVEALED.search(source)
    question = (unasked or {}).get(name[1]) if name and results else None
    before = [f"Question: {question}" if question else "", votes("\n".join(results), letters or {})]
    notes = NEXT_NOTE.split(say)
    notes[-1] = "\n\n".join(filter(None, [*before, *lines, notes[-1], then]))
    heading = f"## {named}" if named else f"```python\n{source}\n```"
    foot = ballot("\n".join(results), letters or {}) + _foot([stamp])
    made = enumerate(_of_outputs(source, heading, cell["outputs"], foot))
    return [Slide(markdown, notes[min(number, len(notes) - 1)]) for number, markdown in made]


def ballot(result: str, letters: Mapping[str, str]) -> str:
    """A line that names the choices by the letters that were voted on; none if the result is about one choice.

    >>> ballot("Result: 1 of 2.\\nNo compiler: `-Xint`: Yes.\\nC1: No.", {"No compiler: `-Xint`": "A", "C1": "B"})
    "<p class='ballot'>The vote: <span><b>A</b> -Xint</span> · <span><b>B</b> C1</span></p>"
    """
    found = _voted_on(result, letters)
    short = [(letter, named[1] if (named := NAMED.search(choice)) else choice) for letter, choice, _ in found]
    listed = " · ".join(f"<span><b>{letter}</b> {escape(name)}</span>" for letter, name in short)
    return f"<p class='ballot'>The vote: {listed}</p>" if len(found) > 1 else ""


def votes(result: str, letters: Mapping[str, str]) -> str:
    """A line with the verdict on each letter that was voted on; none if the result is about one choice.

    >>> votes("Result: 1 of 2.\\nNo compiler: Yes.\\nC1: No. It polls.", {"No compiler": "A", "C1": "B"})
    'A yes · B no'
    """
    found = [f"{letter} {verdict.lower()}" for letter, _, verdict in _voted_on(result, letters)]
    return " · ".join(found) if len(found) > 1 else ""


def _voted_on(result: str, letters: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """The letter, the choice and the verdict (Yes or No) of each choice that has a line of its own in the result."""
    return sorted(
        (letters[choice], choice, verdict) for choice, verdict in VERDICT.findall(result) if choice in letters
    )


def _by_letter(line: str, letters: Mapping[str, str]) -> str:
    """A line of a result, with the letter before the choice that it is about.

    >>> _by_letter("Result: On each JDK. All six hang.", {"On each JDK": "B"})
    'Result: B. On each JDK. All six hang.'
    """
    head, text = ("Result: ", line.removeprefix("Result: ")) if line.startswith("Result: ") else ("", line)
    about = max((choice for choice in letters if text.startswith(choice)), key=len, default="")
    return f"{head}{letters[about]}. {text}" if about else line


def without_links(text: str) -> str:
    """The text with words in place of its links to other pages: "in [00](...)" is "on page 00" to an audience."""
    numbered = PAGE_NUMBER.sub(lambda link: f"{ON_PAGE.get(link[1], 'page')} {link[2]}", text)
    return PAGE_LINK.sub(r"\1", numbered)


def _of_outputs(code: str, heading: str, outputs: list[Mapping[str, Any]], stamp: str) -> Iterator[str]:
    pages = list(map(_html, outputs))
    excerpts = [match for page in pages for match in SOURCE.findall(page)]
    if excerpts:  # all of one cell on one slide: they belong together
        blocks = [re.sub("^<pre[^>]*>", "", block).removesuffix("</pre>") for block in excerpts]
        kind = _size(unescape(re.sub("<[^>]*>", "", "\n".join(blocks))))
        sample = SAMPLE.search(code)
        file = f"## {sample[1]}.java\n\n" if sample else ""
        yield file + "\n\n".join(f"<pre{kind}>{block}</pre>" for block in blocks)
    for text in map(_plain, outputs):
        if letters := lettered(text):
            question, several = _question(text)
            question += " Vote on each of them." * several
            listed = (f"- **{letter}** {choice}" for choice, letter in letters.items())
            yield "\n".join(["## Your bet?", "", question, "", *listed])
    for page in pages:
        for source, words in IMAGE.findall(page) if "<script" not in page else []:
            finding = " ".join(unescape(words).split()).partition(". ")[0].rstrip(".")  # and not the numbers after it
            picture = f"<div class='picture'><img src='{source}' alt='{words}'></div>"
            yield f"<h2 class='in-picture'>{escape(finding)}</h2>\n\n{picture}\n\n{stamp}"
    rest = [output for output in outputs if _is_rest(output)]
    if rest and not any(IMAGE.search(page) or SOURCE.search(page) for page in pages):
        yield "\n\n".join([heading, *map(_printed, rest), stamp])


def _question(text: str) -> tuple[str, bool]:
    """The question of a prediction as text, and whether each of its choices may be right."""
    question, several = re.subn(r" Tick what you expect\.$", "", text.partition("\n")[0])
    return question.removesuffix(" Choose one."), bool(several)


def _html(output: Mapping[str, Any]) -> str:
    return "".join(output.get("data", {}).get("text/html", ""))


def _plain(output: Mapping[str, Any]) -> str:
    return "".join(output.get("data", {}).get("text/plain", output.get("text", "")))


def _is_rest(output: Mapping[str, Any]) -> bool:
    """Whether it is what a run printed, or a table; nothing that needs a script."""
    page, plain = _html(output), _plain(output)
    told = plain.startswith(("Result:", "✓")) or CHOICE.search(plain) or output.get("name") == "stderr"
    return bool((page or plain) and not told and not PROGRESS.search(page) and "<script" not in page)


def _printed(output: Mapping[str, Any]) -> str:
    """A table as it is, other text as it was printed; of a long one the beginning."""
    page = re.sub(r"<(style|details).*?</\1>", "", _html(output), flags=re.DOTALL)
    if "<table" in page and len(page) < MOST_CHARS:
        columns = page.partition("</tr>")[0].count("<th")
        kind = "<table class='many'" if page.count("<tr") > MANY_ROWS or columns > MANY_COLUMNS else "<table"
        return page.replace("\n", "").replace("<table", kind)
    lines = _plain(output).rstrip().splitlines()
    text = "\n".join([*lines[:MOST_LINES], *(["…"] if len(lines) > MOST_LINES else [])])
    return f"<pre{_size(text)}>{escape(text)}</pre>"


def _size(text: str) -> str:
    """The attribute that makes long or wide text smaller."""
    lines = text.splitlines()
    widest = max(map(len, lines), default=0)
    if len(lines) > MANY_LINES or widest > WIDEST:
        return " class='many'"
    return " class='wide'" if len(lines) > SOME_LINES or widest > WIDE else ""
