"""amounts.py: a number for each combination, and where it is above a limit."""

import pandas as pd

from safepointlab.plot.amounts import amounts


def runs(**columns):
    rows = [(8, "a.b.Kept", "exited", 255.0), (8, "a.b.Cut", "exited", 0.1), (17, "a.b.Kept", "exited", 250.0)]
    frame = pd.DataFrame([*rows, (17, "a.b.Cut", "exited", 0.0)], columns=["jdk", "args", "outcome", "promoted_mib"])
    return frame.assign(**columns)


def drawn(frame, **settings):
    settings = {"rows": "args", "columns": "jdk", "limit": 50} | settings
    return amounts(frame, "promoted_mib", **settings)


def title(ax):
    return " ".join(ax.get_title(loc="left").split())


def tiles(ax):
    return [text.get_text() for text in ax.texts]


def test_the_title_names_the_row_whose_numbers_are_all_above_the_limit():
    ax = drawn(runs())
    assert title(ax) == "Promoted: more than 50 MiB with Kept, nowhere else"
    assert tiles(ax) == ["255", "250", "0.1", "0"]


def test_or_the_column_or_how_many_combinations():
    assert title(drawn(runs(promoted_mib=[255, 255, 0, 0]))).endswith("on JDK 8, nowhere else")
    assert title(drawn(runs(promoted_mib=[255, 0, 0, 255]))).endswith("in 2 of 4 combinations")
    assert title(drawn(runs(promoted_mib=[255, 0, 0, 0]))).endswith("in 1 of 4 combinations, all with Kept")
    assert title(drawn(runs(promoted_mib=0))).endswith("in no combination")
    assert title(drawn(runs(promoted_mib=99))).endswith("in each combination")
    assert title(drawn(runs(), limit=None)) == "Promoted: 0 to 255 MiB"


def test_names_that_are_too_long_for_the_title_are_not_in_it():
    flags = ["", "-XX:+UseBiasedLocking -XX:BiasedLockingStartupDelay=4000"] * 2
    frame = runs(promoted_mib=[0, 255, 0, 255], flags=flags, jdk=[11, 11, 17, 17])
    frame.loc[4] = {"jdk": 21, "args": "", "outcome": "exited", "promoted_mib": 0, "flags": ""}
    said = title(drawn(frame, rows="jdk", columns="flags", what="time to safepoint"))
    assert said == "Time to safepoint: more than 50 MiB in 2 of 5 combinations, all on JDK 11 and 17"


def test_a_run_without_a_number_says_why_and_is_not_in_the_title():
    ax = drawn(runs(promoted_mib=[255, 0, None, 0], outcome=["exited", "exited", "not possible", "exited"]))
    assert tiles(ax)[1] == "not possible"
    assert title(ax) == "Promoted: more than 50 MiB with Kept, nowhere else"


def test_several_runs_of_a_tile_are_the_least_and_the_most():
    assert tiles(drawn([runs(), runs(promoted_mib=[251, 0, 250, 0])]))[:2] == ["251–255", "250"]


def test_the_names_of_several_tables_tell_their_rows_apart():
    ax = drawn({"1.1": runs()[:1], "4.0": runs(promoted_mib=0)[:1]})
    assert [text.get_text() for text in ax.get_yticklabels()] == ["1.1\nKept", "4.0\nKept"]
    assert title(ax) == "Promoted: more than 50 MiB with 1.1, nowhere else"
