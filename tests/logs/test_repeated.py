"""A column of one value: it costs nothing, and is written to like any other."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest

from safepointlab.logs.lines import store

ROWS = 1_000_000
NEW = {"string": "mine", "category": "known", "bool": False, "boolean": True}
NEW |= {"datetime64[ms]": pd.Timestamp("2026-11-20")}
ONES = {
    "a number": np.array([2.5]),
    "no number": np.array([np.nan]),
    "no time": np.array(["NaT"], "datetime64[ms]"),
    "a mark": np.array([True]),
    "a whole number": pd.array([7], dtype="Int32"),
    "no whole number": pd.array([None], dtype="Int64"),
    "no truth": pd.array([None], dtype="boolean"),
    "a text": pd.array(["G1"], dtype="string[python]"),
    "no text": pd.array([None], dtype="string[python]"),
    "a category": pd.Categorical(["known"]),
    "no category": pd.Categorical([None], ["known"]),
}
every_kind = pytest.mark.each("one", ONES.values())


def frame(one):
    return pd.DataFrame({"number": np.arange(ROWS), "column": store.repeated(one, ROWS)}, copy=False)


@every_kind
def test_a_large_column_has_its_value_in_every_row_and_the_dtype_of_a_small_one(one):
    small, large = pd.Series(store.repeated(one, 3)), frame(one)["column"]
    some = large.iloc[[0, ROWS // 2, ROWS - 1]].reset_index(drop=True)
    pd.testing.assert_series_equal(some, small, check_names=False)
    assert large.nunique(dropna=False) == 1 and len(large) == ROWS


@pytest.mark.skipif(pd.__version__ < "3", reason="pandas 2 does not copy before it writes, so its columns are ordinary")
@every_kind
def test_it_takes_no_memory_for_its_rows(one):
    tracemalloc.start()
    column = store.repeated(one, ROWS)
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(column) == ROWS and taken < ROWS / 100


@every_kind
def test_writing_to_it_changes_that_row_alone_of_that_frame_alone(one):
    written, other = frame(one), frame(one)
    new = NEW.get(str(written["column"].dtype), 1)
    written.loc[1, "column"] = new
    rest = written["column"].drop(1).reset_index(drop=True)
    assert written["column"][1] == new
    pd.testing.assert_series_equal(rest, other["column"].iloc[1:].reset_index(drop=True))


@every_kind
def test_a_part_of_the_frame_is_written_to_after_the_frame_is_gone(one):
    part = frame(one)[["column"]]
    new = NEW.get(str(part["column"].dtype), 1)
    part.iloc[5, 0] = new
    assert part["column"][5] == new and part["column"].drop(5).nunique(dropna=False) == 1


def test_one_adds_fills_groups_and_sorts_by_it():
    frame_of_text = frame(ONES["a text"])
    assert (frame_of_text["column"] + "!").unique().tolist() == ["G1!"]
    assert frame_of_text.groupby("column")["number"].max().to_dict() == {"G1": ROWS - 1}
    assert frame(ONES["no number"]).fillna(0)["column"].sum() == 0
    assert frame(ONES["a number"]).sort_values(["column", "number"])["number"].is_monotonic_increasing
