"""A notebook as it was saved -> the notebook as the book shows it: one pure function a step.

step         what the reader of the book sees
-----------  -----------------------------------------------------------------------------------------
folded       code that can be folded, answers, solutions and checks that are folded
still        outputs without kernel: no widget, no progress line, no link to a file of the reader's own
introduced   below the title: how to get and run this page
"""

import re
from collections.abc import Callable
from copy import deepcopy
from typing import Any

from safepointlab.errors import BadInput
from safepointlab.site import outputs, places

Cell = dict[str, Any]
Notebook = dict[str, Any]
CODE, SETUP, ANSWER = "Code", "Code of the page's own tools", "What came"
CHECK, SOLUTION = "What this page checks about its own numbers", "A solution"
NEVER_RUN = "skip-headless"  # the tag of a cell that hangs its own kernel
QUESTION_ANSWERED = re.compile(r"\blab\.reveal\(")


def prepared(notebook: Notebook, name: str, repository: str = "") -> Notebook:
    """All steps, for the page of that name ("02-when-will-it-exit").

    Args:
        repository: "owner/name" at GitHub for the links that run the page there; "" leaves them out.

    Raises:
        BadInput: the notebook was saved without outputs.
    """
    require_outputs(notebook, name)
    steps: tuple[Callable[[Notebook], Notebook], ...] = (folded, still)
    for step in steps:
        notebook = step(notebook)
    return introduced(notebook, places.run_links(name, repository))


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


def title(notebook: Notebook) -> str:
    """The page's question: its first line, without the mark of a heading."""
    return source(notebook["cells"][0]).partition("\n")[0].lstrip("# ").strip()


def minutes(notebook: Notebook) -> str:
    """How long the page takes, as its opening says it: "35", "" if it does not say it."""
    said = re.search(r"(\d+)\s+minutes", source(notebook["cells"][0]))
    return said[1] if said else ""


def folded(notebook: Notebook) -> Notebook:
    """Each code cell with the marks by which the book folds it; safepointlab.site.folds draws the folds."""
    return _each_code_cell(notebook, _folded)


def _folded(cell: Cell) -> Cell:
    marks, prompt = _fold(cell)
    kept = [tag for tag in tags(cell) if not tag.startswith("hide-")]
    metadata = {**cell["metadata"], "tags": [*kept, *marks], "mystnb": {"code_prompt_show": prompt}}
    return {**cell, "metadata": metadata}


def _fold(cell: Cell) -> tuple[list[str], str]:
    """MyST-NB's marks of a cell, and what stands on its fold."""
    if "solution" in tags(cell):
        return ["hide-cell"], SOLUTION
    if "check" in tags(cell):
        return ["hide-cell"], CHECK
    if cell["metadata"].get("jupyter", {}).get("source_hidden"):
        return ["hide-input"], SETUP
    if QUESTION_ANSWERED.search(source(cell)):
        return ["hide-input", "hide-output"], CODE
    return ["hide-input"], CODE


def still(notebook: Notebook) -> Notebook:
    """Outputs that need no kernel, and no state of widgets, for which a page would fetch scripts from elsewhere."""
    metadata = {name: value for name, value in notebook["metadata"].items() if name != "widgets"}
    return {**_each_code_cell(notebook, _still), "metadata": metadata}


def _still(cell: Cell) -> Cell:
    return {**cell, "outputs": outputs.still(cell["outputs"])}


def introduced(notebook: Notebook, links: str) -> Notebook:
    """The page's opening with a line of links below its title."""
    opening, rest = notebook["cells"][0], notebook["cells"][1:]
    head, _, text = source(opening).partition("\n")
    return {**notebook, "cells": [{**opening, "source": f"{head}\n\n{links}\n\n{text.lstrip()}"}, *rest]}


def first_picture(notebook: Notebook) -> tuple[str, str]:
    """The first picture among the outputs: its `src` and its text alternative.

    Raises:
        BadInput: the notebook shows none.
    """
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            if picture := outputs.picture(output):
                return picture
    raise BadInput(f"no picture in the notebook {title(notebook)!r}: the first page of the book shows its first one")


def source(cell: Cell) -> str:
    """A cell's text; nbformat keeps it as one string or as lines."""
    return "".join(cell["source"])


def tags(cell: Cell) -> list[str]:
    """What the cell is tagged with."""
    return list(cell["metadata"].get("tags", []))


def _each_code_cell(notebook: Notebook, step: Callable[[Cell], Cell]) -> Notebook:
    cells = [step(cell) if cell["cell_type"] == "code" else deepcopy(cell) for cell in notebook["cells"]]
    return {**notebook, "cells": cells}
