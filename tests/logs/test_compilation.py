"""Compile logs of JDK 8 to 28: every line becomes a row, and nothing else does."""

import numpy as np
import pandas as pd
import pytest

from safepointlab.logs import compilation
from safepointlab.logs.compilation import lines
from tests.logs.conftest import DATA, table

HERE = DATA / "compilation"
EVENTS = {"made_not_entrant": "made not entrant", "made_zombie": "made zombie", "compile_skipped": "skipped"}
LINE = "    417   13 %     3       Odd::countOdds @ 12 (44 bytes)   made not entrant"


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


def texts(frame: pd.DataFrame, expected: list[dict[str, str]]) -> list[dict[str, str]]:
    """The frame's rows as texts, with the columns that were recorded."""
    return frame[list(expected[0])].astype("string").fillna("").to_dict("records")


@pytest.mark.each("fact", table(HERE / "counts.csv"))
def test_each_count_made_by_other_means_is_met(fact):
    assert count(compilation.read(HERE / fact["log"], strict=True), fact["fact"]) == int(fact["count"])


@pytest.mark.each("jdk", [8, 11, 17, 21, 25, 28])
def test_each_row_is_what_stands_in_the_columns_of_its_line(jdk):
    frame = compilation.read(HERE / f"jdk{jdk}-mix.log", strict=True)
    signs = zip("%s!bn", ["osr", "synchronized", "exception_handlers", "blocking", "native"], strict=True)
    marks = ["".join(row) for row in zip(*([c if on else " " for on in frame[n]] for c, n in signs), strict=True)]
    expected = table(HERE / f"jdk{jdk}-mix.rows.csv", "|")
    assert texts(frame.assign(marks=marks, uptime_ms=frame["uptime_ms"].astype("Int64")), expected) == expected


@pytest.mark.each("jdk", [11, 21])
def test_among_chatter_the_rows_are_those_that_the_vm_itself_noted(jdk):
    frame = compilation.read(HERE / f"jdk{jdk}-chatty.log", strict=True)
    frame.loc[frame["event"] == "made not entrant", "osr_bci"] = pd.NA  # not part of the VM's note
    expected = table(HERE / f"jdk{jdk}-chatty.rows.csv", "|")
    assert sorted(map(str, texts(frame, expected))) == sorted(map(str, expected))


def test_counts_tell_what_became_of_each_line():
    attrs = compilation.read(HERE / "jdk8-mix.log").attrs
    assert attrs == {"lines": 117, "rows": 102, "skipped": 15, "damaged": 0}


NATIVE = "74   13     n 0       java.lang.invoke.MethodHandle::linkToSpecial(L,L)V (native)   (static)"
SKIPPED = "     91   14  s    4       Mix::f (15 bytes)   COMPILE SKIPPED: out of nodes (retry at different tier)"
LAMBDA = "a.B$$Lambda$14/0x0000000800c03000::lambda$x$0"


@pytest.mark.each(
    ("line", "fields"),
    [
        ("    129   14 %s!bn 2       Mix::syncInc @ 5 (15 bytes)", {"tier": 2, "osr_bci": 5, "osr": True}),
        ("    129   14 %s!bn 2       Mix::syncInc @ 5 (15 bytes)", {"synchronized": True, "exception_handlers": True}),
        ("    129   14 %s!bn 2       Mix::syncInc @ 5 (15 bytes)", {"blocking": True, "native": True}),
        ("     88    2  s          Mix::syncInc (15 bytes)", {"tier": None, "synchronized": True, "bytes": 15}),
        (NATIVE, {"method": "java.lang.invoke.MethodHandle::linkToSpecial(L,L)V", "bytes": None, "tier": 0}),
        ("    299   16       2      (method)   made zombie", {"event": "made zombie", "method": None, "bytes": None}),
        ("    299   16       2      (method)   made zombie", {"synchronized": None, "exception_handlers": None}),
        ("    417   13 %     3       Odd::countOdds @ -2 (44 bytes)   made not entrant", {"osr_bci": -2}),  # 8
        (LINE.replace("entrant", "entrant: uncommon trap"), {"event": "made not entrant", "reason": "uncommon trap"}),
        (SKIPPED, {"event": "skipped", "reason": "out of nodes (retry at different tier)"}),
        (f"    465  108       4       {LAMBDA} (31 bytes)", {"method": LAMBDA}),
        ("    465  108       4       a.B::adds two (31 bytes)", {"method": "a.B::adds two"}),  # Kotlin
        (
            "[0.093s][5093123456ns][93123456ns][debug][jit,compilation]    4       3       A::b (42 bytes)",
            {"uptime_ms": 93.123456, "compile_id": 4},
        ),
        (
            "[2026-11-20T05:50:34.898+0000][debug][jit,compilation]    4       3       A::b (42 bytes)",
            {"uptime_ms": None, "compile_id": 4},
        ),
        ("47 239 94 286" + LINE, {"uptime_ms": 417}),
        ("47 239 94 286 417   13 %     3       Odd::countOdds @ 12 (44 bytes)", {"uptime_ms": 417}),
    ],
)
def test_a_line_gives_all_that_it_says(line, fields):
    row = one(line)
    assert {name: None if pd.isna(row[name]) else row[name] for name in fields} == fields


def test_a_listing_s_header_and_the_queue_s_lines_are_no_events():
    header = "Compiled method (c1)     322   13 %     3       Odd::countOdds @ 12 (44 bytes)"
    queued = "   7 %     3       Odd::countOdds @ 12 (44 bytes)"
    assert compilation.read([header, queued, header.replace("    322", "322")]).empty


@pytest.mark.each("before", ["", ".", "[step 3] ", "took 3 s: ", "é\x00 "])
@pytest.mark.each("after", ["", ".", "[step 4]", "   done"])
def test_program_output_before_and_behind_a_line_changes_nothing(before, after):
    assert one(before + LINE + after).equals(one(LINE))


@pytest.mark.each(
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


def test_digits_that_the_program_printed_beside_a_time_do_not_become_part_of_it():
    others = [f"    {400 + n}  {100 + n}       3       A::a{n} (1 bytes)" for n in range(17)]
    frame = compilation.read([*others, "    417 0  117       3       A::b (1 bytes)"])
    assert frame.iloc[-1][["uptime_ms", "compile_id"]].tolist() == [417, 117] and len(frame) == 18
    lines = ["464    7       3       A::a (1 bytes)", "step 18465    8       3       A::b (1 bytes)"]
    frame = compilation.read([*lines, "466    9       3       A::c (1 bytes)"])
    assert frame["uptime_ms"].tolist() == [464, 465, 466]


def test_many_times_glued_to_digits_one_after_the_other_are_put_right():
    glued = np.array([370.0, 298371, 617371, 9371, 372])
    assert lines.unglued(glued).tolist() == [370, 371, 371, 371, 372]


def test_a_line_of_the_program_that_gives_an_id_to_another_method_in_the_past_is_no_row():
    real = [f"    {500 + n}  {100 + n}       3       A::a{n} (1 bytes)" for n in range(9)]
    fake = "    100  102       3       not.a.Compile::line (5 bytes)"
    assert len(compilation.read([*real[:5], fake, *real[5:]])) == 9
    assert len(compilation.read([*real, fake])) == 9
    uptimes, ids, methods = (np.array(values) for values in ([90.0, 500, 100, 510], [900, 13, 900, 14], [7, 8, 9, 5]))
    assert lines.contradicting(uptimes, ids, methods).tolist() == [False, False, True, False]  # ids beyond the lines


REAL = [f"    {500 + n}  {100 + n}       3       A::a{n} (1 bytes)" for n in range(20)]


@pytest.mark.each(
    "fake, at",
    [
        ("    512  102       3       not.a.Compile::line (5 bytes)", 12),  # its id is another's
        ("    512  102 %     3       not.a.Compile::line @ 2 (5 bytes)", 12),
        ("    502  115       3       not.a.Compile::line (5 bytes)", 2),  # its id will be another's
        ("    511  102       3       not.a.Compile::line (5 bytes)\n    512  102       3       A::a2 (1 bytes)", 12),
    ],
)
def test_a_line_of_the_program_whose_id_is_another_methods_is_no_row_whatever_its_time(fake, at):
    frame = compilation.read([*REAL[:at], *fake.split("\n"), *REAL[at:]])
    assert "not.a.Compile::line" not in set(frame["method"]) and set(frame["method"]) == {f"A::a{n}" for n in range(20)}


def test_a_debug_build_counts_osr_compiles_by_themselves():
    osr = [f"    {510 + n}    {n + 1} %     3       A::b{n} @ 2 (1 bytes)" for n in range(3)]
    early = [f"    {400 + n}    {n + 1}       3       A::c{n} (1 bytes)" for n in range(3)]
    assert len(compilation.read([*early, *REAL[:10], *osr, *REAL[10:]])) == 26


def test_the_lines_of_two_jvms_in_one_file_stay_two():
    other = [f"    {500 + n}  {100 + n}       3       B::b{n} (1 bytes)" for n in range(20)]
    mixed = [line for pair in zip(REAL, other, strict=True) for line in pair]
    assert len(compilation.read(mixed)) == 40


def test_logs_of_several_runs_behind_one_another_keep_all_their_rows():
    text, other = ((HERE / f"jdk8-{name}.log").read_text() for name in ("mix", "osr"))
    assert len(compilation.read((text + other + text).splitlines())) == 2 * 102 + 22
    log = HERE / "jdk25-logcompilation.log"
    once, twice = (compilation.read([log] * times).astype(str).values.tolist() for times in (1, 2))
    assert twice == once + once


def test_a_task_s_elements_are_put_in_the_order_of_time():
    frame = compilation.read(HERE / "jdk25-logcompilation.log", strict=True)
    assert frame["uptime_ms"].is_monotonic_increasing and frame["synchronized"].isna().all()
    reasons = frame.loc[frame["event"] == "made not entrant", "reason"].tolist()
    assert reasons == ["OSR invalidation of lower level", "not used"]


def test_a_failed_task_is_a_skipped_compile():
    task = "<task compile_id='3' method='A b (I)J' bytes='44' level='3' blocking='1' stamp='0.208'>"
    end = ["<failure reason='out of nodes' phase='compile'/>", "<task_done success='0' nmsize='0' stamp='0.250'/>"]
    frame = compilation.read([task, *end, "</task>"])
    assert frame["event"].tolist() == ["compiled", "skipped"] and frame["reason"].iloc[1] == "out of nodes"
    assert frame["uptime_ms"].tolist() == [208, 250] and frame["blocking"].all()


def test_a_vm_log_s_escapes_are_undone():
    frame = compilation.read(HERE / "jdk8-vm.log", strict=True)
    assert "java.lang.Object::<init>" in set(frame["method"]) and not frame["method"].str.contains("&").any()


@pytest.mark.each("fact", table(DATA / "inlining" / "counts.csv"))
def test_each_count_of_inlined_calls_is_met(fact):
    frame, name = compilation.inlining(DATA / "inlining" / fact["log"], strict=True), fact["fact"]
    counts = {"calls": len(frame), **frame["decision"].value_counts().to_dict()}
    counts |= {f"level {level}": n for level, n in frame["level"].value_counts().items()}
    assert counts.get(name, 0) == int(fact["count"])


def test_a_call_belongs_to_the_compile_of_its_thread():
    first, second = ["<writer thread='7'/>"], ["<writer thread='8'/>"]
    begun = [*first, "     10    1       3       A::a (9 bytes)", *second, "     10    2       4       A::b (9 bytes)"]
    call = " " * 30 + "@ 3   A::c (2 bytes)   inline"
    assert compilation.inlining([*begun, call])["compile_id"].tolist() == [2]
    assert compilation.inlining([*begun, *first, call])["compile_id"].tolist() == [1]


def test_without_tiers_the_first_level_is_still_1():
    calls = [" " * 28 + "@ 3   A::c (2 bytes)   inline (hot)", " " * 30 + "@ 5   A::d (2 bytes)   too big"]
    assert compilation.inlining(calls)["level"].tolist() == [1, 2]
    assert compilation.inlining([]).empty
