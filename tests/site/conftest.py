"""Small notebooks for the tests of the book, and a project of them."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

PIXEL = "<img src='data:image/png;base64,AAAA' alt='1 of 2 hangs'/>"


def markdown(text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "id": "m", "metadata": {}, "source": text}


def code(text: str, *outputs: dict[str, Any], count: int | None = 1, **metadata: Any) -> dict[str, Any]:
    cell = {"cell_type": "code", "id": "c", "metadata": metadata, "source": text, "outputs": [*outputs]}
    return {**cell, "execution_count": count}


def shown(**data: Any) -> dict[str, Any]:
    """An output of these forms; `html` and `widget` stand for their mime types."""
    kinds = {"html": "text/html", "text": "text/plain", "widget": "application/vnd.jupyter.widget-view+json"}
    forms = {kinds[name]: form for name, form in data.items()}
    return {"output_type": "display_data", "metadata": {}, "data": forms}


def notebook(*cells: dict[str, Any]) -> dict[str, Any]:
    kernel = {"name": "python3", "display_name": "Python", "language": "python"}
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": kernel}, "cells": [*cells]}


@pytest.fixture
def page() -> dict[str, Any]:
    """A page in the anatomy of the course: a question, a run, a check, an exercise and its solution."""
    return notebook(
        markdown("# Does it exit?\n\nA daemon counts.\n\n*35 minutes. JDK 17. See [02](02-when-will-it-exit.ipynb).*"),
        code("lab.predict('00-exit')", shown(html="<p>A question</p>", text="?")),
        code("lab.reveal('00-exit', run)", shown(html=PIXEL, text="picture")),
        code("lab.expect(True)", shown(html="<small>✓</small>", text="✓"), tags=["check"]),
        code("cured()", shown(text="yes"), tags=["solution"], jupyter={"source_hidden": True}),
    )


@pytest.fixture
def project(tmp_path: Path, page: dict[str, Any]) -> Path:
    """A checkout with two notebooks, a document, and those that each book's first page links."""
    for folder in ("notebooks", "docs/decisions"):
        (tmp_path / "project" / folder).mkdir(parents=True)
    for name in ("00-start-here", "02-when-will-it-exit"):
        saved = copy.deepcopy(page)
        (tmp_path / "project" / "notebooks" / f"{name}.ipynb").write_text(json.dumps(saved))
    (tmp_path / "project" / "docs" / "get.md").write_text("# Get the lab\n\nClone it.\n")
    (tmp_path / "project" / "docs" / "commands.md").write_text("# Which command?\n\nThis one.\n")
    (tmp_path / "project" / "docs" / "changes.md").write_text("# What changed\n\nA default.\n")
    text = "# How\n\n[the page](../notebooks/00-start-here.ipynb), [the code](../safepointlab/cli.py)\n"
    (tmp_path / "project" / "docs" / "architecture.md").write_text(text)
    return tmp_path / "project"
