"""Notebook 12's own picture: a panel for each thing that grows."""

import pandas as pd
import pytest

from safepointlab.course.nb12_cost import experiments as cost
from safepointlab.course.nb12_cost import pictures
from safepointlab.errors import BadInput
from safepointlab.plot import _alternative

DUMP, SEARCH = "ThreadDump", "FindDeadlocks"


@pytest.fixture
def sweeps(sweep):
    """sweeps(monitors on 17, JDKs that dump): dumps of 10 and 1,000 threads, and stops with 10 and 1,000 monitors."""

    def make(monitors_on_17=0.1, jdks=(8, 17)):
        last = {8: 90.0, 17: 180.0}
        ends = {(jdk, size): last[jdk] / (1 if size == 1000 else 90) for jdk in jdks for size in (10, 1000)}
        dumps = {(jdk, f"dump {size} 256"): [ms] for (jdk, size), ms in ends.items()}
        monitors = {(8, 10): [0.1], (8, 1000): [5.0], (17, 10): [0.1], (17, 1000): [monitors_on_17]}
        return sweep(cost.THREADS, DUMP, dumps), sweep(cost.MONITORS, SEARCH, monitors)

    return make


def title(ax):
    return ax.get_figure(root=True).get_suptitle().replace("\n", " ").replace("\N{NO-BREAK SPACE}", " ")


def test_there_is_a_panel_for_each_and_a_line_for_each_jdk_beside_one_in_proportion(sweeps):
    panels = pictures.walks(*sweeps()).get_figure(root=True).axes
    assert [ax.get_xlabel() for ax in panels] == ["threads", "monitors"]
    lines = [list(line.get_ydata()) for line in panels[0].lines]
    assert lines == [pytest.approx(ends) for ends in ([1.0, 90.0], [2.0, 180.0], [2.0, 200.0])]


def test_the_title_says_what_grows_and_where(sweep, sweeps):
    monitors = "with monitors it stays below 0.2 ms except on JDK 8"
    assert title(pictures.walks(*sweeps())) == f"A pause grows with threads; {monitors}"
    assert title(pictures.walks(*sweeps(9.0))) == "A pause grows with threads and monitors"
    assert title(pictures.walks(*sweeps(0.19))) == f"A pause grows with threads; {monitors}"
    longer = "with monitors only on JDK 8 (on the others 0.25 ms at most)"
    assert title(pictures.walks(*sweeps(0.25))) == f"A pause grows with threads, {longer}"
    flat = sweep(cost.LIVE, "GenCollectFull", {(17, 10): [1.0], (17, 400): [1.0]})
    assert title(pictures.walks(flat)) == "No pause grows with what is varied"
    assert "A pause grows with threads" in _alternative.of(pictures.walks(*sweeps()).get_figure(root=True))


def test_a_jdk_that_some_panels_have_alone_is_named_and_the_key_has_all(sweeps):
    ax = pictures.walks(*sweeps(jdks=[17]))
    [key] = ax.get_figure(root=True).legends
    one = "On JDK 17 a pause grows with threads"
    assert title(ax) == f"{one}; with monitors it stays below 0.2 ms except on JDK 8"
    assert [text.get_text() for text in key.texts] == ["JDK 8", "JDK 17", "in proportion"]


def test_collectors_that_are_compared_have_a_line_each(sweep):
    ends = {(17, 10): [1.0], (17, 400): [40.0]}
    both = [sweep(cost.LIVE, "GenCollectFull", ends, gc=gc) for gc in ("Serial", "G$1_x$")]
    ax = pictures.walks(pd.concat(both))
    [key] = ax.get_figure(root=True).legends
    assert [text.get_text() for text in key.texts] == ["JDK 17, Serial", "JDK 17, G$1_x$", "in proportion"]
    ax.figure.canvas.draw()  # a name with dollar signs is no formula


def test_no_stops_are_said_and_a_table_that_is_none_of_a_sweep_is_refused():
    none = pd.DataFrame(columns=["jdk", "gc", "flags", "args", "run"])
    assert pictures.walks(none).get_title(loc="left") == "Nothing was measured"
    with pytest.raises(BadInput, match="lacks the columns args, flags, gc, run"):
        pictures.walks(pd.DataFrame({"jdk": [17]}))
