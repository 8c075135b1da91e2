"""A small notebook, and the course as a teacher sees it, read once."""

from typing import Any

import pytest

from safepointlab.teaching.workshop import page


def cell(
    kind: str, name: str, source: Any, number: int | None = None, outputs: tuple = (), **metadata: Any
) -> page.Cell:
    made = {"cell_type": kind, "id": name, "metadata": metadata, "source": source}
    return made if kind == "markdown" else {**made, "execution_count": number, "outputs": list(outputs)}


@pytest.fixture
def small() -> page.Notebook:
    """A notebook of two parts with a question, an exercise and its solution."""
    question = {"output_type": "display_data", "data": {"text/plain": ["a question"]}, "metadata": {}}
    result = {"output_type": "execute_result", "data": {"text/plain": "Result: It hangs.\nWhy: No poll."}}
    exits = {"output_type": "stream", "name": "stdout", "text": ["it exits\n"]}
    exercise = "## Try it\n\nThen there is a folded solution.\n\n### Exercise 1: a flag\n\nWhich?"
    return {
        "metadata": {
            "kernelspec": {"name": "python3", "display_name": "Python", "language": "python"},
            "topic": "hang",
            "widgets": {"state": {}},
            "workshop": {"goal": "Know it.", "goes_wrong": ["All."], "asked": [{"question": "Why?", "answer": "So."}]},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
        "cells": [
            cell("markdown", "a", ["# Does it exit?\n", "\n", "*9 minutes. JDK 8.*"]),
            cell("markdown", "b", ["So.\n", "## Part 1: a hang\n", "Text"], minutes=4),
            cell("code", "c", ['lab.predict("02-killer")'], 1, (question,)),
            cell("code", "d", ['lab.reveal("02-killer", killer)'], 2, (result,)),
            cell("markdown", "e", exercise, minutes=5),
            cell("code", "f", ["flag = ...\n", 'lab.grade("02-1", flag)'], 3),
            cell("code", "g", ['the_answer("-XX:+Yes")'], 4, (exits,), tags=["solution"]),
        ],
    }


@pytest.fixture(scope="session")
def course() -> list[page.Page]:
    """Every page of the course."""
    return page.course()
