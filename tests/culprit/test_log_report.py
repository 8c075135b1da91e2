"""Logs that a user brings: each is recognised by its lines, and the page says what it says; nothing missing is a 0."""

import gzip
import json
import subprocess
from pathlib import Path

import pandas as pd
import pytest

from safepointlab import jdks, logs
from safepointlab.culprit import loops
from safepointlab.culprit.command import Plan
from safepointlab.culprit.log_report import recorded
from safepointlab.culprit.log_report.kept import of_folder
from safepointlab.culprit.log_report.page import Origin, Section, how_sure, page
from safepointlab.culprit.log_report.parts import LeftOut, Part, parts, stops_of_recording
from safepointlab.culprit.log_report.tables import Table, largest, tables
from safepointlab.culprit.report import Late
from safepointlab.errors import RunFailed
from safepointlab.logs import bytecode, flight, jfr

DATA = Path(__file__).parent.parent / "data"
STOPS, COLLECTIONS = DATA / "safepoint" / "jdk25-info.log", DATA / "gc" / "jdk25-g1.log"
FRAME = logs.safepoint.read(STOPS)


def kinds_of(path: Path) -> list[str]:
    return [part.kind for part in parts({path.name: path})[0]]


def cells(table: Table) -> dict[str, str]:
    return {row[0]: " | ".join(row[1:]) for row in table.rows}


def pictures(kind: str, frame: pd.DataFrame) -> list:
    return Section(Part(("x.log",), "x.log", kind, frame, ()), 1).pictures


def test_a_file_may_have_logs_of_two_kinds_and_one_may_begin_late(tmp_path):
    both = tmp_path / "both.log"
    both.write_text(STOPS.read_text() + "the program's own line\n" * 40_000 + COLLECTIONS.read_text())
    assert set(kinds_of(both)) == {"gc", "safepoint"}


STOP = (
    '[{at_s:.3f}s][info][safepoint] Safepoint "Cleanup", Time since last: 1 ns, '
    "Reaching safepoint: {ns} ns, At safepoint: 0 ns, Total: {ns} ns"
)


def stop(at_s, ns=50_000, prefix=""):
    return f"{prefix}{STOP.format(at_s=at_s, ns=ns)}\n"


def shares(path):
    """The name of each part, and how long its stops took in all, in ms."""
    return [(part.name, round(part.frame["total_ms"].sum(), 3)) for part in parts({path.name: path})[0]]


OF_8 = "".join(
    "         vmop                    [threads: total initially_running wait_to_block]    "
    "[time: spin block sync cleanup vmop] page_trap_count\n"
    f"{at_s}: ParallelGCSystemGC               [       7          0              0    ]      "
    f"[     0     0     0     0  {ms:4}    ]  0   \n"
    for at_s, ms in (("1.000", 500), ("3.000", 2500))
)


@pytest.mark.each(
    "text",
    [OF_8, stop(1.5, 500_000_000) + stop(5.5, 2_500_000_000)],  # the stamp is a stop's begin there, and here its end
)
def test_the_time_stopped_is_a_share_of_the_time_from_the_first_stops_begin_to_the_last_ones_end(text, tmp_path):
    (log := tmp_path / "two.log").write_text(text)
    [part] = parts({"two.log": log})[0]
    told = cells(tables(part.kind, part.frame)[0])
    assert told["Total time stopped"] == "3,000\u00a0ms, 67 % of the 4.5 s from the first row to the last"


def test_a_jvm_that_started_anew_within_a_log_is_another_jvm(tmp_path):
    (log := tmp_path / "restart.log").write_text(stop(5000.1) + stop(5010.1) + stop(0.9) + stop(10.9, 2_000_000_000))
    assert shares(log) == [("restart.log, JVM 1 of 2", 0.1), ("restart.log, JVM 2 of 2", 2000.05)]
    [first, _] = parts({"restart.log": log})[0]
    assert "2 JVMs wrote this log" in first.notes[0]


def test_lines_of_two_jvms_that_alternate_are_two_jvms(tmp_path):
    a, b = ([at_s + step for step in range(8)] for at_s in (5.0, 900.0))
    lines = (stop(one) + stop(two, 2_000_000) for one, two in zip(a, b, strict=True))
    (log := tmp_path / "mixed.log").write_text("".join(lines))
    assert sorted(total_ms for _, total_ms in shares(log)) == [0.4, 16.0]


def test_where_no_line_has_an_uptime_collections_that_are_counted_anew_are_another_jvms(tmp_path):
    pause = "[2024-05-01T10:00:{:02}.000+0000] GC({}) Pause Full (System.gc()) 61M->34M(64M) 5.101ms\n"
    (log := tmp_path / "gc.log").write_text("".join(pause.format(*row) for row in ((1, 40), (2, 41), (3, 0), (4, 1))))
    assert [len(part.frame) for part in parts({"gc.log": log})[0]] == [2, 2]


def test_a_machine_that_slept_and_lines_in_reverse_are_no_other_jvm(tmp_path):
    (slept := tmp_path / "slept.log").write_text(
        "".join(f"[2024-05-01T{hour}:00:00.000+0000]{stop(at_s)}" for hour, at_s in ((10, 100.0), (14, 101.0)))
    )
    (reverse := tmp_path / "reverse.log").write_text("".join(stop(at_s) for at_s in (9.0, 6.0, 3.0)))
    (near := tmp_path / "near.log").write_text("".join(stop(at_s) for at_s in (3.512, 2.912, 0.812)))
    (again := tmp_path / "again.log").write_text("".join(stop(at_s) for at_s in (9.0, 9.05, 0.2, 0.25)))
    assert [len(shares(log)) for log in (slept, reverse, near, again)] == [1, 1, 1, 2]


def test_time_outs_alone_name_late_threads_and_their_stops_were_reached_but_the_last_of_a_log_with_stops(tmp_path):
    lines = (DATA / "safepoint" / "jdk25-hang-timeout.log").read_text().splitlines(keepends=True)
    block = "".join(line for line in lines if "initiated" not in line)
    (twice := tmp_path / "twice.log").write_text(block + block.replace("[4.634s]", "[9.134s]"))
    (once := tmp_path / "once.log").write_text(stop(3.0) + block)
    [of_twice], [of_once] = (parts({path.name: path})[0] for path in (twice, once))
    assert of_twice.frame.attrs.get("begun_s") is None and "Thread-0 (2 times)" in of_twice.notes[0]
    assert of_once.frame.attrs["begun_s"] > 3.0


def test_the_share_of_stops_that_fill_a_log_counts_from_the_begin_of_the_first(tmp_path):
    (log := tmp_path / "full.log").write_text(stop(2.0, 900_000_000) + stop(3.0, 900_000_000))
    facts = cells(tables("safepoint", parts({log.name: log})[0][0].frame)[0])
    assert "95 % of the 1.9 s" in facts["Total time stopped"]


def test_a_rolled_log_is_one_part_and_a_broken_file_of_it_is_left_out_alone(tmp_path):
    texts = {"gc.log.0": stop(1.0) + stop(2.0), "gc.log.1": stop(3.0), "gc.log": stop(4.0)}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "gc.log.7.gz").write_bytes(gzip.compress(stop(0.5).encode())[:-9])
    [part], [left_out] = parts({name: tmp_path / name for name in sorted([*texts, "gc.log.7.gz"])})
    assert part.name == "gc.log (3 files)" and part.frame["uptime_s"].tolist() == [1.0, 2.0, 3.0, 4.0]
    assert "written: gc.log.0, gc.log.1, gc.log." in part.notes[0] and left_out.name == "gc.log.7.gz"


@pytest.mark.each(
    "stamp", ["[2024-05-01T10:00:{:02}.000+0000]", "[2024-05-01T12:00:{:02}.000+0200]", "[17145576{:02}000ms]"]
)
def test_a_log_with_the_time_of_day_alone_has_a_time_axis(tmp_path, stamp):
    lines = (stop(0, ns).replace("[0.000s]", stamp.format(second)) for second, ns in ((10, 5_000), (30, 2_000_000_000)))
    (log := tmp_path / "elastic.log").write_text("".join(lines))
    [part] = parts({"elastic.log": log})[0]
    facts = cells(tables("safepoint", part.frame)[0])
    assert "10 % of the 20.0 s" in facts["Total time stopped"] and "UTC on 2024-05-01" in facts["Longest stop"]
    assert "since 2024-05-01 10:00" in pictures("safepoint", part.frame)[0].words


@pytest.mark.each(("waited_ns", "told"), [(500_000_000, True), (50_000_000, False)])
def test_a_log_in_which_a_stop_waited_long_for_a_thread_says_what_finds_the_thread(tmp_path, waited_ns, told):
    (log := tmp_path / "stops.log").write_text(stop(5.0, waited_ns))
    [part] = parts({"stops.log": log})[0]
    assert any("`safepoint late` finds it" in note for note in part.notes) == told


def test_a_full_code_cache_is_the_finding_of_the_page(tmp_path):
    full = "OpenJDK 64-Bit Server VM warning: CodeCache is full. Compiler has been disabled.\n"
    compile_line = "{:7} {:4}       3       Odd::m{} (44 bytes)\n"
    before, after = (compile_line.format(at_ms, number, number) for at_ms, number in ((417, 13), (900, 14)))
    (tmp_path / "out.log").write_text(before + full + after)
    (tmp_path / "stops.log").write_text(stop(5.0, 3_000_000_000))
    (tmp_path / "only.log").write_text(
        "[2.105s][warning][codecache] CodeHeap 'profiled nmethods' is full. Compiler has been disabled.\n"
    )
    found, _ = parts({name: tmp_path / name for name in ("stops.log", "out.log", "only.log")})
    page_title = page(found, [], Origin("safepoint report", "1", "now")).partition("<h1>")[2].partition("</h1>")[0]
    assert "code cache was full at 0.42" in page_title and "1 compile after that" in page_title
    assert "full at 2.1" in found[2].code_cache_full


@pytest.mark.each(
    ("again", "says"), [(30, "30 of 530 compiles made a version again that had been made before"), (10, "")]
)
def test_versions_that_are_made_again_and_again_are_the_finding(tmp_path, again, says):
    numbers = [*range(500), *range(again)]
    lines = [f"{n:7} {n:4}       4       Odd::m{method} (44 bytes)\n" for n, method in enumerate(numbers)]
    (tmp_path / "jit.log").write_text("".join(lines))
    [part] = parts({"jit.log": tmp_path / "jit.log"})[0]
    assert part.made_again == says and (Section(part, 1).finding == says) == bool(says)
    assert any("-XX:ReservedCodeCacheSize" in note for note in part.notes) == bool(says)


def test_a_median_is_the_same_in_all_tables():
    frame = FRAME.iloc[:2].assign(operation="Cleanup", total_ms=[20.3, 2010.0])
    phases, operations = tables("safepoint", frame)[1:]
    assert phases.rows[-1][2] == operations.rows[0][2] and "2,010" in phases.rows[-1][2]


def test_cycles_beside_the_program_are_counted_by_their_number():
    lines = [
        "Concurrent reset 0.100ms",
        "Concurrent marking (unload classes) 4.014ms",
        "Concurrent cleanup 23M->22M(64M) 0.009ms",
    ]
    frame = logs.gc.read([f"[0.200s][info][gc] GC({number}) {line}" for number in (0, 1) for line in lines])
    assert cells(tables("gc", frame)[0])["Concurrent cycles"].startswith("2, in 6 phases")


@pytest.mark.each("form", ["[pod/shop-{}/app] ", "shop-{}  | "])
def test_two_pods_in_one_stream_are_two_jvms(tmp_path, form):
    a, b = form.format("a"), form.format("b")
    lines = stop(5.1, prefix=a) + stop(900.2, prefix=b) + stop(6.1, prefix=a) + stop(901.2, 821_000_000, prefix=b)
    (log := tmp_path / "pods.log").write_text(lines)
    assert [total_ms for _, total_ms in shares(log)] == [0.1, 821.05]


def test_messages_that_the_jvm_dropped_are_told(tmp_path):
    (log := tmp_path / "async.log").write_text(
        stop(0.8) + "[1.912s][warning][         ] 634 messages dropped due to async logging\n" + stop(2.9)
    )
    [part] = parts({"async.log": log})[0]
    assert "dropped 634 messages" in part.notes[0] and "lower bound" in part.notes[0]


def test_the_stops_of_a_recording_are_those_of_its_safepoint_events():
    def event(name, second, duration_s, **fields):
        values = {"startTime": f"2026-11-27T12:45:{second:02}.000Z", "duration": f"PT{duration_s}S", **fields}
        return {"type": f"jdk.{name}", "values": {**values, "eventThread": {"osName": "VM Thread"}}}

    events = [
        event("ExecuteVMOperation", 17, "0.002", safepointId=6, operation="ThreadDump"),
        event("SafepointBegin", 16, "0.12894", safepointId=6, totalThreadCount=14),
        event("SafepointBegin", 10, "0.000003", safepointId=5, totalThreadCount=12),
        event("SafepointEnd", 17, "0.001", safepointId=6),
    ]
    stops = stops_of_recording(jfr.read(json.dumps({"recording": {"events": events}}, indent=1)))
    assert stops["ttsp_ms"].round(3).tolist() == [0.003, 128.94] and stops["operation"].tolist()[1] == "ThreadDump"
    assert stops["total_ms"].round(3).tolist()[1] == 1001.0 and stops["begin_s"].tolist() == [0.0, 6.0]
    assert pd.isna(stops["total_ms"][0])  # neither the operation nor the end is in the recording
    started = {
        "type": "jdk.JVMInformation",
        "values": {"startTime": "2026-11-27T12:45:10Z", "jvmStartTime": "2026-11-27T12:45:09Z"},
    }
    stops = stops_of_recording(jfr.read(json.dumps({"recording": {"events": [*events, started]}}, indent=1)))
    assert stops["begin_s"].tolist() == [1.0, 7.0]


def recording(*events, **attrs):
    """The part of a recording of these events: name, how long it took in ms, and its fields."""
    values = [{"startTime": "2026-11-27T12:45:16Z", "duration": f"PT{ms / 1000}S", **own} for _, ms, own in events]
    printed = [{"type": f"jdk.{name}", "values": own} for (name, *_), own in zip(events, values, strict=True)]
    frame = jfr.read(json.dumps({"recording": {"events": printed}}, indent=1))
    frame.attrs |= attrs
    return Part(("r.jfr",), "r.jfr", "jfr", frame, ())


SLEEP = {"method": {"type": {"name": "java/lang/Thread"}, "name": "afterSleep"}}
SAMPLE = ("ExecutionSample", 0, {"sampledThread": {"osName": "main"}, "stackTrace": {"frames": [SLEEP]}})
DUMP = ("ExecuteVMOperation", 165, {"operation": "ThreadDump", "safepoint": True, "safepointId": 5})
SHAKE = ("ExecuteVMOperation", 400, {"operation": "HandshakeAll", "safepoint": False})
BEGIN = ("SafepointBegin", 20, {"safepointId": 4})
DEFAULT, NONE = {"SafepointBegin": 10.0, "ExecuteVMOperation": 10.0}, float("inf")


@pytest.mark.each(
    ("events", "least", "finding", "note"),
    [
        (
            [SAMPLE],
            DEFAULT,
            "No wait for threads and no operation took 10 ms or more",
            "only waits and operations of 10",
        ),
        ([SAMPLE] * 19, {}, "No wait for threads and no operation is in the recording", "JFR's default settings keep"),
        (
            [SAMPLE] * 20,
            {},
            "100% of 20 samples in java.lang.Thread.afterSleep",
            "JFR's default settings keep only the longer",
        ),
        (
            [SAMPLE] * 20,
            DEFAULT,
            "No wait for threads and no operation took 10 ms or more",
            "keeps only waits and oper",
        ),
        (
            [SAMPLE, SHAKE, DUMP, DUMP],
            DEFAULT,
            "The longest of 2 operations took 165 ms (ThreadDump); no wait for threads took 10 ms or more",
            "This recording keeps only waits and operations of 10 ms or more, and other stops aren't counted here.",
        ),
        (
            [DUMP, BEGIN],
            DEFAULT,
            "The only operation took 165 ms (ThreadDump)",
            "keeps only waits and operations of 10 ms",
        ),
        (
            [DUMP],
            {**DEFAULT, "SafepointBegin": 0.0},
            "The only operation took 165 ms",
            "all waits for threads and oper",
        ),
        (
            [DUMP],
            {**DEFAULT, "SafepointBegin": NONE},
            "no wait for threads was recorded",
            "keeps no waits for threads and operations of 10 ms",
        ),
        (
            [SAMPLE],
            dict.fromkeys(DEFAULT, NONE),
            "No wait for threads and no operation was recorded",
            "no waits for thre",
        ),
        ([("SafepointBegin", 0.1, {}), DUMP], {}, "The only operation took 165 ms (ThreadDump)", ""),
        ([SAMPLE] * 19, dict.fromkeys(DEFAULT, 0.0), "No wait for threads and no operation is in the recording", ""),
    ],
)
def test_a_recording_says_what_it_keeps_of_stops_and_its_longest_operation(events, least, finding, note):
    part = recording(*events, least_ms=least)
    text = page([part], [], Origin("safepoint report", "1", "now")).partition("<h1>")[2].partition("</h1>")[0]
    said = recorded.note(part.frame).replace("\N{NO-BREAK SPACE}", " ")
    assert finding in text.replace("\N{NO-BREAK SPACE}", " ") and note in said and bool(note) == bool(said)


@pytest.mark.each(
    ("events", "least", "advised"),
    [
        ([("SafepointBegin", 12, {})], {}, True),
        ([], dict.fromkeys(DEFAULT, 10.0), True),  # it keeps the longer ones, and has none
        ([DUMP], {}, False),  # of 165 ms
        ([SAMPLE], {}, False),  # of another profiler, which knows no stops
    ],
)
def test_a_recording_without_a_long_stop_says_where_to_look(events, least, advised):
    frame = recording(*events, least_ms=least).frame
    assert ("look at locks" in recorded.elsewhere(frame)) is advised
    assert not recorded.elsewhere(recording(*events, least_ms=least, of_late=True).frame)


@pytest.mark.each(("latency_ms", "told"), [(3, False), (1400, True)])
def test_who_was_late_is_told_only_if_the_sampler_met_a_thread_for_nearly_as_long_as_the_stop_waited(latency_ms, told):
    thread = {"eventThread": {"osName": "codec", "osThreadId": 8, "javaName": "codec", "javaThreadId": 9}}
    frame = recording(("SafepointBegin", 1416, {}), ("SafepointLatency", latency_ms, thread)).frame
    assert ("codec" in recorded.of_latency(frame)) is told


def test_stops_whose_wait_is_too_short_to_be_kept_are_counted_by_their_operations():
    begin = ("SafepointBegin", 1416, {"safepointId": 4})
    said = recorded.note(recording(begin, DUMP, DUMP, least_ms=DEFAULT).frame).replace("\N{NO-BREAK SPACE}", " ")
    assert "2 more stops whose wait was shorter had an operation of up to 165 ms." in said
    assert "more stop" not in recorded.note(recording(begin, least_ms=DEFAULT).frame)


@pytest.mark.parametrize(("samples", "told"), [(19, False), (20, True)])
def test_a_recording_says_what_a_samples_method_is(samples, told):
    assert ("DebugNonSafepoints" in recorded.of_lines(recording(*[SAMPLE] * samples, least_ms={}).frame)) is told


def test_the_longest_operation_is_the_finding_where_no_wait_before_it_is_recorded():
    frame = recording(DUMP, BEGIN, least_ms=DEFAULT).frame
    found = [Part(("r",), "r", "safepoint", stops_of_recording(frame), ()), recording(DUMP, BEGIN, least_ms=DEFAULT)]
    text = page(found, [], Origin("safepoint report", "1", "now"))
    assert "<h1>The only operation took 165" in text and "stops in r</a>: The only safepoint waited 20" in text


def test_how_long_a_stop_took_of_which_only_the_wait_is_recorded_is_not_known():
    waits = [("SafepointBegin", ms, {"safepointId": ms}) for ms in (12, 1416)]
    whole = recording(*waits, ("ExecuteVMOperation", 165, {"operation": "ThreadDump", "safepointId": 12}))
    stops = stops_of_recording(whole.frame)
    facts, phases, operations = (cells(table) for table in tables("safepoint", stops))
    finding = pictures("safepoint", stops)[0].finding.replace("\N{NO-BREAK SPACE}", " ")
    assert finding == "The longest of 2 safepoints waited 1,416 ms for its threads, and took at least that long"
    assert facts["Longest stop"].startswith("at least 1,416") and facts["Total time stopped"].startswith("at least 1,5")
    assert phases["Whole stop"].startswith("1 |") and operations["(not named by this log)"].count("not logged") == 3


def test_a_recording_that_was_not_finished_is_left_out_in_plain_words(tmp_path, monkeypatch):
    def broken(path, *_):
        raise RunFailed(f"jfr exited 1 on {path}: jfr print: No metadata event found in finished chunk")

    monkeypatch.setattr(flight, "_jfr", broken)
    (tmp_path / "ttsp-7.jfr").write_bytes(flight.MAGIC + bytes(64))
    (tmp_path / "cut.jfr").write_bytes(flight.MAGIC + b"\1" * 64)
    (tmp_path / "odd.jfr").write_bytes(flight.MAGIC + bytes(27) + b"\1" * 64)
    _, [cut, odd, killed] = parts({name: tmp_path / name for name in ("cut.jfr", "odd.jfr", "ttsp-7.jfr")})
    assert cut.reason.startswith("cut.jfr isn't complete: its JVM was ended") and killed.reason.startswith("ttsp-7.jfr")
    assert odd.reason.startswith("jfr exited 1 on odd.jfr: ") and "safepoint-jfr" not in odd.reason


@pytest.mark.each(("waited_ms", "told"), [(400, True), (40, False)])
def test_a_recording_in_which_a_stop_waited_long_says_what_finds_the_thread(tmp_path, waited_ms, told):
    text = {"recording": {"events": [{"type": "jdk.SafepointBegin", "values": {
        "startTime": "2026-11-27T12:45:16Z", "duration": f"PT{waited_ms / 1000}S", "safepointId": 1}}]}}  # fmt: skip
    (tmp_path / "r.json").write_text(json.dumps(text, indent=1))
    stops, _ = parts({"r.json": tmp_path / "r.json"})[0]
    assert any("jdk.SafepointLatency#enabled=true can name it" in note for note in stops.notes) == told


def test_a_recording_printed_as_json_shows_its_stops_too(tmp_path):
    values = {"startTime": "2026-11-27T12:45:16Z", "duration": "PT0.12894S", "safepointId": 6}
    text = json.dumps({"recording": {"events": [{"type": "jdk.SafepointBegin", "values": values}]}}, indent=1)
    (tmp_path / "r.json").write_text(text)
    assert kinds_of(tmp_path / "r.json") == ["safepoint", "jfr"]


def test_a_packed_log_is_the_same_log_and_one_that_breaks_off_costs_only_itself(tmp_path):
    whole, broken = tmp_path / "stops.log.gz", tmp_path / "broken.log.gz"
    whole.write_bytes(gzip.compress(STOPS.read_bytes()))
    broken.write_bytes(gzip.compress(COLLECTIONS.read_bytes())[:500])
    [part], [left_out] = parts({"broken.log.gz": broken, "stops.log.gz": whole})
    assert (part.name, len(part.frame)) == ("stops.log.gz", 10) and "damaged" in left_out.reason


@pytest.mark.each(
    ("text", "says"),
    [
        (stop(1.5, 500_000_000), "500 ms"),  # a single row has no share of any time
        (stop(1.5, 500_000_000) + stop(2.001, 500_000_000), "1,000 ms, 100 % of the 1.0 s from the first row to"),
        (stop(1.5, 500_000) + stop(2.5, 500_000), "1.0 ms, 0.1 % of the 1.0 s from the first row to the last"),
    ],
)
def test_the_share_of_the_time_is_a_plain_number_of_a_time_that_there_is(text, says, tmp_path):
    (tmp_path / "x.log").write_text(text)
    [part] = parts({"x.log": tmp_path / "x.log"})[0]
    total = cells(tables("safepoint", part.frame)[0])["Total time stopped"].replace("\N{NO-BREAK SPACE}", " ")
    assert total.startswith(says) and ("%" in total) == ("%" in says)


def test_a_damaged_line_is_told_with_its_place(tmp_path):
    cut = tmp_path / "cut.log"
    cut.write_text(STOPS.read_text().rpartition(", Total:")[0])
    [part] = parts({"cut.log": cut})[0]
    assert part.notes[0].startswith("1 line is damaged and left out. The first is cut.log:")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1.345: [GC [PSYoungGen: 131K->10K(152K)] 131K->14K(502K), 0.0150270 secs]\n", "as JDK 6 and 7 print them"),
        ("1.345: [GC 1.345: [ParNew: 118K->13K(118K), 0.0268960 secs] 118K->2K(1035K), 0.0270100 secs]\n", "6 and 7"),
        ("", "empty"),
        ("roses\nviolets\n", "none of the logs"),
        ("[0.1s][info][safepoint] hello\n", "not one of its"),
    ],
)
def test_what_cannot_be_read_is_left_out_with_its_reason(tmp_path, text, reason):
    (tmp_path / "odd.log").write_text(text)
    found, left_out = parts({"odd.log": tmp_path / "odd.log"})
    assert found == [] and reason in left_out[0].reason


LATE = """{stamp}# SafepointSynchronize::begin: Timeout detected:
{stamp}# SafepointSynchronize::begin: Threads which did not reach the safepoint:
{stamp}# "{name}" #8 {id}daemon prio=5 os_prio=0 tid=0x00007f2b7c08d9c0 {nid} [0x0]
"""


@pytest.mark.each(
    ("form", "says"),
    [
        (
            LATE.format(stamp="[4.000s][warning][safepoint] ", name="FJP-1-worker-1", id="[629] ", nid="")
            + "[4.000s][warning][safepoint]    Carrying virtual thread #13\n",
            "Late according to the JVM (SafepointTimeout): FJP-1-worker-1 carrying virtual thread #13 (2 times).",
        ),
        (
            LATE.format(stamp="", name="acceptor", id="", nid="nid=0x9 runnable"),
            "acceptor (2 times). On JDK 8 to 12 these may be threads in native code as well, which delay no stop.",
        ),
    ],
)
def test_whom_the_jvm_itself_names_is_said_and_a_carrier_with_its_virtual_thread(tmp_path, form, says):
    (tmp_path / "late.log").write_text(form + stop(4.1, 305_000_000) + form + stop(5.1, 305_000_000))
    [part] = parts({"late.log": tmp_path / "late.log"})[0]
    assert any(note.endswith(says) for note in part.notes)


@pytest.mark.each(
    ("held", "leaving", "says"),
    [
        (900, 0, "The program stood still for 901 ms at 1.1 s: its operation, Cleanup, took 900 ms. No log tells what"),
        (1, 900, "leaving it, until all threads were released, took 900 ms"),
        (90, 0, ""),
    ],
)
def test_a_long_operation_and_a_long_release_are_said_with_what_no_log_tells(tmp_path, held, leaving, says):
    times = f"Reaching safepoint: 1000000 ns, At safepoint: {held}000000 ns, Leaving safepoint: {leaving}000000 ns"
    line = f'[2.000s][info][safepoint] Safepoint "Cleanup", Time since last: 1 ns, {times}, '
    (tmp_path / "long.log").write_text(f"{line}Total: {held + leaving + 1}000000 ns\n")
    [part] = parts({"long.log": tmp_path / "long.log"})[0]
    assert len(part.notes) == bool(says) and says in "".join(part.notes)


@pytest.mark.each(
    "line",
    [
        "[0.016s][info][aot] Opened AOT cache app.aot.\n",
        "[0.001s][info][arguments] jvm_args: -Xmx1g -XX:AOTCache=app.aot \n",
    ],
)
def test_an_aot_cache_is_said_with_the_log(tmp_path, line):
    (tmp_path / "aot.log").write_text(line + stop(1.0))
    [part] = parts({"aot.log": tmp_path / "aot.log"})[0]
    assert "It had the AOT cache app.aot:" in part.notes[0]


def test_a_recording_says_the_cache_the_quota_and_the_number_of_a_late_virtual_thread(tmp_path):
    def event(name, second, **values):
        return {"type": f"jdk.{name}", "values": {"startTime": f"2026-11-27T12:45:{second:02}Z", **values}}

    invoice = {"osName": None, "osThreadId": 0, "javaName": "invoice-7", "javaThreadId": 21, "virtual": True}
    events = [
        event("SafepointBegin", 16, duration="PT0.4S", safepointId=6),
        event("SafepointLatency", 16, duration="PT0.3S", eventThread=invoice),
        event("JVMInformation", 1, jvmArguments="-XX:AOTCache=app.aot", jvmStartTime="2026-11-27T12:45:00Z"),
        event("ContainerCPUThrottling", 1, cpuElapsedSlices=100, cpuThrottledSlices=10, cpuThrottledTime="PT1S"),
        event("ContainerCPUThrottling", 31, cpuElapsedSlices=400, cpuThrottledSlices=250, cpuThrottledTime="PT9S"),
    ]
    (tmp_path / "r.json").write_text(json.dumps({"recording": {"events": events}}, indent=1))
    stops, recording = parts({"r.json": tmp_path / "r.json"})[0]
    said = stops.notes[0].replace("\N{NO-BREAK SPACE}", " ")  # who was late comes first
    assert "invoice-7 (virtual thread #21), 300 ms. That is its time from an interrupt by JFR's sampler" in said
    assert "It had the AOT cache app.aot" in recording.notes[0]
    assert recording.notes[1].startswith("Its CPU quota was used up in 240 of 300 periods (jdk.ContainerCPUThrottling)")
    assert set(recording.frame["event"]) == {"jdk.SafepointBegin", "jdk.SafepointLatency"}
    assert "invoice-7 (virtual thread #21)" in cells(tables("jfr", recording.frame)[1])


@pytest.mark.live
def test_a_recording_is_printed_and_leaves_nothing_beside_it(tmp_path):
    recorders = [jdk for jdk in jdks.find() if jdk.major >= 11 and jdk.tool("jfr")]
    if not recorders:
        pytest.skip("no JDK here has the tool jfr")
    flags = flight.flags_for("", recorders[-1].major, str(tmp_path / "run"))
    (tmp_path / "run").mkdir()
    subprocess.run([recorders[-1].java, *flags, "-version"], check=True, capture_output=True, timeout=60)
    (tmp_path / "run" / flight.RECORDING).rename(tmp_path / "r.jfr")
    found, left_out = parts({"r.jfr": tmp_path / "r.jfr"})
    assert left_out == [] and [part.kind for part in found] == ["safepoint", "jfr"]
    assert found[1].notes[0].startswith("Only these events were looked for in the recording: ")
    assert "jdk.SafepointBegin" in set(found[1].frame["event"]) and found[0].frame["ttsp_ms"].notna().all()
    assert {path.name for path in tmp_path.iterdir()} == {"r.jfr", "run"}


def test_stops_are_counted_summed_and_listed_by_operation_the_heaviest_first():
    facts, phases, operations = tables("safepoint", FRAME)
    said = cells(facts)
    assert said["Stops"] == "10" and "G1CollectFull" in said["Longest stop"]
    assert said["Total time stopped"].startswith(f"{FRAME['total_ms'].sum():,.0f}")
    counts = {name: int(row.split(" | ")[0]) for name, row in cells(operations).items()}
    assert counts == FRAME["operation"].value_counts().to_dict()
    assert operations.rows[0][0] == FRAME.groupby("operation")["total_ms"].sum().idxmax()


FATE = "hung after 10 s, ended by us (SIGKILL)"


@pytest.fixture
def kept(tmp_path):
    """kept(log, watch): the parts of a folder of `safepoint late --keep` of one JVM, 7, and what `late` found there."""

    def folder(log, **watch):
        (tmp_path / "safepoint-7.log").write_text(log)
        (tmp_path / "watch.json").write_text(json.dumps(watch))
        plan = Plan(("java", "Main"), "java", "/jdk", 25, "25", "Serial", 20, ("log",), {}, (), (), fate=FATE)
        plan.save(tmp_path)
        late = of_folder(tmp_path)
        return parts({"safepoint-7.log": tmp_path / "safepoint-7.log"}, [late])[0], late

    return folder


NOON_S = 1_795_780_800.0  # in UTC
AT_NOON = "[2026-11-27T12:00:{:06.3f}+0000]"


def dated(at_s, ns):
    """The line of a stop that is over so many seconds after noon, when the JVM started."""
    return stop(at_s, ns, AT_NOON.format(at_s))


def test_what_the_lab_did_to_a_jvm_is_neither_the_finding_nor_in_the_tables_and_is_told(kept):
    dump = dated(9.7, 1_687_000_000).replace("Cleanup", "PrintThreads")
    log = dated(2.0, 840_000_000) + dated(6.0, 2_000_000_000) + dump
    [part], _ = kept(log, examined_s=NOON_S + 8.0, examinations=[[7, "agent", NOON_S + 4.5, NOON_S + 6.0]])
    section = Section(part, 1)
    assert part.frame["total_ms"].round().tolist() == [840.0, 500.0] and section.longest_ms == 840.0
    assert section.finding.replace("\N{NO-BREAK SPACE}", " ").startswith("The longest of 2 safepoints took 840 ms")
    facts, _, operations = tables("safepoint", part.frame)
    assert cells(facts)["Stops"] == "2" and list(cells(operations)) == ["Cleanup"]
    [note] = [note.replace("\N{NO-BREAK SPACE}", " ") for note in part.notes]
    assert note == (
        "Left out, since `safepoint late` examined the JVM: 1 stop, the longest 1,687 ms (PrintThreads); "
        "1,500 ms of the wait at 4.0 s."
    )


@pytest.mark.parametrize(("watch", "has_share"), [({}, True), ({"waited_s": {"7": 4.0}}, False)])
def test_a_share_of_the_time_is_told_only_if_each_stop_has_ended(kept, watch, has_share):
    [part], _ = kept(dated(2.0, 840_000) + dated(3.0, 840_000), **watch)
    assert ("%" in cells(tables("safepoint", part.frame)[0])["Total time stopped"]) is has_share
    assert bool(part.unended) is not has_share


def test_a_log_with_names_alone_beside_that_of_the_stops_is_read_too(kept, tmp_path):
    kept(dated(2.0, 840_000_000))
    late = of_folder(tmp_path)
    named = tmp_path / "vm-pid7.log"
    named.write_text(LATE.format(stamp="", name="codec", id="", nid="nid=0x9 runnable"))
    [part], left_out = parts({named.name: named}, [late])
    assert not left_out and "codec" in " ".join(part.notes) and part.unlogged.endswith("late threads, of 1 stop")


def test_of_a_jvm_whose_only_stop_never_ended_that_is_said_and_no_empty_picture_drawn(kept):
    [part], late = kept(LATE.format(stamp="", name="codec", id="", nid="nid=0x9 runnable"), waited_s={"7": 4.0})
    text = page([part], [], Origin("safepoint report", "1", "now"), [late])
    assert (
        "<h1>The only safepoint was never reached: after 4020 ms the JVM still waited for the thread codec" in text
        and "<img" not in text
    )
    assert "<h2>The only safepoint was never reached, so the log has no line for it</h2>" in text
    assert cells(tables("safepoint", part.frame)[0])["Stops that ended"] == "0"


def test_where_the_log_itself_tells_of_a_stop_that_never_ended_its_begin_is_the_finding(kept):
    late_line = LATE.format(stamp="[4.000s][warning][safepoint] ", name="codec", id="", nid="nid=0x9 runnable")
    [part], _ = kept(late_line, waited_s={"7": 4.0})
    finding = Section(part, 1).finding.replace("\N{NO-BREAK SPACE}", " ")
    assert part.frame.attrs["begun_s"] is not None and not part.unended
    assert finding == "A safepoint was begun at 4.0 s and never reached: 4.0 s later the JVM still waited"
    assert not any("no line" in note for note in part.notes)


def test_a_log_of_late_in_which_the_lab_did_nothing_is_as_it_was(kept):
    log = dated(2.0, 840_000_000) + dated(6.0, 2_000_000_000)
    [part], _ = kept(log)
    assert part.frame["total_ms"].tolist() == [840.0, 2000.0] and part.notes == ()


def test_the_page_of_a_folder_of_late_has_its_verdict_its_worst_stops_and_what_to_do(kept):
    found, late = kept(dated(2.0, 840_000_000))
    text = page(found, [LeftOut("ttsp-7.jfr", "cut off")], Origin("safepoint report", "1", "now"), [late])
    assert "<h1>1 stop of 1 waited 20 ms or more, the worst 840 ms" in text and "<caption>The worst stops" in text
    assert f"safepoint late: java Main<br>JDK 25 · Serial · {FATE} · 1 JVM</p>" in text
    about = "every stop, and how long it waited"
    assert f'<th scope="row">log</th><td>{about}</td><td>1 stop, 1 of which waited 20 ms or more</td>' in text
    assert text.index("<caption>Witnesses") < text.index("<h2>The only safepoint") < text.index("<h2>Left out</h2>")
    assert '<th scope="col">operation</th></tr>' in text  # no column for threads, of which nothing is known
    assert "<h3>What to do</h3><ul><li>cause not known: the late thread<ul><li>async-profiler would see" in text


def test_a_compile_log_has_its_own_section_but_in_a_folder_of_late(kept):
    log = DATA / "late" / "scimark-17" / "compiled-30408.log"
    found, _ = parts({log.name: log})
    _, late = kept(dated(2.0, 840_000_000))
    alone, beside = (page(found, [], Origin("safepoint report", "1", "now"), lates) for lates in ([], [late]))
    assert "<img" in alone and "<caption>Lines of the compile log" in alone
    assert "<img" not in beside and f"<strong>{log.name}</strong>: The compilations of the late methods are" in beside


def test_a_page_of_one_folder_of_late_names_the_folder_once_and_its_logs_without_it(kept):
    folder = DATA / "late" / "scimark-17"
    logs = {str(path): path for path in (folder / "safepoint-30408.log", folder / "compiled-30408.log")}
    text = page(parts(logs)[0], [], Origin("safepoint report", "1", "now"), [Late(folder, Plan.load(folder))])
    assert f"Safepoint report of {folder}/<" in text and "stops in safepoint-30408.log" in text


def test_a_page_of_late_says_how_sure_thread_line_and_cause_are(monkeypatch):
    code = bytecode.read(DATA / "late" / "attached-17" / "Billing.javap")
    monkeypatch.setattr(loops, "class_code", lambda *_: code)
    late = Late(DATA / "late" / "started-17", Plan.load(DATA / "late" / "started-17"))
    told = "How sure that is: timeout, ttsp and kernel named the thread. Where it was is from 553 stacks, told by ttsp."
    inferred = " The cause is inferred from the loops in the class file, and not from the machine code."
    assert how_sure(late) == told + inferred and how_sure(late) in page([], [], Origin("", "1", "now"), [late])
    late.stops.loc[late.stops.index[0], ["over", "waited_ms"]] = False, 4676.0
    waited = " When the thread would have come isn't known: `late` waited for 4,676\N{NO-BREAK SPACE}ms."
    assert how_sure(late) == told + inferred + waited
    late.stops["thread"] = pd.NA
    assert how_sure(late) == ""


@pytest.mark.each(
    ("log", "finding"),
    [
        ("compilation/jdk11-mix.log", "143 compiles, 31 of them by C2"),
        ("hdr/jdk17-closed.hlog", "read service p99 is 24 ms"),
        ("stacks/jdk11-cpu.collapsed", "94% of 72 samples in Bias.hotInline"),
    ],
)
def test_a_page_of_a_log_that_tells_no_stops_has_that_logs_finding(log, finding):
    found, _ = parts({log: DATA / log})
    assert f"<h1>{finding}" in page(found, [], Origin("safepoint report", "1", "now"))


def test_where_all_stops_are_the_labs_the_verdict_of_late_is_the_finding(kept):
    found, late = kept(dated(9.7, 1_687_000_000), examined_s=NOON_S + 8.0)
    text = page(found, [], Origin("safepoint report", "1", "now"), [late])
    assert (
        "<h1>No thread was late: no stop was requested.</h1>" in text
        and "Left out, since <code>safepoint late</code>" in text
    )


@pytest.mark.parametrize(("at_s", "left"), [([1.3, 1.5, 8.3, 8.4, 8.5], 2), ([8.3, 8.4, 8.5], 0)])
def test_a_recording_of_late_has_the_stacks_of_the_programs_stops_alone(kept, sampled, tmp_path, at_s, left):
    sampled("codec", 8, "Odd.count", 7, at_s)
    _, late = kept(dated(2.0, 840_000_000) + dated(9.7, 1_687_000_000), examined_s=NOON_S + 8.0)
    file = tmp_path / "ttsp-7.jdk.ExecutionSample.json"
    found, left_out = parts({file.name: file}, [late])
    text = page(found, left_out, Origin("safepoint report", "1", "now"), [late])
    if left:
        assert found[0].frame["event"].eq("jdk.ExecutionSample").sum() == left
        assert "Left out, since <code>safepoint late</code> examined the JVM: 3 stacks." in text
        assert "<caption>Who was late, and where" in text and '<th scope="row">codec</th><td>Odd::count:7</td>' in text
        assert (
            '<th scope="row">codec</th><td>8</td><td>2</td><td>1</td><td>ttsp</td></tr>' in text
        )  # what was seen of it
    else:
        assert "it has only 3 stacks from when `safepoint late` examined the JVM, and none" in text
        assert not found and "Who was late, and where" not in text


def test_where_late_has_no_log_of_stops_its_verdict_is_the_finding(tmp_path):
    plan = Plan(("java", "Main"), "running", "/jdk", 8, "8", "Serial", 20, (), {}, (), (), pid=7, counted="6 stops.")
    plan.save(tmp_path)
    text = page([], [], Origin("safepoint report", "1", "now"), [of_folder(tmp_path)])
    assert "<h1>6 stops.</h1>" in text and "<title>6 stops. · java Main</title>" in text and "What to do" in text


def test_a_folder_of_another_version_of_late_is_one_of_logs(tmp_path):
    assert of_folder(tmp_path) is None
    (tmp_path / "late.json").write_text('{"words": ["java"]}')
    assert of_folder(tmp_path) is None


def test_a_percentile_is_a_measured_value():
    row = tables("safepoint", FRAME.iloc[:4].assign(total_ms=[1.0, 2.0, 4.0, 50.0]))[1].rows[-1]
    assert " ".join(row).replace("\N{NO-BREAK SPACE}", " ") == "Whole stop 4 4.0 ms 50 ms 50 ms 50 ms 50 ms"


def test_what_a_log_does_not_hold_is_called_not_logged():
    took = "0.0123000 seconds, Stopping threads took: 0.0001000 seconds"
    frame = logs.safepoint.read([f"Total time for which application threads were stopped: {took}"])
    facts, _, operations = tables("safepoint", frame)
    assert "(not named by this log)" in cells(operations) and cells(facts)["Stops"] == "1"
    assert cells(tables("gc", logs.gc.read([]))[0])["Heap in use after a collection"] == "not logged"


def test_collections_are_told_by_collector_kind_and_cause():
    frame = logs.gc.read(COLLECTIONS)
    facts, _, causes = tables("gc", frame)
    assert cells(facts)["Collector"] == "G1" and "MiB" in cells(facts)["Heap in use after a collection"]
    assert sum(int(row[3]) for row in causes.rows) == frame["pause_ms"].notna().sum()


def test_a_long_list_says_how_many_rows_are_left_out():
    cut = largest([(float(number), (f"operation {number}", "1")) for number in range(20)])
    assert cut[0][0] == "operation 19" and cut[-1] == ("8 more, left out", "")


def test_compiles_are_counted_by_tier():
    frame = logs.compilation.read(sorted((DATA / "compilation").glob("jdk25*"))[0])
    tiers = tables("compilation", frame)[1]
    assert sum(int(row[1]) for row in tiers.rows) == (frame["event"] == "compiled").sum()


@pytest.mark.each("path", sorted((DATA / "gc").glob("jdk*.log")))
def test_every_collectors_log_has_a_picture_with_words(path):
    part = next(part for part in parts({path.name: path})[0] if part.kind == "gc")
    drawn = Section(part, 1).pictures
    assert tables(part.kind, part.frame) and drawn
    assert all(picture.png and picture.finding and picture.words for picture in drawn)


def test_a_concurrent_collectors_cycles_are_not_called_young_collections():
    frame = pd.DataFrame({"collector": ["ZGC"], "kind": ["minor"], "before_mib": [10.0], "after_mib": [12.0]})
    assert pictures("gc", frame.reindex(columns=[*frame.columns, "pause_ms", "uptime_s", "nanotime_ns"])) == []


def test_a_safepoint_that_was_never_reached_is_the_finding_and_the_longest_of_all():
    hung = FRAME.iloc[:0].copy()
    hung.attrs["begun_s"] = 4.1
    assert "never reached" in pictures("safepoint", hung)[0].finding
    longest = [Section(Part(("x",), "x", "safepoint", frame, ()), 1).longest_ms for frame in (FRAME, hung)]
    assert longest == [pytest.approx(FRAME["total_ms"].max()), float("inf")]


def test_a_kind_without_a_summary_shows_its_first_rows():
    frame = pd.DataFrame({"address": ["0x1"], "empty": [pd.NA]})
    [table] = tables("assembly", frame)
    assert table.head == ("address",) and table.rows == [("0x1",)] and pictures("assembly", frame) == []


def test_a_log_without_totals_is_summed_as_its_picture_is():
    row = "4.184: EnableBiasedLocking       [     8     1     1    ]      [   509     2   511     0     7    ]  1"
    frame = logs.safepoint.read([row])
    facts = cells(tables("safepoint", frame)[0])
    assert "sum of its phases" in facts["A stop's length"] and facts["Longest stop"].startswith("518")
    assert pictures("safepoint", frame)[0].finding.startswith("The only safepoint took 518 ms")
