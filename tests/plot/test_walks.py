"""walks.py: a panel for each thing that varies, a line for each JDK."""

import pandas as pd

from safepointlab.plot.walks import walks


def stops(monitors_on_17=0.1):
    ends = {("threads", 8): 90.0, ("threads", 17): 180.0, ("monitors", 8): 5.0, ("monitors", 17): monitors_on_17}
    rows = [(what, jdk, size, ms) for (what, jdk), last in ends.items() for size, ms in ((10, last / 90), (1000, last))]
    table = pd.DataFrame(rows, columns=["what", "jdk", "size", "stopped_ms"])
    return table.assign(stopped_ms=table["stopped_ms"].where(table["stopped_ms"] != monitors_on_17 / 90, 0.1))


def title(ax):
    return ax.get_figure(root=True).get_suptitle().replace("\n", " ")


def test_there_is_a_panel_for_each_and_a_line_for_each_jdk():
    panels = walks(stops()).get_figure(root=True).axes
    assert [ax.get_xlabel() for ax in panels] == ["threads", "monitors"]
    assert [list(line.get_ydata()) for line in panels[0].lines[:2]] == [[1.0, 90.0], [2.0, 180.0]]


def test_the_title_says_what_grows_and_where():
    assert title(walks(stops())) == "A stop grows with threads, with monitors on 8 only"
    assert title(walks(stops(9.0))) == "A stop grows with threads and monitors"
    tiny = stops(0.19)
    assert tiny.query("what == 'monitors' and jdk == 17")["stopped_ms"].max() < 0.2
    assert title(walks(tiny)) == "A stop grows with threads, with monitors on 8 only"
    flat = stops().assign(stopped_ms=1.0)
    assert title(walks(flat)) == "No stop grows with what is varied"


def test_a_jdk_that_some_panels_have_alone_is_named_and_the_key_has_all():
    some = stops().query("jdk == 17 or what == 'monitors'")
    ax = walks(some)
    [key] = ax.get_figure(root=True).legends
    assert title(ax) == "On 17 a stop grows with threads, with monitors on 8 only"
    assert [text.get_text() for text in key.texts] == ["JDK 8", "JDK 17"]


def test_the_line_in_proportion_has_a_name():
    assert [text.get_text() for text in walks(stops()).texts] == ["dotted: in proportion"]


def test_the_lines_in_proportion_begin_at_the_longest_and_at_the_shortest_first_stop():
    threads = walks(stops()).get_figure(root=True).axes[0]
    assert [list(line.get_ydata()) for line in threads.lines[2:]] == [[1.0, 100.0], [2.0, 200.0]]


def test_no_stops_are_said():
    assert walks(stops().iloc[:0]).get_title(loc="left") == "Nothing was measured"
