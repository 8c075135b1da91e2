"""Compile logs of JDK 8 to 28: every line becomes a row, and nothing else does."""

import csv
import random
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from safepointlab.errors import DamagedLog, ForeignLog, UnreadableLog
from safepointlab.logs import compilation
from safepointlab.logs.compilation import inlines, lines
from safepointlab.logs.lines import store

LOGS = Path(__file__).parent.parent / "data"
HERE = LOGS / "compilation"
EVENTS = {"made_not_entrant": "made not entrant", "made_zombie": "made zombie", "compile_skipped": "skipped"}
MARKS = {"synchronized", "exception_handlers", "blocking", "native"}
LINE = "    417   13 %     3       Odd::countOdds @ 12 (44 bytes)   made not entrant"


def table(path: Path, delimiter: str = ",") -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file, delimiter=delimiter, quoting=csv.QUOTE_NONE))


def count(frame: pd.DataFrame, fact: str) -> int:
    """A fact as it was counted in the log by other means: grep, or the VM's own LogCompilation of the same run."""
    made = frame[frame["event"] == "compiled"]
    if fact in EVENTS:
        return int((frame["event"] == EVENTS[fact]).sum())
    if fact == "made_not_entrant_osr":
        return int(((frame["event"] == "made not entrant") & frame["osr"]).sum())
    if fact.startswith("level"):
        return int((made["tier"] == int(fact[-1])).sum())
    known = {"compile_events": len(made), "osr_events": int(made["osr"].sum()), "lines": frame.attrs["lines"]}
    return known[fact] if fact in known else int(made[fact].sum())


def one(line: str) -> pd.Series:
    frame = compilation.read([line], strict=True)
    assert len(frame) == 1
    return frame.iloc[0]


def records(frame: pd.DataFrame) -> list[tuple[str, ...]]:
    return [tuple(map(str, row)) for row in frame.itertuples(index=False)]


@pytest.mark.each("fact", table(HERE / "counts.csv"))
def test_each_count_made_by_other_means_is_met(fact):
    assert count(compilation.read(HERE / fact["log"], strict=True), fact["fact"]) == int(fact["count"])


@pytest.mark.parametrize("jdk", [8, 11, 17, 21, 25, 28])
def test_each_row_is_what_stands_in_the_columns_of_its_line(jdk):
    frame = compilation.read(HERE / f"jdk{jdk}-mix.log", strict=True)
    signs = zip("%s!bn", ["osr", "synchronized", "exception_handlers", "blocking", "native"], strict=True)
    marks = ["".join(row) for row in zip(*([c if on else " " for on in frame[n]] for c, n in signs), strict=True)]
    shown = frame.assign(marks=marks, uptime_ms=frame["uptime_ms"].astype("Int64"))
    expected = table(HERE / f"jdk{jdk}-mix.rows.csv", "|")
    found = shown[list(expected[0])].astype("string").fillna("").to_dict("records")
    assert found == expected


@pytest.mark.parametrize("jdk", [11, 21])
def test_among_chatter_the_rows_are_those_that_the_vm_itself_noted(jdk):
    frame = compilation.read(HERE / f"jdk{jdk}-chatty.log", strict=True)
    gone = frame["event"] == "made not entrant"
    frame.loc[gone, "osr_bci"] = pd.NA  # not part of the VM's note
    expected = table(HERE / f"jdk{jdk}-chatty.rows.csv", "|")
    found = frame[list(expected[0])].astype("string").fillna("").to_dict("records")
    assert sorted(map(str, found)) == sorted(map(str, expected))


def test_columns_and_their_types_are_those_promised():
    frame = compilation.read(HERE / "jdk8-mix.log")
    assert {name: str(dtype) for name, dtype in frame.dtypes.items()} == compilation.COLUMNS


def test_counts_tell_what_became_of_each_line():
    attrs = compilation.read(HERE / "jdk8-mix.log").attrs
    assert attrs == {"lines": 117, "rows": 102, "skipped": 15, "damaged": 0}


def test_marks_of_a_line_are_told_apart():
    row = one("    129   14 %s!bn 2       Mix::syncInc @ 5 (15 bytes)")
    assert row[["osr", *MARKS]].all() and row["tier"] == 2 and row["osr_bci"] == 5


def test_without_tiers_the_tier_is_missing():
    row = one("     88    2  s          Mix::syncInc (15 bytes)")
    assert pd.isna(row["tier"]) and row["synchronized"] and row["bytes"] == 15


def test_a_native_wrapper_has_no_bytes():
    row = one("    261   30     n 0       jdk.internal.misc.Unsafe::compareAndSetObject (native)   ")
    assert row["native"] and row["tier"] == 0 and pd.isna(row["bytes"])


def test_a_method_handle_keeps_its_descriptor():
    row = one("74   13     n 0       java.lang.invoke.MethodHandle::linkToSpecial(L,L)V (native)   (static)")
    assert row["method"] == "java.lang.invoke.MethodHandle::linkToSpecial(L,L)V"


def test_an_unloaded_method_is_missing_with_what_the_vm_forgot_of_it():
    row = one("    299   16       2      (method)   made zombie")
    assert row["event"] == "made zombie" and row[["method", "synchronized", "exception_handlers", "bytes"]].isna().all()


def test_8_forgets_where_osr_code_was_entered_when_it_throws_it_away():
    assert one("    417   13 %     3       Odd::countOdds @ -2 (44 bytes)   made not entrant")["osr_bci"] == -2


def test_25_gives_a_reason():
    row = one("140    7 %     3       Odd::countOdds @ 12 (44 bytes)   made not entrant: uncommon trap")
    assert row["event"] == "made not entrant" and row["reason"] == "uncommon trap"


def test_a_skipped_compile_says_why():
    row = one("     91   14  s    4       Mix::f (15 bytes)   COMPILE SKIPPED: out of nodes (retry at different tier)")
    assert row["event"] == "skipped" and row["reason"] == "out of nodes (retry at different tier)"


def test_a_name_may_hold_what_lambdas_and_kotlin_put_into_it():
    method = "a.B$$Lambda$14/0x0000000800c03000::lambda$x$0"
    assert one(f"    465  108       4       {method} (31 bytes)")["method"] == method
    assert one("    465  108       4       a.B::adds two (31 bytes)")["method"] == "a.B::adds two"


def test_the_finest_clock_among_the_decorations_is_used():
    line = "[0.093s][5093123456ns][93123456ns][debug][jit,compilation]    4       3       A::b (42 bytes)"
    assert one(line)["uptime_ms"] == 93.123456


def test_without_an_uptime_decoration_the_uptime_is_missing():
    line = "[2026-11-20T05:50:34.898+0000][debug][jit,compilation]    4       3       A::b (42 bytes)"
    assert pd.isna(one(line)["uptime_ms"])


def test_a_listing_s_header_and_the_queue_s_lines_are_no_events():
    header = "Compiled method (c1)     322   13 %     3       Odd::countOdds @ 12 (44 bytes)"
    queued = "   7 %     3       Odd::countOdds @ 12 (44 bytes)"
    assert compilation.read([header, queued, header.replace("    322", "322")]).empty


@pytest.mark.each("before", ["", ".", "[step 3] ", "took 3 s: ", "é\x00 "])
@pytest.mark.each("after", ["", ".", "[step 4]", "   done"])
def test_program_output_before_and_behind_a_line_changes_nothing(before, after):
    row, glued = one(LINE), one(before + LINE + after)
    assert glued.equals(row)


@pytest.mark.parametrize(
    "torn",
    [
        "    417 ..   13 %     3       Odd::countOdds @ 12 (44 bytes)   made not entrant",
        "417 ..   13 %     3       Odd::countOdds @ 12 (44 bytes)   made not entrant",
        "    417   13 .. %     3       Odd::countOdds @ 12 (44 bytes)   made not entrant",
        "    417   13 %     [a]3       Odd::countOdds @ 12 (44 bytes)   made not entrant",
        "    417   13 %     3 [a]      Odd::countOdds @ 12 (44 bytes)   made not entrant",
        "    417   13 %     3       Odd::7countOdds @ 12 (44 bytes)   made not entrant",
    ],
)
def test_a_line_into_which_the_program_printed_is_mended(torn):
    assert one(torn).equals(one(LINE))


def test_digits_that_the_program_printed_between_time_and_id_are_told_by_the_columns():
    others = [f"    {400 + n}  {100 + n}       3       A::a{n} (1 bytes)" for n in range(17)]
    frame = compilation.read([*others, "    417 0  117       3       A::b (1 bytes)"])
    assert frame.iloc[-1][["uptime_ms", "compile_id"]].tolist() == [417, 117] and len(frame) == 18


def test_digits_left_standing_before_a_line_do_not_become_part_of_its_time():
    lines = ["464    7       3       A::a (1 bytes)", "step 18465    8       3       A::b (1 bytes)"]
    frame = compilation.read([*lines, "466    9       3       A::c (1 bytes)"])
    assert frame["uptime_ms"].tolist() == [464, 465, 466]


def test_digits_with_blanks_between_them_may_stand_before_a_line():
    assert one("47 239 94 286" + LINE)["uptime_ms"] == 417
    assert one("47 239 94 286 417   13 %     3       Odd::countOdds @ 12 (44 bytes)")["uptime_ms"] == 417


def test_many_times_glued_to_digits_one_after_the_other_are_put_right():
    glued = np.array([370.0, 298371, 617371, 9371, 372])
    assert lines.unglued(glued).tolist() == [370, 371, 371, 371, 372]


def test_a_line_of_the_program_that_gives_an_id_to_another_method_in_the_past_is_no_row():
    real = [f"    {500 + n}  {100 + n}       3       A::a{n} (1 bytes)" for n in range(9)]
    fake = "    100  102       3       not.a.Compile::line (5 bytes)"
    assert len(compilation.read([*real[:5], fake, *real[5:]])) == 9
    assert len(compilation.read([*real, fake])) == 9


def test_logs_of_several_runs_behind_one_another_keep_all_their_rows():
    text = (HERE / "jdk8-mix.log").read_text()
    other = (HERE / "jdk8-osr.log").read_text()
    assert len(compilation.read((text + other + text).splitlines())) == 2 * 102 + 22


def test_a_task_s_elements_are_put_in_the_order_of_time():
    frame = compilation.read(HERE / "jdk25-logcompilation.log", strict=True)
    assert frame["uptime_ms"].is_monotonic_increasing and frame["synchronized"].isna().all()
    assert frame.loc[frame["event"] == "made not entrant", "reason"].tolist() == [
        "OSR invalidation of lower level",
        "not used",
    ]


def test_a_failed_task_is_a_skipped_compile():
    task = "<task compile_id='3' method='A b (I)J' bytes='44' level='3' blocking='1' stamp='0.208'>"
    end = ["<failure reason='out of nodes' phase='compile'/>", "<task_done success='0' nmsize='0' stamp='0.250'/>"]
    frame = compilation.read([task, *end, "</task>"])
    assert frame["event"].tolist() == ["compiled", "skipped"] and frame["reason"].iloc[1] == "out of nodes"
    assert frame["uptime_ms"].tolist() == [208, 250] and frame["blocking"].all()


def test_task_logs_of_several_runs_are_kept_apart():
    log = HERE / "jdk25-logcompilation.log"
    once, twice = records(compilation.read(log)), records(compilation.read([log, log]))
    assert twice == once + once


def test_a_vm_log_s_escapes_are_undone():
    frame = compilation.read(HERE / "jdk8-vm.log", strict=True)
    assert "java.lang.Object::<init>" in set(frame["method"]) and not frame["method"].str.contains("&").any()


@pytest.mark.each("log", sorted(HERE.glob("*.log")))
def test_a_log_cut_off_anywhere_gives_no_row_that_the_whole_log_does_not_give(log, tmp_path):
    whole, data, cut = records(compilation.read(log)), log.read_bytes(), tmp_path / "cut.log"
    for place in random.Random(log.stem).sample(range(len(data)), 25):
        cut.write_bytes(data[:place])
        rows = records(compilation.read(cut))
        assert set(rows) <= set(whole) if b"<task " in data else rows == whole[: len(rows)]


def test_a_line_cut_off_before_its_end_is_not_taken_for_another_event(tmp_path):
    (tmp_path / "cut.log").write_text(LINE[: LINE.index("   made")])
    frame = compilation.read(tmp_path / "cut.log")
    assert frame.empty and frame.attrs["damaged"] == 1


def test_strict_names_file_and_line_of_the_first_damaged_line(tmp_path):
    (tmp_path / "bad.log").write_text(f"hello\n{LINE}\n    420   14       3       java.lang.Abstr\n{LINE}\n")
    assert compilation.read(tmp_path / "bad.log").attrs["damaged"] == 1
    with pytest.raises(DamagedLog, match=r"bad\.log:3: .*Abstr"):
        compilation.read(tmp_path / "bad.log", strict=True)


def test_junk_gives_an_empty_frame_with_all_columns(tmp_path):
    (tmp_path / "junk").write_bytes(random.Random(7).randbytes(300_000))
    frame = compilation.read(tmp_path / "junk")
    assert frame.empty and list(frame) == list(compilation.COLUMNS)


def test_bytes_that_are_no_utf_8_between_the_lines_disturb_nothing(tmp_path):
    data = (HERE / "jdk21-mix.log").read_bytes()
    (tmp_path / "odd.log").write_bytes(data.replace(b"\n", b"\n\xff\xfe\x80 caf\xe9\n"))
    assert records(compilation.read(tmp_path / "odd.log")) == records(compilation.read(HERE / "jdk21-mix.log"))


def test_another_kind_of_log_is_refused_when_strict():
    with pytest.raises(ForeignLog):
        compilation.read(["Total time for which application threads were stopped: 0.1 seconds"], strict=True)


def test_nothing_gives_nothing():
    assert compilation.read([], strict=True).empty


def test_a_log_that_is_not_there_is_named(tmp_path):
    with pytest.raises(UnreadableLog, match="missing.log"):
        compilation.read(tmp_path / "missing.log")


def test_a_log_that_is_taken_in_many_pieces_has_the_same_columns_and_they_can_be_written_to(monkeypatch):
    whole = compilation.read(HERE / "jdk17-mix.log")
    monkeypatch.setattr(store, "PIECE", 10)
    pieces = compilation.read(HERE / "jdk17-mix.log")
    pd.testing.assert_frame_equal(pieces, whole)
    assert pieces.dtypes.astype(str).to_dict() == compilation.COLUMNS
    pieces.loc[0, ["method", "event", "reason", "osr_bci"]] = ["mine", "mine", "mine", 7]
    assert pieces.loc[0, ["method", "osr_bci"]].tolist() == ["mine", 7] and not pieces["bytes"].fillna(0).isna().any()


def test_ids_far_beyond_the_number_of_lines_name_their_methods_as_well():
    uptimes, ids, methods = (np.array(values) for values in ([90.0, 500, 100, 510], [900, 13, 900, 14], [7, 8, 9, 5]))
    assert lines.contradicting(uptimes, ids, methods).tolist() == [False, False, True, False]


def test_inlining_of_a_large_log_keeps_its_columns_and_they_can_be_written_to(monkeypatch):
    whole = compilation.inlining(LOGS / "inlining" / "jdk25-inlining.log")
    monkeypatch.setattr(store, "LARGE", 3)
    monkeypatch.setattr(store, "PIECE", 100)
    large = compilation.inlining(LOGS / "inlining" / "jdk25-inlining.log")
    pd.testing.assert_frame_equal(large, whole)
    for frame in (large, compilation.inlining([])):
        assert frame.dtypes.astype(str).to_dict() == inlines.COLUMNS
    large.loc[0, ["compile_id", "bci", "bytes", "reason"]] = [1, 2, 3, "mine"]
    assert large.loc[0].tolist()[:3] == [1, whole["level"][0], 2] and large["reason"][0] == "mine"


@pytest.mark.parametrize(
    "log", ["compilation/jdk17-mix", "compilation/jdk25-logcompilation", "inlining/jdk25-inlining"]
)
def test_a_compact_frame_has_the_same_rows_with_texts_as_categories(log):
    read = compilation.inlining if log.startswith("inlining") else compilation.read
    plain, compact = read(LOGS / f"{log}.log"), read(LOGS / f"{log}.log", compact=True)
    texts = [name for name in plain if plain[name].dtype == "string"]
    assert all(compact[name].dtype == "category" for name in texts)
    pd.testing.assert_frame_equal(compact.astype(dict.fromkeys(texts, "string")), plain)


def test_a_restart_of_the_clock_begins_a_new_run():
    uptimes = np.array([900.0, 901, *range(50, 60)])
    assert list(lines._runs(uptimes)) == [(0, 2), (2, 12)]


@pytest.mark.each("fact", table(LOGS / "inlining" / "counts.csv"))
def test_each_count_of_inlined_calls_is_met(fact):
    frame, name = compilation.inlining(LOGS / "inlining" / fact["log"], strict=True), fact["fact"]
    counts = {"calls": len(frame), **frame["decision"].value_counts().to_dict()}
    counts |= {f"level {level}": n for level, n in frame["level"].value_counts().items()}
    assert counts.get(name, 0) == int(fact["count"])


def test_a_call_belongs_to_the_compile_of_its_thread():
    first, second = ["<writer thread='7'/>"], ["<writer thread='8'/>"]
    begun = [*first, "     10    1       3       A::a (9 bytes)", *second, "     10    2       4       A::b (9 bytes)"]
    call = " " * 30 + "@ 3   A::c (2 bytes)   inline"
    assert inlines.read([*begun, call])["compile_id"].tolist() == [2]
    assert inlines.read([*begun, *first, call])["compile_id"].tolist() == [1]


def test_without_tiers_the_first_level_is_still_1():
    lines = [" " * 28 + "@ 3   A::c (2 bytes)   inline (hot)", " " * 30 + "@ 5   A::d (2 bytes)   too big"]
    assert inlines.read(lines)["level"].tolist() == [1, 2]
