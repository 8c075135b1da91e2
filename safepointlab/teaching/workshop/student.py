"""A notebook -> the page that a class gets: no output, no solution, nothing that tells what comes; all else as it was.

Predictions, exercises, the cells that check an answer and those that write a file to edit stay. In the place of a
solution stands a sentence, so that "the cell below", which a hint may name, says who has it.
"""

from itertools import groupby

from safepointlab.teaching.workshop.cells import Cell, Notebook, is_code, is_solution, source

KEPT_METADATA = ("kernelspec", "language_info", "topic")  # not the widgets' states, and not what the teacher knows
KEPT_OF_A_CELL = ("jupyter", "tags", "minutes")  # not what a speaker says
INSTEAD = "*The solution is kept apart: whoever teaches this class has it.*"
FOLDED = ("Then there is a folded solution.", "The solutions are with whoever teaches this class.")


def student(notebook: Notebook) -> Notebook:
    """The page for the class; the notebook that is given stays as it is."""
    metadata = {key: value for key, value in notebook["metadata"].items() if key in KEPT_METADATA}
    runs = groupby(notebook["cells"], key=is_solution)
    kept = [cell for solved, run in runs for cell in ([_instead(next(run))] if solved else map(_blank, run))]
    return {**notebook, "metadata": metadata, "cells": kept}


def _instead(solution: Cell) -> Cell:
    place = {"id": solution["id"]} if "id" in solution else {}
    return {"cell_type": "markdown", **place, "metadata": {}, "source": [INSTEAD]}


def _blank(cell: Cell) -> Cell:
    """A code cell as if it had never been run; prose without the word of a solution below."""
    metadata = {key: value for key, value in cell["metadata"].items() if key in KEPT_OF_A_CELL}
    if not is_code(cell):
        text = source(cell).replace(*FOLDED)
        return {**cell, "metadata": metadata, "source": text.splitlines(keepends=True)}
    return {**cell, "metadata": metadata, "execution_count": None, "outputs": []}
