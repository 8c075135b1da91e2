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
C1, C2 = (3, 12), (4, 12)


def log(rows, method="Odd::count"):
    frame = pd.DataFrame(rows, columns=COLUMNS).assign(method=method)
    return frame.astype({"tier": "Int8", "osr_bci": "Int32", "reason": "string", "method": "string"})


def way(rows):
    name, events = events_of(log(rows), "Odd::count")
    assert name == "Odd::count"
    return way_of(versions_of(events), len(events))


def moves(rows):
    return [(move.start, move.to) for move in way(rows).moves]


def test_a_thread_goes_up_by_osr_and_back_by_a_trap():
    assert moves(LAMBDA) == [(INTERPRETER, C1), (C1, C2), (C2, INTERPRETER), (INTERPRETER, C1)]


def test_a_standard_compile_does_not_move_a_thread_that_is_in_a_loop():
    assert (3, None) not in [to for _, to in moves(LAMBDA)]


def test_osr_code_of_the_same_tier_is_not_entered_from_c1s():
    rows = [(32, 65, True, 3, 26, MADE, None), (33, 66, True, 3, 17, MADE, None), (34, 67, True, 4, 26, MADE, None)]
    assert moves(rows) == [(INTERPRETER, (3, 26)), ((3, 26), (4, 26))]


def test_c2s_standard_version_that_is_thrown_away_was_entered_by_a_call_and_left():
    rows = [
        (46, 74, False, 3, None, MADE, None),
        (50, 75, True, 4, 5, MADE, None),
        (51, 76, False, 4, None, MADE, None),
        (796, 76, False, 4, None, GONE, None),
        (797, 155, False, 4, None, MADE, None),
    ]
    assert moves(rows)[-2:] == [((4, None), INTERPRETER), (INTERPRETER, (4, None))]
    assert not any(move.logged for move in way(rows).moves)


def test_a_trivial_method_ends_in_c1s_code_without_counters():
    made = [(10, 1, False, 3, None, MADE, None), (20, 2, False, 1, None, MADE, None)]
    rows = [*made, (21, 1, False, 3, None, GONE, None)]
    assert moves(rows) == [(INTERPRETER, (3, None)), ((3, None), (1, None))]


def test_without_osr_the_next_call_enters_the_standard_version():
    rows = [(10, 1, False, 3, None, MADE, None), (20, 2, False, 4, None, MADE, None)]
    assert [move.word for move in way(rows).moves] == ["next call", "next call"]


def test_a_version_that_a_better_one_replaces_sends_nobody_back():
    assert moves(LAMBDA[:4]) == [(INTERPRETER, C1), (C1, C2)]


def test_only_an_uncommon_trap_in_the_log_makes_the_way_back_certain():
    without_reason = [(*row[:-1], None) for row in LAMBDA]
    assert [move.logged for rows in (LAMBDA, without_reason) for move in way(rows).moves if move.to == INTERPRETER] == [
        True,
        False,
    ]


def test_jdk_8_forgets_the_bci_of_discarded_osr_code_which_stays_in_its_lane():
    rows = [(10, 1, True, 3, 14, MADE, None), (20, 1, True, 3, -2, GONE, None)]
    [version] = versions_of(events_of(log(rows), "count")[1])
    assert (version.lane, version.end) == ((3, 14), 1)


def test_to_a_trap_where_no_thread_was_inferred_a_call_leads():
    rows = [*LAMBDA[:3], (99, 40, False, 4, None, MADE, None), (112, 40, False, 4, None, GONE, TRAP)]
    assert moves(rows)[-2:] == [(C2, (4, None)), ((4, None), INTERPRETER)]
    assert way(rows).moves[-2].word == "next call"


def test_the_way_never_breaks_off():
    rows = [*LAMBDA[:3], (99, 40, False, 4, None, MADE, None), (112, 40, False, 4, None, GONE, TRAP)]
    stretches, steps = way(rows).stretches, way(rows).moves
    assert [(start[2], end[1]) for start, end in pairwise(stretches)] == [(move.at, move.at) for move in steps]


def test_a_version_that_the_way_never_reaches_is_marked():
    words = [text.get_text() for text in plot.tiers(log(LAMBDA), "Odd::count").texts]
    assert "31: nobody enters it" in words and "30" in words


def test_a_compile_by_c2_alone_has_no_tier_in_the_log():
    [version] = versions_of(events_of(log([(259, 32, True, None, 4, MADE, None)]), "count")[1])
    assert version.tier == 4


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (LAMBDA, "count falls back to the interpreter at 1,545 ms, then OSR enters C1's code"),
        (LAMBDA[:5], "count falls back to the interpreter at 1,545 ms"),
        (LAMBDA[:3], "count: OSR enters C2's code in mid-loop"),
        ([(20, 2, False, 4, None, MADE, None)], "count: a call enters C2's standard version"),
    ],
)
def test_the_title_says_where_the_thread_ends_up(rows, said):
    assert " ".join(plot.tiers(log(rows), "Odd::count").get_title(loc="left").split()) == said


def test_what_is_inferred_is_dashed_and_what_is_logged_is_not():
    ax = plot.tiers(log(LAMBDA), "Odd::count")
    styles = {arrow.arrow_patch.get_linestyle() for arrow in ax.texts if getattr(arrow, "arrow_patch", None)}
    assert styles == {"--", "-"} and len(ax.patches) >= 4


def test_the_words_for_the_ear_part_log_and_inference():
    said = _alternative.of(plot.tiers(log(LAMBDA), "Odd::count").figure)
    assert said.index("Logged: compile 30") < said.index("Inferred way of a thread: from interpreter (0)")


def test_of_a_long_log_the_last_lines_are_drawn():
    rows = [(n, n, False, 3, None, event, None) for n in range(20) for event in (MADE, GONE)]
    assert "26 earlier ones left out" in plot.tiers(log(rows), "Odd::count").get_xlabel()
