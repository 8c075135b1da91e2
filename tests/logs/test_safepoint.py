"""Safepoint logs of JDK 8 to 28: each stop is one row, whatever lines tell about it, and nothing else is a row."""

import csv
import random
from pathlib import Path

import pandas as pd
import pytest

from safepointlab.errors import DamagedLog, ForeignLog, UnreadableLog
from safepointlab.logs import safepoint
from safepointlab.logs.lines import store
from safepointlab.run import profile

HERE = Path(__file__).parent.parent / "data" / "safepoint"
LOGS = sorted(HERE.glob("*.log"))
EACH_LOG = pytest.mark.each("path", LOGS)
LINE_17 = (
    '[0.552s][info][safepoint] Safepoint "G1CollectFull", Time since last: 435972622 ns, Reaching safepoint: 6379 ns, '
    "Cleanup: 93990 ns, At safepoint: 15961915 ns, Total: 16062284 ns"
)
LINE_25 = (
    '[0.501s][info][safepoint] Safepoint "ThreadDump", Time since last: 297914 ns, Reaching safepoint: 77896 ns, '
    "At safepoint: 26529 ns, Leaving safepoint: 3045 ns, Total: 107470 ns, Threads: 1 runnable, 10 total"
)
ROW_8 = "0.560: ParallelGCSystemGC               [       8          1              1    ]      "
ROW_8 += "[  1443     4  1447     0    12    ]  1   "
STOPPED_8 = (
    "2.022: Total time for which application threads were stopped: 1.4598123 seconds, "
    "Stopping threads took: 1.4471987 seconds"
)


def one(*lines: str) -> pd.Series:
    frame = safepoint.read(lines, strict=True)
    assert len(frame) == 1
    return frame.iloc[0]


def counted(log: str) -> dict[str, float]:
    """The counts that count-lines, with grep and awk alone, made of a log."""
    with (HERE / "counts.csv").open(newline="") as file:
        return {row["fact"]: float(row["count"]) for row in csv.DictReader(file) if row["log"] == log}


def operations(facts: dict[str, float]) -> dict[str, float]:
    """How often each operation stands in the log, by the kind of line that names it."""
    return {fact.split("_of ", 1)[1]: times for fact, times in facts.items() if "_of " in fact}


@EACH_LOG
def test_each_stop_is_one_row(path):
    facts, frame = counted(path.name), safepoint.read(path, strict=True)
    line_counts = ("safepoint_lines", "stopped_lines", "entering_lines", "table_rows", "statistics_rows")
    assert len(frame[frame["kind"] == "safepoint"]) == max(facts.get(fact, 0) for fact in line_counts)
    assert len(frame[frame["kind"] == "handshake"]) == facts.get("handshake_lines", 0)
    assert frame.attrs["lines"] == facts.get("lines", 0)


@EACH_LOG
def test_operations_are_named_as_often_as_in_the_log(path):
    stops = safepoint.read(path, strict=True).query("kind == 'safepoint'")
    by_operation = stops["operation"].value_counts().to_dict()
    assert not operations(counted(path.name)) or by_operation == operations(counted(path.name))


@EACH_LOG
def test_times_add_up_to_those_in_the_log(path):
    facts, frame = counted(path.name), safepoint.read(path, strict=True).query("kind == 'safepoint'")
    sums = {"reaching_ns": ("ttsp_ms", 1e6), "at_safepoint_ns": ("operation_ms", 1e6), "total_ns": ("total_ms", 1e6)}
    sums |= {"stopped_s": ("total_ms", 1e-3), "stopping_s": ("ttsp_ms", 1e-3)}
    for fact, (column, unit) in sums.items():
        if fact in facts:
            assert frame[column].sum() * unit == pytest.approx(facts[fact], rel=1e-12)


@EACH_LOG
def test_the_vms_own_words_about_late_threads_are_counted(path):
    facts, frame, late = counted(path.name), safepoint.read(path), safepoint.stragglers(path, strict=True)
    named = late[late["told_by"] == "timeout"]["thread"].value_counts().to_dict()
    assert named == {fact.removeprefix("late "): times for fact, times in facts.items() if fact.startswith("late ")}
    assert [frame.attrs["initiated"], frame.attrs["timeouts"]] == [facts.get("initiated", 0), facts.get("timeouts", 0)]
    assert frame.attrs["application_times"] == facts.get("application_times", 0)


@EACH_LOG
def test_the_whole_frame_is_as_recorded(path):
    recorded = path.with_suffix(".rows.csv").read_text()
    assert safepoint.read(path, strict=True).to_csv(index=False) == recorded


@EACH_LOG
def test_a_log_cut_anywhere_neither_breaks_the_reader_nor_invents_a_row(path, tmp_path):
    whole, full, cut = path.read_bytes(), safepoint.read(path), tmp_path / path.name
    places = random.Random(path.name).sample(
        range(len(whole)), profile.by_effort(quick=12, standard=100, full=len(whole))
    )
    for place in places:
        cut.write_bytes(whole[:place])
        rows = safepoint.read(cut)[["kind", "operation"]]
        known = full[["kind", "operation"]].iloc[: len(rows)]
        assert (rows.isna() | (rows == known)).all().all() and len(rows) <= len(full), place


@EACH_LOG
def test_every_log_of_this_kind_is_recognised(path):
    assert safepoint.MARK.search(path.read_text(errors="replace"))


def test_the_line_of_17_gives_all_its_fields():
    row = one(LINE_17)
    times = [row[name] for name in ("ttsp_ms", "cleanup_ms", "operation_ms", "total_ms")]
    assert times == [0.006379, 0.09399, 15.961915, 16.062284]
    assert row["time_since_last_ms"] == 435.972622 and pd.isna(row["leaving_ms"]) and pd.isna(row["threads_total"])


def test_the_line_of_25_has_threads_and_leaving_but_no_cleanup():
    row = one(LINE_25)
    assert [row["leaving_ms"], row["threads_running"], row["threads_total"]] == [0.003045, 1, 10]
    assert pd.isna(row["cleanup_ms"]) and row["begin_s"] == pytest.approx(0.501 - 0.00010747, abs=1e-9)


def test_the_line_of_13_has_neither_cleanup_nor_leaving():
    row = one(LINE_17.replace("Cleanup: 93990 ns, ", ""))
    assert pd.isna(row["cleanup_ms"]) and row["operation_ms"] == 15.961915


def test_8s_table_row_and_its_total_time_are_one_row_with_the_finer_times():
    row = one(ROW_8, STOPPED_8)
    assert row["operation"] == "ParallelGCSystemGC"
    assert [row["ttsp_ms"], row["operation_ms"], row["total_ms"]] == [1447.1987, 12.0, 1459.8123]
    assert [row["begin_s"], row["uptime_s"]] == [0.56, 2.022]


def test_a_table_row_and_a_total_time_that_cannot_be_of_one_stop_stay_two_rows():
    frame = safepoint.read([ROW_8, STOPPED_8.replace("took: 1.4471987", "took: 0.0000987")], strict=True)
    assert frame["operation"].isna().tolist() == [False, True]


def test_a_table_row_squeezed_by_a_web_page_is_still_read():
    row = one("4.095: EnableBiasedLocking [ 8 1 1 ] [ 2324 0 2324 0 0 ] 1")
    assert [row["uptime_s"], row["ttsp_ms"], row["page_trap_count"]] == [4.095, 2324.0, 1]


def test_tables_on_stdout_and_total_times_in_a_file_are_put_together_in_order():
    paths = [HERE / "jdk8-split-stdout.log", HERE / "jdk8-split-gc.log"]
    frame = safepoint.read(paths, strict=True)
    assert len(frame) == 17 and frame["operation"].notna().all()
    assert frame["total_ms"].isna().sum() == 1  # the stop in which the VM exits
    assert frame["begin_s"].is_monotonic_increasing and frame["operation"].iloc[-1] == "no vm operation"


def test_tables_printed_in_batches_find_their_total_times():
    frame = safepoint.read(HERE / "jdk8-table-batch.log", strict=True)
    both = frame["total_ms"].notna() & frame["operation"].notna()
    assert [len(frame), both.sum()] == [17, 16]


def test_early_builds_of_8_tell_the_total_only():
    row = one("Total time for which application threads were stopped: 0.0144552 seconds")
    assert row["total_ms"] == 14.4552 and pd.isna(row["ttsp_ms"]) and pd.isna(row["uptime_s"])


def test_a_stop_of_11_that_is_entered_and_never_left_is_a_row_without_length():
    row = one("[3.490s][info][safepoint] Entering safepoint region: Halt")
    assert row["operation"] == "Halt" and pd.isna(row["total_ms"])


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
    lines = [LINE_25.replace("[0.501s]", f"[{day}]") for day in zones]
    assert safepoint.read(lines, strict=True)["time"].nunique() == 1
    assert str(safepoint.read(lines)["time"].iloc[0]) == "2026-11-20 05:50:50.997000"


def test_program_output_in_front_of_a_line_does_not_hide_it():
    frame = safepoint.read(["app: 5", "no newline 5" + LINE_25, "app: done"], strict=True)
    assert frame["uptime_s"].tolist() == [0.501] and frame.attrs["skipped"] == 2


def test_digits_glued_to_8s_bare_stamp_make_no_time():
    assert pd.isna(one("step 5" + STOPPED_8)["uptime_s"])
    assert pd.isna(one("step 5" + ROW_8)["uptime_s"])


def test_two_lines_glued_together_are_two_rows():
    frame = safepoint.read([LINE_25 + LINE_25.replace("ThreadDump", "Halt")], strict=True)
    assert frame["operation"].tolist() == ["ThreadDump", "Halt"]


def test_a_program_that_talks_about_safepoints_makes_no_row():
    talk = ['the Safepoint "Oops" is no line', "Entering safepoint region", "1.0: Foo [ 1 2 ]", 'Handshake "x"', "][ "]
    frame = safepoint.read([*talk, LINE_25])
    assert frame["operation"].tolist() == ["ThreadDump"]


@pytest.mark.parametrize("cut", [10, 60, 100])
def test_a_line_cut_off_is_damaged_and_strict_says_where(tmp_path, cut):
    log = tmp_path / "s.log"
    log.write_text(LINE_25 + "\n" + LINE_25[:-cut])
    frame = safepoint.read(log)
    assert [len(frame), frame.attrs["damaged"]] == [1, 1]
    with pytest.raises(DamagedLog, match=r"^s\.log:2: "):
        safepoint.read(log, strict=True)


def test_a_last_line_that_is_whole_needs_no_newline(tmp_path):
    log = tmp_path / "s.log"
    log.write_text(LINE_25)
    assert safepoint.read(log, strict=True)["threads_total"].tolist() == [10]


def test_a_name_at_the_very_end_of_a_cut_file_is_not_trusted(tmp_path):
    log = tmp_path / "s.log"
    log.write_text("[0.692s][info][safepoint] Entering safepoint region: EnableBias")
    frame = safepoint.read(log)
    assert frame.empty and frame.attrs["damaged"] == 1


def test_windows_line_ends_and_binary_junk_do_no_harm(tmp_path):
    log = tmp_path / "s.log"
    junk = bytes(range(256)) * 40
    log.write_bytes(junk + b"\n" + LINE_25.encode() + b"\r\n" + junk)
    assert safepoint.read(log)["threads_total"].tolist() == [10]


def test_a_time_that_is_none_is_missing():
    frame = safepoint.read([LINE_25.replace("[0.501s]", "[2026-11-20T05:84:50.997+0000]")])
    assert len(frame) == 1 and frame["time"].isna().all()


def test_an_empty_log_is_an_empty_frame_with_all_columns(tmp_path):
    log = tmp_path / "s.log"
    log.touch()
    frame = safepoint.read(log, strict=True)
    assert frame.empty and list(frame.columns) == list(safepoint.COLUMNS)


def test_every_frame_has_the_same_types():
    expected = {name: pd.Series(dtype=dtype).dtype for name, dtype in safepoint.COLUMNS.items()}
    for name in ("jdk8-stopped", "jdk11-debug", "jdk25-info", "jdk25-no-safepoint"):
        assert safepoint.read(HERE / f"{name}.log").dtypes.to_dict() == expected


def test_a_foreign_log_is_an_empty_frame_or_with_strict_an_error_that_says_what_it_is():
    compiled = ["     83    1       3       java.lang.Object::<init> (1 bytes)"] * 3
    assert safepoint.read(compiled).empty
    with pytest.raises(ForeignLog, match="looks like a compilation log"):
        safepoint.read(compiled, strict=True)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(UnreadableLog, match=r"nowhere\.log: No such file"):
        safepoint.read(tmp_path / "nowhere.log")


def test_a_file_without_line_ends_is_read_in_pieces(tmp_path):
    log = tmp_path / "s.log"
    log.write_bytes(b"x" * 3_000_000 + b"\n" + LINE_25.encode() + b"\n" + b"y" * 3_000_000)
    frame = safepoint.read(log)
    assert [len(frame), frame.attrs["damaged"]] == [1, 0]


def test_a_text_with_newlines_is_the_log_itself_and_bytes_are_lines():
    assert len(safepoint.read(LINE_17 + "\n" + LINE_25)) == 2
    assert len(safepoint.read(line.encode() for line in (LINE_17, LINE_25))) == 2


@pytest.mark.parametrize("jdk", [11, 17, 25, 28])
def test_a_hung_jvm_is_known_by_the_safepoint_that_it_began(jdk):
    frame = safepoint.read(HERE / f"jdk{jdk}-hang-timeout.log", strict=True)
    assert 1.0 < frame.attrs["begun_s"] < 5.0


@pytest.mark.parametrize(("jdk", "delay_ms"), [(17, 500), (25, 500), (28, 500)])
def test_without_the_debug_level_a_hang_began_one_timeouts_delay_before_the_timeout(jdk, delay_ms):
    lines = (HERE / f"jdk{jdk}-hang-timeout.log").read_text().splitlines()
    begun = safepoint.read(lines, timeout_delay_ms=delay_ms).attrs["begun_s"]  # "initiated" needs no correction
    info = [line for line in lines if "initiated" not in line]
    assert safepoint.read(info, timeout_delay_ms=delay_ms).attrs["begun_s"] == pytest.approx(begun, abs=0.003)
    assert safepoint.read(info).attrs["begun_s"] == pytest.approx(begun + delay_ms / 1000, abs=0.003)


def test_8s_timeout_has_no_stamp_and_so_the_hang_no_begin():
    frame = safepoint.read(HERE / "jdk8-hang-timeout.log", timeout_delay_ms=500)
    assert frame.attrs["timeouts"] == 1 and "begun_s" not in frame.attrs


def test_a_jvm_that_exits_does_not_hang():
    for name in ("jdk11-debug", "jdk17-info", "jdk28-debug", "jdk25-info"):
        assert "begun_s" not in safepoint.read(HERE / f"{name}.log").attrs


def test_a_late_thread_is_named_with_its_native_id():
    late = safepoint.stragglers(HERE / "jdk25-hang-timeout.log", strict=True).iloc[0]
    assert [late["thread"], late["native_id"], late["told_by"]] == ["Thread-0", 20887, "timeout"]
    assert late["uptime_s"] == 4.634


def test_a_name_escaped_in_8s_vm_log_is_the_threads_name():
    line = "# &quot;a &lt;b&gt;&quot; #8 daemon prio=5 os_prio=0 tid=0x00007f9f88129800 nid=0x31d7 runnable [0x0]"
    assert safepoint.stragglers([line], strict=True)["thread"].tolist() == ["a <b>"]


def test_a_trace_tells_how_often_a_thread_was_found_running():
    late = safepoint.stragglers(HERE / "jdk28-trace.log", strict=True)
    assert late["checks"].max() > 10 and (late["told_by"] == "trace").all()
    assert (late["until_s"] >= late["uptime_s"]).all()


def test_a_log_that_names_nobody_has_no_stragglers():
    assert safepoint.stragglers(HERE / "jdk17-info.log", strict=True).empty


def test_blocks_that_cut_a_group_of_lines_in_two_change_nothing(monkeypatch):
    for path in (HERE / "jdk11-debug.log", HERE / "jdk21-info.log", HERE / "jdk8-table-and-stopped.log"):
        whole = safepoint.read(path)
        for size in (200, 701, 1500):
            monkeypatch.setattr("safepointlab.logs.lines.source.BLOCK_BYTES", size)
            pd.testing.assert_frame_equal(safepoint.read(path), whole, check_flags=False)
        monkeypatch.undo()


@pytest.mark.parametrize("log", ["jdk25-info", "jdk21-handshake", "jdk8-table", "jdk25-nanotime-trace"])
def test_a_large_log_has_the_same_frame_and_each_column_can_be_written_to(log, monkeypatch):
    small = safepoint.read(HERE / f"{log}.log")
    monkeypatch.setattr(store, "LARGE", 3)
    large = safepoint.read(HERE / f"{log}.log")
    pd.testing.assert_frame_equal(large, small)
    assert large.dtypes.astype(str).to_dict() == safepoint.COLUMNS
    for name, dtype in safepoint.COLUMNS.items():
        large.loc[0, name] = "mine" if dtype == "string" else large["time"].max() if name == "time" else 1
    assert large.loc[0, ["kind", "leaving_ms", "spin_ms", "nanotime_ns"]].tolist() == ["mine", 1, 1, 1]


def test_a_compact_frame_has_the_same_rows_with_texts_as_categories():
    plain, compact = (
        safepoint.read(HERE / "jdk21-handshake.log"),
        safepoint.read(HERE / "jdk21-handshake.log", compact=True),
    )
    texts = [name for name in plain if plain[name].dtype == "string"]
    assert all(compact[name].dtype == "category" for name in texts)
    pd.testing.assert_frame_equal(compact.astype(dict.fromkeys(texts, "string")), plain)


def test_many_rows_of_8_find_their_stop_in_another_file_though_some_of_either_are_missing(tmp_path):
    rows, stops = tmp_path / "vm.log", tmp_path / "gc.log"
    counts = "[ 9 0 0 ] [ 0 0 0 0 0 ] 0"
    rows.write_text("".join(f"{second}.000: G1 {counts}\n" for second in range(1, 3000) if second % 700))
    message = "Total time for which application threads were stopped: 0.0010000 seconds"
    stops.write_text("".join(f"{second}.001: {message}\n" for second in range(1, 3000) if second % 500))
    frame = safepoint.read([rows, stops])
    assert len(frame) == 2999 and frame["operation"].isna().sum() == 2999 // 700
    assert frame["total_ms"].isna().sum() == 2999 // 500 and frame["begin_s"].is_monotonic_increasing
