"""A notebook's file -> its cells, each with its text, its tags and the text of what it put out when it was saved."""

import json
from pathlib import Path
from typing import Any

from safepointlab.errors import BadInput
from safepointlab.process import home

Cell = dict[str, Any]
Notebook = dict[str, Any]
SOLUTION = "solution"


def read(path: Path) -> Notebook:
    """The notebook as it was saved.

    Raises:
        BadInput: it is not there, or no JSON.
    """
    try:
        return dict(json.loads(path.read_text("utf-8")))
    except (OSError, ValueError) as cause:
        raise BadInput(f"{home.shown(path)} cannot be read: {cause}. Take it from the repository again.") from cause


def source(cell: Cell) -> str:
    """A cell's text; nbformat keeps it as one string or as lines."""
    return "".join(cell["source"])


def is_code(cell: Cell) -> bool:
    """Whether it can be run."""
    return bool(cell["cell_type"] == "code")


def is_solution(cell: Cell) -> bool:
    """Whether it gives an exercise away."""
    return SOLUTION in cell["metadata"].get("tags", [])


def outputs(cell: Cell) -> list[str]:
    """What the cell put out when it was saved, as text; a picture is told by its text alternative."""
    return [text for output in cell.get("outputs", []) if (text := _text(output))]


def _text(output: dict[str, Any]) -> str:
    said = output.get("text", output.get("data", {}).get("text/plain", ""))
    return "" if output.get("name") == "stderr" else "".join(said).strip()
