"""Notebook 07's titles: what each table shows, with its numbers; and none where it shows something else."""

import pandas as pd
import pytest

from safepointlab.course.nb07_nepotism import experiments as nepotism
from safepointlab.course.nb07_nepotism import titles as nepotism_titles

CURES = (nepotism.KEPT, nepotism.CUT, nepotism.SELF, nepotism.REUSED)


def promoted(*mib, jdks=(8, 17)):
    rows = [(jdk, name, value) for jdk in jdks for name, value in zip(CURES, mib, strict=True)]
    return pd.DataFrame(rows, columns=["jdk", "queue", "promoted_mib"])


@pytest.mark.parametrize(
    ("table", "end"),
    [
        (promoted(256.0, 0.0, 0.1, 0.0), "promoted on each JDK, with any of the three none"),
        (promoted(256.0, 0.0, 3.0, 0.0, jdks=(17,)), "promoted on JDK 17, with any of the three at most 3"),
    ],
)
def test_the_cures_are_told_beside_the_queue_without_one(table, end):
    assert nepotism_titles.cures(table) == f"Serial: without a cure 256 MiB of dead nodes are {end}"


@pytest.mark.parametrize("table", [promoted(256.0, 0.0, 0.0, 256.0), promoted(1.0, 0.0, 0.0, 0.0)])
def test_a_cure_that_fails_or_nothing_to_cure_leaves_the_title_to_the_picture(table):
    assert nepotism_titles.cures(table) is None


def test_the_one_cure_that_fails_while_an_element_stays_is_named():
    title = nepotism_titles.staying(promoted(256.0, 0.0, 0.0, 255.0))
    assert title == "With an element that stays, ReusedNodeQueue promotes 255 MiB, a queue without a cure 256"
    assert nepotism_titles.staying(promoted(256.0, 0.0, 0.0, 0.0)) is None


def libraries(*keeping):
    names = [("Linked", "JDK"), ("Spsc", "jctools-core:1.1"), ("Mpsc", "jctools-core:1.1"), ("Many", "agrona:1.22.0")]
    rows = [(f"{queue}\n{library}", library, 255.0 if queue in keeping else 0.0) for queue, library in names]
    return pd.DataFrame(rows, columns=["queue", "library", "promoted_mib"])


def test_the_one_library_whose_queues_keep_their_nodes_is_named():
    wanted = "Of four linked queues only the two of JCTools 1.1 keep their dead nodes (255 MiB)"
    assert nepotism_titles.libraries(libraries("Spsc", "Mpsc")) == wanted
    assert nepotism_titles.libraries(libraries()) is None
    assert nepotism_titles.libraries(libraries("Spsc", "Many")) is None
