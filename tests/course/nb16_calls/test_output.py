"""Calls beside the safepoint log: which of them stopped all threads, which one thread, which nobody."""

import pandas as pd
import pytest

from safepointlab.course import lessons
from safepointlab.course.nb16_calls import output
from safepointlab.errors import DamagedLog, ForeignLog
from safepointlab.logs import guess, safepoint

PRINTED = [
    "call,begin_nanos,end_nanos,begin_s,end_s",
    "stackOfOne,3193600000000,3193700000000,1.0,1.1",
    "interrupt,3193800000000,3193900000000,1.2,1.3",
]
IN_FIRST, IN_SECOND = 3_193_600_000_500, 3_193_800_000_100


def during(*begins_ns, **more):
    """What the VM did during the two calls, where stops of this kind began at these times."""
    row = {"kind": "safepoint", "operation": "ThreadDump", "total_ms": 2.0, "begin_s": float("nan"), **more}
    stops = [{"nanotime_ns": begin_ns + 2_000_000, **row} for begin_ns in begins_ns]
    return pd.DataFrame(stops, columns=list(safepoint.COLUMNS)).astype(safepoint.COLUMNS)


def operations(*stops):
    return output.operations(output.read(PRINTED), pd.concat(stops)).set_index("call")


def test_each_line_but_the_header_is_a_call_and_no_threads_note():
    calls = output.read(PRINTED)
    assert calls["call"].tolist() == ["stackOfOne", "interrupt"] and calls.attrs["skipped"] == 1
    assert guess("\n".join(PRINTED) + "\n", lessons.output_readers()) == ["calls"]


def test_a_safepoint_belongs_to_the_call_within_which_it_began():
    calls = operations(during(IN_FIRST, 3_193_599_000_000, 3_193_700_500_000))  # two of them begin outside of any call
    assert calls["kind"].tolist() == ["safepoint", "nothing"]
    assert calls["operations"].tolist() == [["ThreadDump"], []]


def test_where_only_the_uptime_is_logged_it_decides_within_ten_milliseconds():
    early, late = (during(0, nanotime_ns=None, begin_s=at) for at in (0.991, 1.185))
    assert operations(early, late)["kind"].tolist() == ["safepoint", "nothing"]


def test_a_handshake_counts_where_there_is_no_safepoint_and_stops_nobody_for_long():
    shake = during(IN_SECOND, kind="handshake", operation="Deoptimize")
    assert operations(shake).loc["interrupt", "kind"] == "handshake"
    assert operations(shake, during(IN_SECOND + 100)).loc["interrupt", "operations"] == ["ThreadDump"]
    assert operations(during(IN_FIRST), shake)["stopped_ms"].fillna(-1).tolist() == [2.0, -1]


@pytest.mark.parametrize("errand", ["Cleanup", "G1CollectForAllocation", "HandshakeForDeflation", "no vm operation"])
def test_an_errand_of_the_vm_itself_is_nobodys_doing(errand):
    assert set(operations(during(IN_FIRST, operation=errand))["kind"]) == {"nothing"}


def test_a_line_that_is_cut_off_is_counted_and_with_strict_refused_as_another_text_is():
    assert output.read([*PRINTED, "heapDump,3194"]).attrs["damaged"] == 1
    with pytest.raises(DamagedLog, match="<lines>:4"):
        output.read([*PRINTED, "heapDump,3194"], strict=True)
    with pytest.raises(ForeignLog, match="among 1 lines not one"):
        output.read(["hello"], strict=True)
