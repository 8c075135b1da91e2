"""Plain text, names and rows -> MyST Markdown and HTML in which nothing of the text is taken for markup."""

import re
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

from safepointlab.claims import links
from safepointlab.process import home
from safepointlab.process.files import write_whole
from safepointlab.site import documents

SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|$~&])")
BEGINS_A_LIST = re.compile(r"^([-+=])|^(\d+)(?=[.)])")
CODE = re.compile(r"`([^`\n]+)`")


def plain(text: str) -> str:
    r"""Text in Markdown that shows as it is.

    >>> print(plain("{poll} <b> a_b *c*"), plain("- no list"), plain("1. no list"))
    \{poll\} \<b\> a\_b \*c\* \- no list 1\. no list
    """
    safe = SPECIAL.sub(r"\\\1", " ".join(text.split()))
    return BEGINS_A_LIST.sub(lambda begin: f"\\{begin[1]}" if begin[1] else f"{begin[2]}\\", safe)


def linked(text: str) -> str:
    """Plain text in Markdown, with a link at each JEP, JDK bug and post that it names."""
    return links.markdown(plain(text))


def prose(text: str) -> str:
    r"""A sentence whose backticks mean code; all else in it shows as it is.

    >>> print(prose("`a*b` is <b>"))
    `a*b` is \<b\>
    """
    parts = CODE.split(text)
    return "".join(f"`{part}`" if number % 2 else _between(part) for number, part in enumerate(parts))


def _between(text: str) -> str:
    """The text between two pieces of code, with the blanks at its ends."""
    begin, end = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    inside = linked(text)
    return f"{' ' * bool(begin)}{inside}{' ' * bool(end)}" if inside else " " * bool(text)


def html(text: str) -> str:
    """Plain text in HTML, with a link at each JEP and JDK bug."""
    return links.html(text).replace("'", '"') if "<a href" in links.html(text) else escape(text)


def raw(text: str) -> str:
    """HTML as a block of a page."""
    return f"```{{raw}} html\n{text}\n```\n"


def code(text: str, language: str) -> str:
    """A listing; what the highlighter does not understand of it stays plain."""
    fence = "`" * max(3, *(len(run) + 1 for run in re.findall(r"`+", text)), 3)
    return f"{fence}{{code-block}} {language}\n:force:\n\n{text.rstrip()}\n{fence}\n"


def wide(table: str, name: str) -> str:
    """A table that scrolls in a box of its own, which the keyboard reaches."""
    return f'<div class="sl-scroll" role="region" tabindex="0" aria-label="{escape(name)}">\n{table}\n</div>'


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of cells that are Markdown already; a bar in one of them must be escaped."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines) + "\n"


def tree(names: Sequence[str], caption: str = "") -> str:
    """The pages below a page, which the book's side bar lists; on the page itself it does not show.

    Args:
        names: from the book's root ("reference/api/plot"), or with a title ("plot </reference/api/plot>").
    """
    return documents.tree(list(names), caption).replace(":maxdepth", ":hidden:\n:maxdepth", 1) if names else ""


def save(folder: Path, name: str, text: str) -> None:
    """Write one page or file below the folder.

    Raises:
        StorageFailed: it cannot be written.
    """
    home.ready((folder / name).parent)
    write_whole(folder / name, text)
