"""A small notebook, and the course as a teacher sees it, read once."""

import copy
from typing import Any

import pytest

from safepointlab.teaching.workshop import page

SMALL: dict[str, Any] = {
    "metadata": {
        "kernelspec": {"name": "python3", "display_name": "Python", "language": "python"},
        "topic": "hang",
        "widgets": {"state": {}},
        "workshop": {"goal": "Know it.", "goes_wrong": ["All."], "asked": [{"question": "Why?", "answer": "So."}]},
    },
    "nbformat": 4,
    "nbformat_minor": 5,
    "cells": [
        {
            "cell_type": "markdown",
            "id": "a",
            "metadata": {},
            "source": ["# Does it exit?\n", "\n", "*9 minutes. JDK 8.*"],
        },
        {
            "cell_type": "markdown",
            "id": "b",
            "metadata": {"minutes": 4},
            "source": ["So.\n", "## Part 1: a hang\n", "Text"],
        },
        {
            "cell_type": "code",
            "id": "c",
            "metadata": {},
            "execution_count": 1,
            "source": ['lab.predict("02-killer")'],
            "outputs": [{"output_type": "display_data", "data": {"text/plain": ["a question"]}, "metadata": {}}],
        },
        {
            "cell_type": "code",
            "id": "d",
            "metadata": {},
            "execution_count": 2,
            "source": ['lab.reveal("02-killer", killer)'],
            "outputs": [
                {"output_type": "execute_result", "data": {"text/plain": "What came: It hangs.\nWhy: No poll."}}
            ],
        },
        {
            "cell_type": "markdown",
            "id": "e",
            "metadata": {"minutes": 5},
            "source": "## Try it\n\nThen there is a folded solution.\n\n### Exercise 1: a flag\n\nWhich?",
        },
        {
            "cell_type": "code",
            "id": "f",
            "metadata": {},
            "execution_count": 3,
            "source": ["flag = ...\n", 'lab.grade("02-1", flag)'],
            "outputs": [],
        },
        {
            "cell_type": "code",
            "id": "g",
            "metadata": {"tags": ["solution"]},
            "execution_count": 4,
            "source": ['the_answer("-XX:+Yes")'],
            "outputs": [{"output_type": "stream", "name": "stdout", "text": ["it exits\n"]}],
        },
    ],
}


@pytest.fixture
def small() -> dict[str, Any]:
    """A notebook of two parts with a question, an exercise and its solution."""
    return copy.deepcopy(SMALL)


@pytest.fixture(scope="session")
def course() -> list[page.Page]:
    """Every page of the course."""
    return page.course()
