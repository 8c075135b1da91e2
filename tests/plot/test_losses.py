"""What a stop costs: dots by JDK and kind of thread, and the stop as a line."""

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from safepointlab import plot

ROWS = [("asks", 9.0), ("asks", 11.0), ("parks", 0.5), ("scans", -2.0)]
LOSSES = pd.DataFrame([(25, who, ms, 10.0) for who, ms in ROWS], columns=["jdk", "thread", "lost_ms", "stopped_ms"])


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def test_each_pair_is_a_dot_and_a_loss_below_zero_is_shown():
    lines = {line.get_label(): list(line.get_ydata()) for line in plot.losses(LOSSES).lines}
    assert (lines["asks"], lines["parks"], lines["scans"]) == ([9.0, 11.0], [0.5], [-2.0])


def test_the_finding_is_of_one_jdk_and_of_each_kind():
    older = LOSSES.assign(jdk=8, lost_ms=99.0)
    title = plot.losses(pd.concat([older, LOSSES])).get_title(loc="left").replace("\N{NO-BREAK SPACE}", " ")
    assert title == "On JDK 25 a stop of 10 ms costs the thread that\nasks 10 ms, parks 0.5 ms, scans -2 ms"


def test_the_stop_has_its_name():
    names = [text.get_text() for text in plot.losses(LOSSES).get_legend().get_texts()]
    assert names.count("the stop, by the log") == 1
