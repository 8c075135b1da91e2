"""The notebooks as saved -> what the reference says of each: its title, topic, code and new words."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path

from safepointlab.course import glossary
from safepointlab.site import markup
from safepointlab.site.prepare import source, title


@dataclass(frozen=True)
class Page:
    """One notebook: `code` is the text of its code cells, `words` are the new words as it names them."""

    name: str
    title: str
    topic: str
    code: str
    words: tuple[str, ...]

    def link(self, up: str) -> str:
        """A link in Markdown; `up` leads from the page that shows it to the book's root ("../")."""
        return f"[{self.name[:2]} {markup.plain(self.title)}]({up}notebooks/{self.name}.ipynb)"

    def anchor(self, up: str) -> str:
        """The same in HTML, with the number alone as its text."""
        return f'<a href="{up}notebooks/{self.name}.html" title="{escape(self.title)}">{self.name[:2]}</a>'


def pages(project: Path) -> dict[str, Page]:
    found = {}
    for file in sorted((project / "notebooks").glob("*.ipynb")):
        notebook = json.loads(file.read_text("utf-8"))
        code = "\n".join(source(cell) for cell in notebook["cells"] if cell["cell_type"] == "code")
        words = glossary.new_words("\n\n".join(map(source, notebook["cells"])))
        topic = notebook["metadata"].get("topic", "")
        found[file.stem] = Page(file.stem, title(notebook), topic, code, tuple(words))
    return found


def of_topic(topic: str, known: Mapping[str, Page]) -> list[Page]:
    return [page for page in known.values() if page.topic == topic]


def named_in(text: str, known: Mapping[str, Page]) -> list[Page]:
    """The notebooks that a text names ("02-when-will-it-exit (and 04-osr-vs-xcomp)"), in the order of the course."""
    return [page for name, page in known.items() if name in text]


def links(chosen: Iterable[Page], up: str) -> str:
    """Their links in one line; a dash where there is none."""
    return ", ".join(page.link(up) for page in chosen) or "–"
