"""Plain text, names and rows -> MyST Markdown and HTML in which nothing of the text is taken for markup."""

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path

from safepointlab.claims import links
from safepointlab.process import home
from safepointlab.process.files import write_whole

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
    r"""A sentence whose backticks mean code; all else in it shows as it is, with links as in `linked`.

    >>> print(prose("`a*b` is <b>"))
    `a*b` is \<b\>
    """
    parts = []
    for place, part in enumerate(CODE.split(text)):
        if place % 2:
            parts.append(f"`{part}`")
        elif part.strip():
            parts.append(" " * part[0].isspace() + linked(part) + " " * part[-1].isspace())
        else:
            parts.append(" " * bool(part))
    return "".join(parts)


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


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]], numbers: str = "") -> str:
    """A table of cells that are Markdown already; a bar in one of them must be escaped. `numbers` names a column."""
    lines = [head, ["---:" if title == numbers else "---" for title in head], *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines) + "\n"


def table(kind: str, name: str, head: Sequence[str], bodies: Iterable[Iterable[str]], caption: str = "") -> str:
    """An HTML table in a box of its own, which scrolls and which the keyboard reaches.

    Args:
        kind: "claims" is styled as sl-claims in static/reference.css, and is the table's id.
        name: what a screen reader calls it.
        head: what stands above each column, in HTML; "" above the rows' titles.
        bodies: groups of rows, each made by `row`.
    """
    titles = "".join(f'<th scope="col">{title}</th>' if title else "<td></td>" for title in head)
    parts = [f"<caption>{caption}</caption>" * bool(caption), f"<thead><tr>{titles}</tr></thead>"]
    parts += ["<tbody>" + "\n".join(rows) + "</tbody>" for rows in bodies]
    inside = "\n".join(filter(None, parts))
    made = f'<table class="table sl-{kind}" id="{kind}">{inside}</table>'
    return f'<div class="sl-scroll" role="region" tabindex="0" aria-label="{escape(name)}">\n{made}\n</div>'


def row(title: str, cells: Iterable[str], **attributes: str) -> str:
    """A row of an HTML table: what names it, and its cells; `data_page="02"` becomes the attribute data-page."""
    given = "".join(f' {name.replace("_", "-")}="{escape(value)}"' for name, value in attributes.items())
    return f'<tr{given}><th scope="row">{title}</th>{"".join(cells)}</tr>'


def cell(text: str, columns: int = 1, look: str = "") -> str:
    """A cell of HTML that so many columns share; `look` is its class."""
    span = f' colspan="{columns}"' if columns > 1 else ""
    style = f' class="{look}"' if look else ""
    return f"<td{span}{style}>{text}</td>"


def filter_form(table: str, choices: Mapping[str, Mapping[str, str]]) -> str:
    """A form above a table that leaves the rows that a reader chose; without static/reference.js it stays hidden.

    Args:
        table: the table's id, which says in the plural what its rows are.
        choices: a field's name -> what can be chosen, as value and text. A row's attribute data-NAME holds the words by
            which it is found; "JDK" and "verdict" are looked up together.
    """
    fields = ""
    for name, options in choices.items():
        words = "".join(f'<option value="{escape(value)}">{escape(text)}</option>' for value, text in options.items())
        fields += f'<label>{name} <select name="{name.lower()}"><option value="">any</option>{words}</select></label>'
    search = '<label>with the words <input type="search" name="words" autocomplete="off"></label>'
    end = f'<button type="reset">Show all</button><output role="status" data-things="{table}"></output>'
    return f'<form class="sl-filter" data-table="{table}" hidden>{fields}{search}{end}</form>\n'


def tree(names: Sequence[str], caption: str = "", depth: int = 1, hidden: bool = True) -> str:
    """A table of contents in MyST's words, which the book's side bar lists; "" if there are no pages.

    >>> print(tree(["docs/architecture"], "Inside", hidden=False).strip())
    ```{toctree}
    :maxdepth: 1
    :caption: Inside
    <BLANKLINE>
    /docs/architecture
    ```

    Args:
        names: from the book's root ("reference/api/plot"), or with a title ("plot </reference/api/plot>").
        hidden: on the page itself it does not show.
    """
    if not names:
        return ""
    head = [":hidden:"] * hidden + [f":maxdepth: {depth}"] + [f":caption: {caption}"] * bool(caption)
    lines = [name if "<" in name else f"/{name}" for name in names]
    return "\n".join(["```{toctree}", *head, "", *lines, "```", "", ""])


def save(folder: Path, name: str, content: str | bytes) -> None:
    """Write one page or file below the folder.

    Raises:
        StorageFailed: it cannot be written.
    """
    home.ready((folder / name).parent)
    write_whole(folder / name, content)
