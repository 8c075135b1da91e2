"""A notebook as it was saved -> the notebook as the book shows it, and what the book says of it.

Code is in folds that stand open; answers, checks and solutions are in folds that are closed (conf.py draws them).
Outputs keep what lives without a kernel. Below the title a line says how to get and run the page.
"""

import re
from copy import deepcopy
from html import escape
from typing import Any

from safepointlab.errors import BadInput

Cell = dict[str, Any]
Output = dict[str, Any]
Notebook = dict[str, Any]
CODE, SETUP, ANSWER = "Code", "Code of the page's own tools", "Result"
CHECK, SOLUTION = "What this page checks about its own numbers", "A solution"
NEVER_RUN = "skip-headless"  # the tag of a cell that hangs its own kernel
QUESTION_ANSWERED = re.compile(r"\blab\.reveal\(")
WIDGET = "application/vnd.jupyter.widget-view+json"  # needs a kernel
OWN_FILE = re.compile(r"<a\s[^>]*href=['\"]\.\./work/[^>]*>(.*?)</a>", re.DOTALL)  # what an exercise wrote for a reader
PAGE_LINK = re.compile(r"(href=['\"])(\d\d-[\w-]+)\.ipynb")
TABLE = re.compile(r"<table\b.*?</table>", re.DOTALL)
SCROLLS = r"<div class='pst-scrollable-table-container'>\g<0></div>"  # the theme's own box, which Tab reaches
WIDE = 70  # characters from which on a printed line may need more room than a page has
PHASE = re.compile(r"(?<=, )|(?<=; )|(?<=\] )(?=[^\[\s])")  # where a phase of a log's line begins
DOWNLOADS = "downloads"  # the folder of the book in which the notebooks are, without outputs, for readers to run
COPIES = "safepoint-lab"  # where the container's home has the reader's copies (SAFEPOINTLAB_WORK in the Dockerfile)


def prepared(notebook: Notebook, name: str, repository: str = "") -> Notebook:
    """The page of that name ("02-when-will-it-exit") as the book shows it; the notebook stays as it is.

    Args:
        repository: "owner/name" at GitHub for the links that run the page there; "" leaves them out.

    Raises:
        BadInput: the notebook was saved without outputs.
    """
    require_outputs(notebook, name)
    opening, *rest = deepcopy(notebook["cells"])
    head, _, text = source(opening).partition("\n")
    opening["source"] = f"{head}\n\n{run_links(name, repository)}\n\n{text.lstrip()}"
    for cell in rest:
        if cell["cell_type"] == "code":
            marks, prompt = fold(cell)
            kept = [tag for tag in tags(cell) if not tag.startswith("hide-")]
            cell["metadata"] |= {"tags": [*kept, *marks], "mystnb": {"code_prompt_show": prompt}}
            cell["outputs"] = without_kernel(cell["outputs"])
    # of the state of widgets a page would fetch scripts from elsewhere
    metadata = {name: value for name, value in notebook["metadata"].items() if name != "widgets"}
    return {**notebook, "metadata": metadata, "cells": [opening, *rest]}


def require_outputs(notebook: Notebook, name: str) -> None:
    """Nothing, if each code cell that can be run was run.

    Raises:
        BadInput: one was not; with the page, the cell and the command that runs it.
    """
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code" and NEVER_RUN not in tags(cell)]
    blank = [cell for cell in code if not cell.get("execution_count") and source(cell).strip()]
    if not blank and any(cell["outputs"] for cell in code):
        return
    first = source(blank[0]).partition("\n")[0] if blank else "all of them"
    raise BadInput(
        f"{name} is saved without its outputs: {len(blank) or len(code)} of {len(code)} code cells have none, "
        f"the first is {first!r}. The book shows what was saved and executes nothing. "
        f"Run the page first: safepoint notebooks {name.partition('-')[0]} --in-place"
    )


def fold(cell: Cell) -> tuple[list[str], str]:
    """MyST-NB's marks of a code cell, and the words on its fold."""
    if "solution" in tags(cell):
        return ["hide-cell"], SOLUTION
    if "check" in tags(cell):
        return ["hide-cell"], CHECK
    if cell["metadata"].get("jupyter", {}).get("source_hidden"):
        return ["hide-input"], SETUP
    if QUESTION_ANSWERED.search(source(cell)):
        return ["hide-input", "hide-output"], CODE
    return ["hide-input"], CODE


def without_kernel(outputs: list[Output]) -> list[Output]:
    """The outputs that can be shown without a kernel: the HTML beside a widget is its still form.

    Progress lines, which go to stderr, say nothing once a run is over. Links hold in the book, and a table that is too
    wide scrolls without the words around it.
    """
    shown = []
    for output in outputs:
        if "data" in output:
            data = {kind: form for kind, form in output["data"].items() if kind != WIDGET}
            if "text/html" in data:
                html = PAGE_LINK.sub(r"\1\2.html", OWN_FILE.sub(r"\1", "".join(data["text/html"])))
                data["text/html"] = html if "<script" in html else TABLE.sub(SCROLLS, html)
            if data:
                shown.append({**output, "data": data})
        elif output.get("name") != "stderr":
            text = "".join(output.get("text", ""))
            long = max(map(len, text.splitlines()), default=0) > WIDE
            data = {"text/html": log(text), "text/plain": text}
            shown.append({"output_type": "display_data", "metadata": {}, "data": data} if long else output)
    return shown


def log(text: str) -> str:
    """Lines of a log in HTML that wrap between their phases, where the page is narrower than they are.

    >>> log("[0.1s][info] Exit, Reaching: 1 ns")
    '<pre class="sl-log"><div><span>[0.1s][info] </span><span>Exit, </span><span>Reaching: 1 ns</span></div></pre>'
    """
    lines = []
    for line in text.splitlines():
        phases = "".join(f"<span>{escape(phase, quote=False)}</span>" for phase in PHASE.split(line))
        lines.append(f"<div>{phases}</div>")
    return f'<pre class="sl-log">{"".join(lines)}</pre>'


def run_links(name: str, repository: str) -> str:
    """The line below a page's title, in HTML: its notebook to keep, and where GitHub's visitors can run it."""
    links = f'<a href="../docs/get.html">get the lab</a> <a href="../{DOWNLOADS}/{name}.ipynb" download>'
    links += "the notebook as a file</a>"
    if repository:
        binder = f"https://mybinder.org/v2/gh/{repository}/HEAD?urlpath=lab/tree/{COPIES}/{name}.ipynb"
        links += f' <a href="{escape(binder)}">on Binder</a>'
        links += f' <a href="https://codespaces.new/{repository}?quickstart=1">in a Codespace</a>'
    return f'<p class="sl-run"><span>Run this page:</span> {links}</p>'


def title(notebook: Notebook) -> str:
    """The page's question: its first line, without the mark of a heading."""
    return source(notebook["cells"][0]).partition("\n")[0].lstrip("# ").strip()


def minutes(notebook: Notebook) -> str:
    """How long the page takes, as its opening says it: "35", "" if it does not say it."""
    said = re.search(r"(\d+)\s+minutes", source(notebook["cells"][0]))
    return said[1] if said else ""


def source(cell: Cell) -> str:
    """A cell's text; nbformat keeps it as one string or as lines."""
    return "".join(cell["source"])


def tags(cell: Cell) -> list[str]:
    """What the cell is tagged with."""
    return list(cell["metadata"].get("tags", []))
