"""One word names a topic everywhere: in a notebook's metadata, and in the samples and benchmarks that go with it."""

import json
from pathlib import Path

import pytest

from safepointlab.process import home
from safepointlab.programs import benchmarks

NOTEBOOKS = sorted((home.PROJECT / "notebooks").glob("*.ipynb"))
WITHOUT_SAMPLES = {"late", "workbench"}  # they look at programs of others, and at hang/KillerTask


def topic(path: Path) -> str:
    return str(json.loads(path.read_text())["metadata"]["topic"])


def folders() -> set[str]:
    return {path.name for root in (home.SAMPLES, benchmarks.SOURCES) for path in root.iterdir() if path.is_dir()}


@pytest.mark.each("path", NOTEBOOKS)
def test_a_notebook_names_a_topic_that_has_samples(path):
    assert topic(path) in folders() | WITHOUT_SAMPLES


def test_every_folder_of_samples_is_the_topic_of_a_notebook():
    assert folders() <= {topic(path) for path in NOTEBOOKS}
