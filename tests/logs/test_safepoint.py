"""Safepoint logs of JDK 8 to 28: each stop is one row, whatever lines tell about it, and nothing else is a row."""

import pandas as pd
import pytest

from safepointlab import plot
from safepointlab.logs import safepoint
from tests.logs.conftest import DATA, counted

HERE = DATA / "safepoint"
EACH_LOG = pytest.mark.each("path", sorted(HERE.glob("*.log")))
LINE_17 = (
    '[0.552s][info][safepoint] Safepoint "G1CollectFull", Time since last: 435972622 ns, Reaching safepoint: 6379 ns, '
    "Cleanup: 93990 ns, At safepoint: 15961915 ns, Total: 16062284 ns"
)
LINE_25 = (
    '[0.501s][info][safepoint] Safepoint "ThreadDump", Time since last: 297914 ns, Reaching safepoint: 77896 ns, '
    "At safepoint: 26529 ns, Leaving safepoint: 3045 ns, Total: 107470 ns, Threads: 1 runnable, 10 total"
)
SHAKE_11 = (
    '[1.190s][info][handshake        ] Handshake "ZMarkFlushAndFreeStacks", Targeted threads: 13, '
    "Executed by targeted threads: 4, Total completion time: 7011579 ns"
)
SHAKE_21 = (
    '[0.250s][info][handshake] Handshake "GetStackTraceClosure", Targeted threads: 1, '
    "Executed by requesting thread: 0, Total completion time: 167650 ns"
)
ROW_8 = "0.560: ParallelGCSystemGC               [       8          1              1    ]      "
ROW_8 += "[  1443     4  1447     0    12    ]  1   "
STOPPED = "Total time for which application threads were stopped: 1.4598123 seconds"
STOPPED_8 = f"2.022: {STOPPED}, Stopping threads took: 1.4471987 seconds"
TRACE = DATA / "arrivals" / "jdk21.log"


def one(*lines: str) -> pd.Series:
    frame = safepoint.read(lines, strict=True)
    assert len(frame) == 1
    return frame.iloc[0]


@EACH_LOG
def test_the_frame_is_as_recorded_and_as_other_means_have_counted(path):
    facts, frame, late = counted(path), safepoint.read(path, strict=True), safepoint.stragglers(path, strict=True)
    assert frame.to_csv(index=False) == path.with_suffix(".rows.csv").read_text()
    stops = frame[frame["kind"] == "safepoint"]
    line_counts = ("safepoint_lines", "stopped_lines", "entering_lines", "table_rows", "statistics_rows")
    assert len(stops) == max(facts.get(fact, 0) for fact in line_counts)
    assert len(frame) - len(stops) == facts.get("handshake_lines", 0)
    operations = {fact.split("_of ", 1)[1]: times for fact, times in facts.items() if "_of " in fact}
    assert not operations or stops["operation"].value_counts().to_dict() == operations
    sums = {"reaching_ns": ("ttsp_ms", 1e6), "at_safepoint_ns": ("operation_ms", 1e6), "total_ns": ("total_ms", 1e6)}
    sums |= {"stopped_s": ("total_ms", 1e-3), "stopping_s": ("ttsp_ms", 1e-3)}
    for fact, (column, unit) in sums.items():
        assert fact not in facts or stops[column].sum() * unit == pytest.approx(facts[fact], rel=1e-12)
    named = late[late["told_by"] == "timeout"]["thread"].value_counts().to_dict()
    assert named == {fact.removeprefix("late "): times for fact, times in facts.items() if fact.startswith("late ")}
    attrs = {
        "lines": "lines",
        "initiated": "initiated",
        "timeouts": "timeouts",
        "application_times": "application_times",
    }
    assert {name: frame.attrs[name] for name in attrs} == {name: facts.get(fact, 0) for name, fact in attrs.items()}


@pytest.mark.each(
    ("line", "fields"),
    [
        (LINE_17, {"ttsp_ms": 0.006379, "cleanup_ms": 0.09399, "operation_ms": 15.961915, "total_ms": 16.062284}),
        (LINE_17, {"time_since_last_ms": 435.972622, "leaving_ms": None, "threads_total": None}),
        (LINE_17.replace("Cleanup: 93990 ns, ", ""), {"cleanup_ms": None, "operation_ms": 15.961915}),  # 13 to 16
        (LINE_25, {"leaving_ms": 0.003045, "threads_running": 1, "threads_total": 10, "cleanup_ms": None}),
        (LINE_25, {"begin_s": 0.50089253, "operation": "ThreadDump"}),
        (SHAKE_11, {"kind": "handshake", "total_ms": 7.011579, "targeted_threads": 13, "executed_by_requester": 9}),
        (SHAKE_21, {"kind": "handshake", "total_ms": 0.16765, "targeted_threads": 1, "executed_by_requester": 0}),
        (STOPPED, {"total_ms": 1459.8123, "ttsp_ms": None, "uptime_s": None}),  # early builds of 8
        (f"step 5{STOPPED_8}", {"uptime_s": None}),  # digits glued to 8's bare stamp make no time
        (f"step 5{ROW_8}", {"uptime_s": None}),
        ("4.095: EnableBiasedLocking [ 8 1 1 ] [ 2324 0 2324 0 0 ] 1", {"ttsp_ms": 2324.0, "page_trap_count": 1}),
        ("[3.490s][info][safepoint] Entering safepoint region: Halt", {"operation": "Halt", "total_ms": None}),
        (LINE_25.replace("[0.501s]", "[2026-11-20T05:84:50.997+0000]"), {"time": None}),
    ],
)
def test_a_line_gives_all_that_it_says(line, fields):
    row = one(line)
    assert {name: None if pd.isna(row[name]) else row[name] for name in fields} == fields


def test_8s_table_row_and_its_total_time_are_one_row_with_the_finer_times_if_they_fit():
    row = one(ROW_8, STOPPED_8)
    assert row["operation"] == "ParallelGCSystemGC"
    assert [row["ttsp_ms"], row["operation_ms"], row["total_ms"]] == [1447.1987, 12.0, 1459.8123]
    assert [row["begin_s"], row["uptime_s"]] == [0.56, 2.022]
    apart = safepoint.read([ROW_8, STOPPED_8.replace("took: 1.4471987", "took: 0.0000987")], strict=True)
    assert apart["operation"].isna().tolist() == [False, True]


def test_one_stop_whose_line_counts_the_cleanup_in_is_one_row():
    stats = "[0.500s][info][safepoint,stats] Cleanup   [   15    1 ][     26541   240544   30371   297456 ]    0"
    line = '[0.500s][info][safepoint] Safepoint "Cleanup", Time since last: 1 ns, Reaching safepoint: 267085 ns, '
    frame = safepoint.read([stats, f"{line}At safepoint: 30371 ns, Total: 297456 ns"])
    assert frame[["ttsp_ms", "cleanup_ms", "total_ms"]].values.tolist() == [[0.026541, 0.240544, 0.297456]]


@pytest.mark.each("paths", [["jdk8-split-stdout.log", "jdk8-split-gc.log"], ["jdk8-table-batch.log"]])
def test_tables_apart_from_their_total_times_are_put_together_in_order(paths):
    frame = safepoint.read([HERE / path for path in paths], strict=True)
    assert len(frame) == 17 and frame["operation"].notna().all()
    assert frame["total_ms"].isna().sum() == 1  # the stop in which the VM exits
    assert frame["begin_s"].is_monotonic_increasing


def test_many_rows_of_8_find_their_stop_in_another_file_though_some_of_either_are_missing(tmp_path):
    rows, stops = tmp_path / "vm.log", tmp_path / "gc.log"
    rows.write_text("".join(f"{n}.000: G1 [ 9 0 0 ] [ 0 0 0 0 0 ] 0\n" for n in range(1, 3000) if n % 700))
    message = STOPPED.replace("1.4598123", "0.0010000")
    stops.write_text("".join(f"{n}.001: {message}\n" for n in range(1, 3000) if n % 500))
    frame = safepoint.read([rows, stops])
    assert len(frame) == 2999 and frame["operation"].isna().sum() == 2999 // 700
    assert frame["total_ms"].isna().sum() == 2999 // 500 and frame["begin_s"].is_monotonic_increasing


@pytest.mark.each(
    ("decoration", "uptime", "nanotime"),
    [
        ("[0.118s]", 0.118, None),
        ("[0,118s]", 0.118, None),
        ("[118ms]", 0.118, None),
        ("[118181814ns]", 0.118181814, None),
        ("[5898336724394ns]", None, 5898336724394),
        ("[5898336724394ns][118181814ns]", 0.118181814, 5898336724394),
        ("[0.118s][5898336724394ns]", 0.118, 5898336724394),
        ("[0.118s][118181814ns]", 0.118181814, None),
        ("[1795153850997ms]", None, None),
        ("[1795153850997ms][118ms]", 0.118, None),
        ("[1795153850997ms][118ms][5898336724394ns]", 0.118, 5898336724394),
        ("[2026-11-20T05:50:50.997+0000][vm][14179][14181][info ][safepoint        ]", None, None),
        ("", None, None),
    ],
)
def test_every_decoration_tells_the_times_that_it_has(decoration, uptime, nanotime):
    row = one(LINE_25.replace("[0.501s][info][safepoint] ", f"{decoration} " if decoration else ""))
    assert row["operation"] == "ThreadDump"
    assert pd.isna(row["uptime_s"]) if uptime is None else row["uptime_s"] == uptime
    assert pd.isna(row["nanotime_ns"]) if nanotime is None else row["nanotime_ns"] == nanotime


def test_a_date_becomes_utc_whatever_its_zone():
    zones = ["2026-11-20T06:50:50.997+0100", "2026-11-20T05:50:50.997+0000"]
    frame = safepoint.read([LINE_25.replace("[0.501s]", f"[{day}]") for day in zones], strict=True)
    assert frame["time"].astype(str).tolist() == ["2026-11-20 05:50:50.997"] * 2


def test_program_output_around_a_line_neither_hides_it_nor_makes_a_row():
    frame = safepoint.read(["app: 5", "no newline 5" + LINE_25, "app: done"], strict=True)
    assert frame["uptime_s"].tolist() == [0.501] and frame.attrs["skipped"] == 2
    glued = safepoint.read([LINE_25 + LINE_25.replace("ThreadDump", "Halt")], strict=True)
    assert glued["operation"].tolist() == ["ThreadDump", "Halt"]
    talk = ['the Safepoint "Oops" is no line', "Entering safepoint region", "1.0: Foo [ 1 2 ]", 'Handshake "x"', "][ "]
    assert safepoint.read([*talk, LINE_25])["operation"].tolist() == ["ThreadDump"]


def test_the_end_of_a_file_without_newline_is_trusted_where_it_must_be_whole(write):
    assert safepoint.read(write(LINE_25), strict=True)["threads_total"].tolist() == [10]
    frame = safepoint.read(write("[0.692s][info][safepoint] Entering safepoint region: EnableBias"))
    assert frame.empty and frame.attrs["damaged"] == 1


def test_binary_junk_and_a_file_without_line_ends_do_no_harm(write):
    junk = bytes(range(256)) * 40
    assert safepoint.read(write(junk + b"\n" + LINE_25.encode() + b"\r\n" + junk))["threads_total"].tolist() == [10]
    frame = safepoint.read(write(b"x" * 3_000_000 + b"\n" + LINE_25.encode() + b"\n" + b"y" * 3_000_000))
    assert [len(frame), frame.attrs["damaged"]] == [1, 0]


@pytest.mark.each("jdk", [11, 17, 25, 28])
def test_a_hung_jvm_is_known_by_the_safepoint_that_it_began(jdk):
    """Without the debug level's "initiated" only the timeout tells, one SafepointTimeoutDelay later."""
    lines = (HERE / f"jdk{jdk}-hang-timeout.log").read_text().splitlines()
    begun = safepoint.read(lines, strict=True, timeout_delay_ms=500).attrs["begun_s"]
    assert 1.0 < begun < 5.0
    info = [line for line in lines if "initiated" not in line]
    if jdk > 11:  # whose timeout has no stamp
        assert safepoint.read(info, timeout_delay_ms=500).attrs["begun_s"] == pytest.approx(begun, abs=0.003)
        assert safepoint.read(info).attrs["begun_s"] == pytest.approx(begun + 0.5, abs=0.003)


@pytest.mark.each("log", ["jdk8-hang-timeout", "jdk11-debug", "jdk17-info", "jdk28-debug", "jdk25-info"])
def test_8s_timeout_has_no_stamp_and_a_jvm_that_exits_does_not_hang(log):
    frame = safepoint.read(HERE / f"{log}.log", timeout_delay_ms=500)
    assert "begun_s" not in frame.attrs and frame.attrs["timeouts"] == ("hang" in log)


def test_a_late_thread_is_named_with_its_native_id():
    late = safepoint.stragglers(HERE / "jdk25-hang-timeout.log", strict=True).iloc[0]
    assert [late["thread"], late["native_id"], late["told_by"]] == ["Thread-0", 20887, "timeout"]
    assert late["uptime_s"] == 4.634
    line = "# &quot;a &lt;b&gt;&quot; #8 daemon prio=5 os_prio=0 tid=0x00007f9f88129800 nid=0x31d7 runnable [0x0]"
    assert safepoint.stragglers([line], strict=True)["thread"].tolist() == ["a <b>"]  # in 8's vm.log, which is XML
    assert safepoint.stragglers(HERE / "jdk17-info.log", strict=True).empty


def test_a_carrier_of_a_virtual_thread_is_named_though_its_line_has_no_nid():
    lines = [
        '[0.388s][warning][safepoint] # "ForkJoinPool-1-worker-1" #18 [370] daemon prio=5 os_prio=0 cpu=257.17ms '
        "elapsed=0.33s tid=0x00007f9e4809f1d0  [0x0000000000000000]",
        "[0.388s][warning][safepoint]    Carrying virtual thread #17",
        '[0.388s][warning][safepoint] # "main" #3 [365] prio=5 os_prio=0 cpu=55.10ms elapsed=10.50s '
        "tid=0x00007f1c98012ab0 nid=365 runnable  [0x00007f1c9e1f9000]",
    ]
    late = safepoint.stragglers(lines, strict=True)
    assert late["native_id"].tolist() == [370, 365] and late["thread"].tolist()[0] == "ForkJoinPool-1-worker-1"
    assert late["carries"].fillna(0).tolist() == [17, 0] and late["state"].fillna("").tolist() == ["", "runnable"]


def test_a_hang_is_known_in_a_log_of_times_of_day_alone():
    stop = 'Safepoint "Cleanup", Time since last: 9 ns, Reaching safepoint: 2 ns, At safepoint: 3 ns, Total: 5 ns'
    begun = "Safepoint synchronization initiated"
    debug = [f"[2024-05-01T10:00:00.000+0000] {stop}", f"[2024-05-01T10:00:05.000+0000] {begun}"]
    assert safepoint.read(debug).attrs["begun_s"] == pytest.approx(5.0, abs=0.001)


def test_a_trace_tells_how_often_a_thread_was_found_running():
    late = safepoint.stragglers(HERE / "jdk28-trace.log", strict=True)
    assert late["checks"].max() > 10 and (late["told_by"] == "trace").all()
    assert (late["until_s"] >= late["uptime_s"]).all()


def test_the_thread_in_the_counted_loop_is_found_running_until_the_stop_is_reached():
    stops = safepoint.read(TRACE, strict=True)
    frame = safepoint.arrivals(safepoint.stragglers(TRACE, strict=True), stops)
    last = frame[frame["thread"] == "counted"]
    assert len(last) == len(stops.query("operation == 'GenCollectFull'")) == 2
    assert (last["running_ms"].between(last["ttsp_ms"] - 3, last["ttsp_ms"])).all()
    middle = frame.pivot(index="stop", columns="thread", values="running_ms")
    assert (middle["polling"] < middle["counted"]).all()
    for stop in (None, 0):
        ax = plot.arrivals(frame, stop=stop)
        words = " ".join([ax.get_title(), ax.get_title("left"), *(text.get_text() for text in ax.texts)])
        assert "for counted" in " ".join(words.split())


def test_a_log_without_looks_has_no_arrivals_and_is_drawn_all_the_same():
    frame = safepoint.arrivals(safepoint.stragglers([]), safepoint.read(TRACE))
    assert frame.empty and plot.arrivals(frame).get_xlabel() == ""


def test_a_thread_that_nobody_has_named_goes_by_its_native_id():
    looks = {"uptime_s": [1.0], "until_s": [1.0], "told_by": ["trace"], "thread": [pd.NA], "native_id": [4711]}
    stops = pd.DataFrame({"begin_s": [1.0], "ttsp_ms": [2.0], "operation": ["Halt"]})
    assert safepoint.arrivals(pd.DataFrame(looks), stops)["thread"].tolist() == ["thread 4711"]
