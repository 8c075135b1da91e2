"""A method's way through the tiers: what the log says is drawn solid, where a thread was in between is inferred."""

from itertools import pairwise

import pandas as pd
import pytest

from safepointlab import plot
from safepointlab.plot import _alternative
from safepointlab.plot.tiers import INTERPRETER, events_of, versions_of, way_of

COLUMNS = ["uptime_ms", "compile_id", "osr", "tier", "osr_bci", "event", "reason"]
MADE, GONE, TRAP, LOWER = "compiled", "made not entrant", "uncommon trap", "OSR invalidation of lower level"
LAMBDA = [  # WhenWillItExit on JDK 25: up by OSR, back by a trap, and up again
    (59, 30, True, 3, 12, MADE, None),
    (60, 31, False, 3, None, MADE, None),
    (60, 32, True, 4, 12, MADE, None),
    (61, 30, True, 3, 12, GONE, LOWER),
    (1545, 32, True, 4, 12, GONE, TRAP),
    (1545, 33, True, 3, 12, MADE, None),
]
TRAPPED = [*LAMBDA[:3], (99, 40, False, 4, None, MADE, None), (112, 40, False, 4, None, GONE, TRAP)]
STANDARD = [
    (46, 74, False, 3, None, MADE, None),
    (50, 75, True, 4, 5, MADE, None),
    (51, 76, False, 4, None, MADE, None),
    (796, 76, False, 4, None, GONE, None),
    (797, 155, False, 4, None, MADE, None),
]
THROWN = [  # out of a standard version's trap in a loop, OneDay on JDK 25
    (27, 8, False, 3, None, MADE, None),
    (228, 9, False, 4, None, MADE, None),
    (229, 8, False, 3, None, GONE, "not used"),
    (337, 9, False, 4, None, GONE, TRAP),
    (341, 32, False, 3, None, MADE, None),
    (341, 33, True, 4, 12, MADE, None),
]
AGAIN = [  # a loop in a method that's called once per round, HomeMadeBenchmark on JDK 17
    (59, 61, True, 3, 12, MADE, None),
    (59, 62, False, 3, None, MADE, None),
    (61, 63, True, 4, 12, MADE, None),
    (66, 61, True, 3, 12, GONE, None),
    (68, 63, True, 4, 12, GONE, None),
    (71, 65, True, 4, 12, MADE, None),
    (76, 66, False, 4, None, MADE, None),
    (80, 62, False, 3, None, GONE, None),
]
TRIVIAL = [  # it ends in C1's code without counters
    (10, 1, False, 3, None, MADE, None),
    (20, 2, False, 1, None, MADE, None),
    (21, 1, False, 3, None, GONE, None),
]
C1, C2 = (3, None), (4, None)
OSR1, OSR2 = (3, 12), (4, 12)


def log(rows):
    frame = pd.DataFrame(rows, columns=COLUMNS).assign(method="Odd::count")
    return frame.astype({"tier": "Int8", "osr_bci": "Int32", "reason": "string", "method": "string"})


def versions(rows):
    name, events = events_of(log(rows), "count")
    assert name == "Odd::count"
    return versions_of(events)


def way(rows):
    return way_of(versions(rows), len(rows))


@pytest.mark.parametrize(
    ("rows", "lanes"),
    [
        (LAMBDA, [OSR1, OSR2, INTERPRETER, OSR1]),  # a standard compile does not move a thread that is in a loop
        (LAMBDA[:4], [OSR1, OSR2]),  # a version that a better one replaces sends nobody back
        (  # OSR code of the same tier is not entered from C1's
            [(32, 65, True, 3, 26, MADE, None), (33, 66, True, 3, 17, MADE, None), (34, 67, True, 4, 26, MADE, None)],
            [(3, 26), (4, 26)],
        ),
        (STANDARD, [C1, (4, 5), C2, INTERPRETER, C2]),  # a call led to what is thrown away, and out of it
        (TRAPPED, [OSR1, OSR2, C2, INTERPRETER]),  # to a trap where no thread was inferred a call leads
        (THROWN, [C1, C2, INTERPRETER, OSR2]),  # from a trap in a loop no call leads on
        (THROWN[:5], [C1, C2, INTERPRETER, C1]),
        (AGAIN, [OSR1, OSR2, INTERPRETER, OSR2, C2]),  # C2's standard version is asked for by a call
        (TRIVIAL, [C1, (1, None)]),
        ([(10, 1, False, 3, None, MADE, None), (20, 2, False, 4, None, MADE, None)], [C1, C2]),
    ],
)  # fmt: skip
def test_a_thread_goes_through_these_lanes_and_its_way_never_breaks_off(rows, lanes):
    found = way(rows)
    assert [move.to for move in found.moves] == lanes
    meet = [(before[2], after[1]) for before, after in pairwise(found.stretches)]
    assert meet == [(move.at, move.at) for move in found.moves]


def test_only_an_uncommon_trap_in_the_log_makes_the_way_back_certain():
    backs = [move for rows in (LAMBDA, STANDARD) for move in way(rows).moves if move.to == INTERPRETER]
    assert [move.logged for move in backs] == [True, False]


def test_jdk_8_forgets_the_bci_of_discarded_osr_code_and_c2_alone_logs_no_tier():
    [forgotten] = versions([(10, 1, True, 3, 14, MADE, None), (20, 1, True, 3, -2, GONE, None)])
    assert (forgotten.lane, forgotten.end) == ((3, 14), 1)
    [untiered] = versions([(259, 32, True, None, 4, MADE, None)])
    assert untiered.tier == 4


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (LAMBDA, "count falls back to the interpreter at 1,545 ms, then enters C1's code by OSR"),
        (LAMBDA[:5], "count falls back to the interpreter at 1,545 ms"),
        (LAMBDA[:3], "count: OSR enters C2's code in mid-loop"),
        ([(20, 2, False, 4, None, MADE, None)], "count: a call enters C2's standard version"),
    ],
)
def test_the_title_says_where_the_thread_ends_up(rows, said, title):
    assert title(plot.tiers(log(rows), "Odd::count")) == said


def test_what_is_inferred_is_dashed_and_what_is_logged_is_not():
    ax = plot.tiers(log(LAMBDA), "Odd::count")
    styles = {arrow.arrow_patch.get_linestyle() for arrow in ax.texts if getattr(arrow, "arrow_patch", None)}
    assert styles == {"--", "-"}
    assert {"30", "31: not on this path", TRAP} <= {text.get_text() for text in ax.texts}
    assert [tick.get_text() for tick in ax.get_xticklabels()][1:3] == ["2\n60", "3\n60"]
    said = _alternative.of(ax.figure)
    assert said.index("Logged: compile 30") < said.index("Inferred path of a thread: from interpreter (0)")


def test_of_a_long_log_the_last_lines_are_drawn():
    rows = [(n, n, False, 3, None, event, None) for n in range(20) for event in (MADE, GONE)]
    assert "26 earlier ones left out" in plot.tiers(log(rows), "Odd::count").get_xlabel()


def test_without_the_path_only_the_log_is_drawn(title):
    ax = plot.tiers(log(AGAIN), "Odd::count", path=False)
    assert not any(getattr(text, "arrow_patch", None) for text in ax.texts)
    assert not any("not on this path" in text.get_text() for text in ax.texts)
    assert "dashed" not in ax.get_xlabel() and "Inferred" not in _alternative.of(ax.figure)
    assert title(ax) == "count: 5 compiled versions"
