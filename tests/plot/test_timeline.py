"""timeline.py: what happened at the same time, a panel for each table; here how a few compiles are told."""

import pandas as pd
import pytest

from safepointlab.plot.timeline import timeline

COLUMNS = ["uptime_ms", "compile_id", "osr", "tier", "method", "event"]
ROWS = [
    (134.0, 1, True, 3, "A::a", "compiled"),
    (135.0, 2, True, 4, "A::a", "compiled"),
    (140.0, 1, True, 3, "A::a", "made not entrant"),
]


def panel(rows):
    [inner] = timeline({"compilations": pd.DataFrame(rows, columns=COLUMNS)}).child_axes
    return inner


@pytest.fixture
def few():
    return panel(ROWS)


def test_a_few_compiles_have_a_row_for_each_compiler_and_are_counted_in_words(few):
    assert [text.get_text() for text in few.get_yticklabels()] == ["C1", "C2"]
    words = {text.get_text() for text in few.texts}
    assert words == {
        "1 compile (1 OSR), 1 not entrant, by 0.14 s",
        "1 compile (1 OSR), 0 not entrant, by 0.14 s",
    }


def test_a_panel_alone_is_told_by_its_largest_value():
    jitter = pd.DataFrame({"begin_s": [1.0, 4.06, 5.0], "overslept_ms": [0.1, 2596.4, 0.2]})
    title = timeline({"jitter": jitter}).get_title(loc="left")
    assert " ".join(title.split()) == "The largest of 3 values of jitter is 2,596 ms, at 4.06 s"


def test_many_compiles_are_marks_alone():
    many = panel([(100.0 + n, n, False, 4, "A::a", "compiled") for n in range(40)])
    assert not many.texts
