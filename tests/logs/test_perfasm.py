"""JMH's perfasm tables become rows."""

import pytest

from safepointlab.logs import perfasm
from tests.logs.conftest import DATA

LOG = DATA / "perfasm" / "17.txt"


def test_each_table_gives_its_rows():
    frame = perfasm.read(LOG, strict=True)
    assert frame["table"].value_counts().to_dict() == {"regions": 20, "methods": 20, "sources": 7}
    by_table = frame[frame.compile_id == 484].groupby("table")["percent"].sum()
    assert by_table["regions"] == pytest.approx(by_table["methods"], abs=0.02)
    unknown = frame.source.isna() & frame.name.isna() & (frame["table"] == "regions")
    assert frame[unknown].percent.tolist() == [0.15]
    assert frame[frame["table"] == "sources"]["name"].isna().all()
