"""A cell of a notebook that is tagged `slide` -> its slides as Markdown, one thought each, with the speaker's notes.

A Markdown cell   one slide: its heading and its text, without references and the line of minutes
an excerpt        one slide: the Java that the cell shows
a prediction      one slide: the question and what there is to choose; the audience votes
a picture         one slide each, as large as the slide; its own title is the heading that one sees
other output      one slide: what the run printed, under the cell's own line

What the speaker says stands in the cell's metadata, `"speaker": "..."`. What came, where the page says so, is added.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape, unescape
from typing import Any

TAG, SPEAKER = "slide", "speaker"
Cell = Mapping[str, Any]
LEFT_OUT = re.compile(r"^(\*\*References\*\*|\*\*Next\*\*|\*\d+ minutes|To run a cell|\*\*New words)")
IMAGE = re.compile(r"<img src='(data:image/[^']+)' alt='([^']*)'")
SOURCE = re.compile(r"<small>([\w/]+)\.java</small>(<pre.*?</pre>)", re.DOTALL)
CHOICE = re.compile(r"^  [(\[] ?[)\]] (.*)$", re.MULTILINE)
PROGRESS = re.compile(r"<small>[^<]*done[^<]*</small>")
MANY_LINES, MOST_LINES, WIDE = 13, 18, 76
MANY_ROWS, MANY_COLUMNS, MOST_CHARS = 9, 6, 4000


@dataclass(frozen=True)
class Slide:
    """One slide: Markdown, which may hold HTML, and plain text for the speaker."""

    markdown: str
    notes: str


def tagged(notebook: Mapping[str, Any]) -> list[Cell]:
    """The cells of a notebook that are tagged for its deck."""
    return [cell for cell in notebook["cells"] if TAG in cell.get("metadata", {}).get("tags", [])]


def slides(cell: Cell) -> list[Slide]:
    """The slides of one tagged cell; a code cell without outputs has none."""
    said = "".join(cell.get("metadata", {}).get(SPEAKER, ""))
    if cell["cell_type"] == "markdown":
        return [Slide(_text(_source(cell)), said)]
    came = [] if any(CHOICE.search(_plain(output)) for output in cell["outputs"]) else list(_came(cell))
    notes = "\n\n".join(filter(None, [said, *came]))
    return [Slide(markdown, notes) for markdown in (*_sources(cell), *_questions(cell), *_pictures(cell), *_rest(cell))]


def _source(cell: Cell) -> str:
    return "".join(cell["source"])


def _html(output: Mapping[str, Any]) -> str:
    return "".join(output.get("data", {}).get("text/html", ""))


def _plain(output: Mapping[str, Any]) -> str:
    return "".join(output.get("data", {}).get("text/plain", output.get("text", "")))


def _text(markdown: str) -> str:
    """The cell's first heading and its text: what follows a second heading belongs to another slide."""
    paragraphs = [each for each in markdown.split("\n\n") if not LEFT_OUT.match(each)]
    headings = [number for number, each in enumerate(paragraphs) if each.startswith("#")]
    return "\n\n".join(paragraphs[: headings[1]] if len(headings) > 1 else paragraphs)


def _sources(cell: Cell) -> Iterator[str]:
    """All excerpts of one cell on one slide: they belong together."""
    found = [match for output in cell["outputs"] for match in SOURCE.findall(_html(output))]
    if not found:
        return
    blocks = [re.sub("^<pre[^>]*>", "", block).removesuffix("</pre>") for _, block in found]
    kind = _size("\n".join(map(_bare, blocks)), MANY_LINES)
    yield f"## {found[0][0]}.java\n\n" + "\n\n".join(f"<pre{kind}>{block}</pre>" for block in blocks)


def _bare(block: str) -> str:
    """HTML without its tags, to count letters by."""
    return unescape(re.sub("<[^>]*>", "", block))


def _size(text: str, most_lines: int) -> str:
    """The attribute that makes long or wide text smaller."""
    lines = text.splitlines()
    if len(lines) > most_lines:
        return " class='many'"
    return " class='wide'" if max(map(len, lines), default=0) > WIDE else ""


def _questions(cell: Cell) -> Iterator[str]:
    for output in cell["outputs"]:
        choices = CHOICE.findall(_plain(output))
        if choices:
            question = re.sub(r" What comes\? .*", "", _plain(output).partition("\n")[0])
            yield "\n".join(["## Your bet?", "", question, "", *(f"- {choice}" for choice in choices)])


def _pictures(cell: Cell) -> Iterator[str]:
    for output in cell["outputs"]:
        for source, words in IMAGE.findall(_html(output)) if "<script" not in _html(output) else []:
            picture = f"<div class='picture'><img src='{source}' alt='{words}'></div>"
            yield f"<h2 class='in-picture'>{escape(_heading(unescape(words)))}</h2>\n\n{picture}"


def _heading(words: str) -> str:
    """The finding: the first sentence of a picture's words, and not the numbers after it."""
    return " ".join(words.split()).partition(". ")[0].rstrip(".")


def _came(cell: Cell) -> Iterator[str]:
    for output in cell["outputs"]:
        if _plain(output).startswith("What came:"):
            yield _plain(output).strip()


def _rest(cell: Cell) -> Iterator[str]:
    """What a run printed, and tables; nothing that needs a script."""
    shown = [output for output in cell["outputs"] if _is_rest(output)]
    if shown and not any(map(_is_known, cell["outputs"])):
        yield f"```python\n{_source(cell)}\n```\n\n" + "\n\n".join(map(_printed, shown))


def _is_rest(output: Mapping[str, Any]) -> bool:
    html, plain = _html(output), _plain(output)
    said = plain.startswith(("What came:", "✓")) or CHOICE.search(plain) or output.get("name") == "stderr"
    return bool((html or plain) and not said and not PROGRESS.search(html) and "<script" not in html)


def _is_known(output: Mapping[str, Any]) -> bool:
    """Whether it has become a slide already."""
    return bool(IMAGE.search(_html(output)) or SOURCE.search(_html(output)))


def _printed(output: Mapping[str, Any]) -> str:
    """A table as it is, other text as it was printed; of a long one the beginning."""
    html = _html(output)
    if "<table" in html and len(html) < MOST_CHARS:
        kind = "<table class='many'" if html.count("<tr") > MANY_ROWS or html.count("<th") > MANY_COLUMNS else "<table"
        return re.sub(r"<style.*?</style>", "", html, flags=re.DOTALL).replace("\n", "").replace("<table", kind)
    lines = _plain(output).rstrip().splitlines()
    more = ["…"] if len(lines) > MOST_LINES else []
    text = "\n".join([*lines[:MOST_LINES], *more])
    return f"<pre{_size(text, MANY_LINES)}>{escape(text)}</pre>"
