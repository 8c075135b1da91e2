"""JMH's perfasm tables become rows; a table that is cut off invents none."""

from pathlib import Path

import pytest

from safepointlab.errors import DamagedLog, ForeignLog
from safepointlab.logs import perfasm

LOG = Path(__file__).parent.parent / "data" / "perfasm" / "17.txt"


@pytest.fixture(scope="module")
def frame():
    return perfasm.read(LOG, strict=True)


def test_each_table_gives_its_rows(frame):
    assert frame["table"].value_counts().to_dict() == {"regions": 20, "methods": 20, "sources": 7}


def test_regions_of_one_method_add_up_to_its_share_after_inlining(frame):
    by_table = frame[frame.compile_id == 484].groupby("table")["percent"].sum()
    assert by_table["regions"] == pytest.approx(by_table["methods"], abs=0.02)


def test_an_address_of_nothing_known_has_neither_source_nor_name(frame):
    assert frame[frame.source.isna() & frame.name.isna() & (frame["table"] == "regions")].percent.tolist() == [0.15]


def test_sources_have_no_name(frame):
    assert frame[frame["table"] == "sources"]["name"].isna().all()


def test_a_table_cut_in_mid_line_is_damage_and_no_row():
    text = LOG.read_text("utf-8")
    cut = text[: text.index("c2, level 4") - 9]
    assert perfasm.read(cut).attrs["rows"] == 0 and perfasm.read(cut).attrs["damaged"] == 1
    with pytest.raises(DamagedLog, match="cut off"):
        perfasm.read(cut, strict=True)


def test_another_text_is_foreign():
    with pytest.raises(ForeignLog):
        perfasm.read(["Benchmark  Mode  Cnt"], strict=True)
