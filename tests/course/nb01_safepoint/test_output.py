"""Calls beside the safepoint log: which of them stopped everybody, which one thread, which nobody."""

import pandas as pd
import pytest

from safepointlab.course import lessons
from safepointlab.course.nb01_safepoint import output as safepoint_output
from safepointlab.errors import DamagedLog, ForeignLog
from safepointlab.logs import guess, safepoint

HEADER = "call,begin_nanos,end_nanos,begin_s,end_s"
PRINTED = [HEADER, "stackOfOne,3193600000000,3193700000000,1.0,1.1", "interrupt,3193800000000,3193900000000,1.2,1.3"]
MADE = safepoint_output.read(PRINTED)


def stop(begin_ns, **more):
    row = {"kind": "safepoint", "operation": "ThreadDump", "total_ms": 2.0, "nanotime_ns": begin_ns + 2_000_000}
    return {**row, "begin_s": float("nan"), **more}


def during(*stops):
    frame = pd.DataFrame(list(stops), columns=list(safepoint.COLUMNS)).astype(safepoint.COLUMNS)
    return safepoint_output.operations(MADE, frame).set_index("call")


def test_each_line_but_the_header_is_a_call():
    assert MADE["call"].tolist() == ["stackOfOne", "interrupt"] and MADE.attrs["skipped"] == 1


def test_a_safepoint_belongs_to_the_call_within_which_it_began():
    calls = during(stop(3_193_600_000_500))
    assert calls["kind"].tolist() == ["safepoint", "nothing"]
    assert calls["operations"].tolist() == [["ThreadDump"], []]


def test_a_safepoint_before_or_after_a_call_is_not_its_doing():
    assert set(during(stop(3_193_599_000_000), stop(3_193_700_500_000))["kind"]) == {"nothing"}


def test_where_only_the_uptime_is_logged_it_decides_within_ten_milliseconds():
    early, late = (stop(0, nanotime_ns=None, begin_s=at) for at in (0.991, 1.185))
    assert during(early, late)["kind"].tolist() == ["safepoint", "nothing"]


def test_a_handshake_counts_where_there_is_no_safepoint():
    shake = stop(3_193_800_000_100, kind="handshake", operation="Deoptimize")
    assert during(shake).loc["interrupt", "kind"] == "handshake"
    assert during(shake, stop(3_193_800_000_200)).loc["interrupt", "operations"] == ["ThreadDump"]


def test_a_handshake_stops_nobody_for_long_so_the_stopped_time_is_missing():
    calls = during(stop(3_193_600_000_500), stop(3_193_800_000_100, kind="handshake"))
    assert calls["stopped_ms"].fillna(-1).tolist() == [2.0, -1]


@pytest.mark.parametrize("errand", ["Cleanup", "G1CollectForAllocation", "HandshakeForDeflation", "no vm operation"])
def test_an_errand_of_the_vm_itself_is_nobodys_doing(errand):
    assert set(during(stop(3_193_600_000_500, operation=errand))["kind"]) == {"nothing"}


def test_a_line_that_is_cut_off_is_counted_and_with_strict_refused():
    assert safepoint_output.read([*PRINTED, "heapDump,3194"]).attrs["damaged"] == 1
    with pytest.raises(DamagedLog, match="<lines>:4"):
        safepoint_output.read([*PRINTED, "heapDump,3194"], strict=True)


def test_another_text_is_foreign():
    with pytest.raises(ForeignLog, match="among 1 lines not one"):
        safepoint_output.read(["hello"], strict=True)


def test_calls_are_recognised_and_are_no_threads_notes():
    assert guess("\n".join(PRINTED) + "\n", lessons.output_readers()) == ["calls"]
