"""What holds of every reader and every recorded log: its types, its name, where it is damaged, where it ends."""

import random

import fuzz
import numpy as np
import pandas as pd
import pytest

from safepointlab.errors import DamagedLog, ForeignLog, UnreadableLog
from safepointlab.logs import compilation, gc, guess, kinds, safepoint
from safepointlab.logs.lines import source, store
from tests.logs.conftest import DATA

EACH_LOG = pytest.mark.each(("path", "kind", "reader"), [log[:3] for log in fuzz.logs()])
BESIDE = ("jdk8.log", "jdk17.log")  # logs of the run whose notes stand in a file of their own
STOP = (
    '[0.5s][info][safepoint] Safepoint "Cleanup", Time since last: 1000 ns, Reaching safepoint: 2000 ns, '
    "At safepoint: 3000 ns, Total: 5000 ns"
)
PAUSE = "[0.251s][info][gc] GC(7) Pause Young (Mixed) (G1 Evacuation Pause) 61M->34M(64M) 5.101ms"
COMPILE = "    417   13 %     3       Odd::countOdds @ 12 (44 bytes)   made not entrant"
INSTRUCTION = "  0x00007f5625110342: nop\n"
STACK = "[main tid=7];Main.main;Main.copy;arraycopy_avx3 5"
NOTES = "thread,nanos,mark\njvm,500000000,start\n"
PERFASM = (DATA / "perfasm" / "17.txt").read_text("utf-8")
JMH_STACK = (DATA / "stack" / "jdk25.log").read_text("utf-8")
HEAD = "goto  167 goto  [0x00007f773894dee0, 0x00007f773894e1c0]  736 bytes\n"
DAMAGED = {  # a text in which one line is cut off or corrupted -> the number of that line
    "safepoint": [
        *[(f"{STOP}\n{STOP[:-cut]}", 2) for cut in (10, 40, 60)],
        (f"{STOP}\n{STOP[60:]}\n", 2),
        (f"{STOP}\n{STOP[:60]}{STOP}\n", 2),  # two JVMs wrote at once
    ],
    "gc": [
        (f"{PAUSE}\n{PAUSE[:-4]}", 2),
        (f"{PAUSE}\n{PAUSE[:45]}hello\n", 2),  # the program's output came in between
        (f"{PAUSE}\n ({PAUSE[45:]}\n", 2),  # what was in front of it stands elsewhere
    ],
    "compilation": [
        (f"hello\n{COMPILE}\n    420   14       3       java.lang.Abstr\n{COMPILE}\n", 3),
        (COMPILE[: COMPILE.index("   made")], 1),
    ],
    "assembly": [(f"{INSTRUCTION}{INSTRUCTION}  0x00007f5625110343:\n", 3)],
    "bytecode": [("class A {\n  void b();\n    Code:\n       0: aload_0\n       1: inv", 5)],
    "stacks": [(f"{STACK}\n{STACK[:-1]}", 2), (f"{STACK}\nMain.main;Main.co\n", 2)],
    "marks": [(f"{NOTES}polling,10510000\n", 3)],
    "interpreter": [(HEAD + HEAD[:45], 2)],
    "stack": [(JMH_STACK[: JMH_STACK.index("48.5%") + 3], 11)],
    "perfasm": [(PERFASM[: PERFASM.index("c2, level 4") - 9], None)],
}
TALK = "".join(f"a program says {n} words\n" for n in range(9))


@EACH_LOG
def test_a_recorded_log_is_recognised_and_its_frame_has_the_promised_types(path, kind, reader):
    folder = path.relative_to(DATA).parts[0]
    assert folder in guess(path.read_text("utf-8", "replace")) or folder not in kinds() or path.name in BESIDE
    types = reader.read(path, strict=True).dtypes.astype(str).to_dict()
    assert {name: types[name] for name in reader.COLUMNS if name in types} == reader.COLUMNS


@pytest.mark.each("kind", kinds())
def test_an_empty_log_is_an_empty_frame_with_its_columns_and_a_foreign_one_is_refused(kind, write):
    read = kinds()[kind].read
    for nothing in ([], write("")):
        frame = read(nothing, strict=True)
        assert frame.empty and list(frame) == list(kinds()[kind].COLUMNS)
    with pytest.raises(ForeignLog):
        read(write(TALK), strict=True)
    if kind != "jmh":  # whose JSON is either whole or none
        assert read(TALK).empty and read(write(random.Random(7).randbytes(200_000))).empty


@pytest.mark.each("kind", sorted(set(kinds()) - {"safepoint", "jmh", "compilation"}))
def test_the_refusal_of_a_foreign_log_says_what_it_looks_like(kind):
    with pytest.raises(ForeignLog, match="It looks like a safepoint log: read it as that"):
        kinds()[kind].read(f"{STOP}\n", strict=True)


@pytest.mark.each(("kind", "text", "line"), [(kind, *one) for kind, cases in DAMAGED.items() for one in cases])  # type: ignore[attr-defined]
def test_a_damaged_line_is_counted_and_with_strict_refused_by_its_place(kind, text, line, write):
    read, path = kinds()[kind].read, write(text)
    assert read(path).attrs["damaged"] == 1
    with pytest.raises(DamagedLog, match=rf"^bad\.log:{line or ''}"):
        read(path, strict=True)


@EACH_LOG
def test_a_log_that_ends_anywhere_has_no_row_of_its_own(path, kind, reader):
    whole, content = reader.read(path), path.read_bytes()
    for place in random.Random(path.name).sample(range(len(content)), min(5, len(content))):
        assert not fuzz.invented(reader, content[:place], whole), place


def test_a_row_that_the_whole_log_lacks_is_noticed():
    class Inventive:
        def read(self, path):
            return safepoint.read([STOP.replace("Cleanup", name) for name in path.read_text()])

    whole = safepoint.read([STOP, STOP, STOP])
    assert fuzz.invented(Inventive(), b"ab", whole).startswith("2 rows of its own, the first {'kind'")
    assert fuzz.invented(Inventive(), b"a", whole) == ""
    assert fuzz.invented(Inventive(), b"abcd", whole) == "4 rows, where the whole log has 3"


@pytest.mark.each("seed", range(4))
def test_damaged_lines_raise_no_raw_error(seed):
    batches = fuzz.batches(random.Random(seed))
    for kind, reader, lines in (next(batches) for _ in range(60)):
        assert not fuzz.fails(reader, lines), kind


def test_the_fuzz_notices_a_raw_error():
    class Broken:
        def read(self, lines):
            return int(lines[0])

    assert fuzz.fails(Broken(), ["x", "1"]).startswith("ValueError: invalid literal")


@pytest.mark.each(
    ("kind", "line"),
    {
        "compilation": "    417   13       3       A::b (99999999999 bytes)",
        "stacks": "Main.run;Main.go 99999999999999999999",
        "gc": "0.1: [GC (Allocation Failure) 0.1: [ParNew: 1٣8K->1725K(19648K), 0.0007175 secs] 39K->23K(63K), 0.07]",
    }.items(),
)
def test_a_number_that_no_vm_prints_makes_no_row(kind, line):
    assert kinds()[kind].read([line]).empty


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(UnreadableLog, match=r"nowhere\.log: No such file"):
        safepoint.read(tmp_path / "nowhere.log")


def test_an_unknown_kind_is_answered_with_all_kinds():
    from safepointlab import logs

    with pytest.raises(AttributeError, match="no reader 'gcs'; the lab reads: assembly, bytecode"):
        _ = logs.gcs


def test_of_two_kinds_in_one_text_the_one_with_more_lines_is_guessed_first():
    assert guess(f"{STOP}\n{PAUSE}\n{PAUSE}\n")[:2] == ["gc", "safepoint"]


LARGE = [
    *[(safepoint, f"safepoint/{log}") for log in ("jdk25-info", "jdk21-handshake", "jdk8-table")],
    *[(safepoint, "safepoint/jdk25-nanotime-trace"), (gc, "gc/jdk25-g1"), (compilation, "compilation/jdk17-mix")],
    (compilation.inlines, "inlining/jdk25-inlining"),
]


@pytest.mark.each(("reader", "log"), LARGE)
def test_a_large_log_has_the_same_frame_and_each_column_can_be_written_to(reader, log, monkeypatch):
    path = DATA / f"{log}.log"
    small = reader.read(path)
    monkeypatch.setattr(store, "LARGE", 3)  # from so many rows on, a column of one value takes no memory
    monkeypatch.setattr(store, "PIECE", 10)
    monkeypatch.setattr(source, "BLOCK_BYTES", 3000)
    large, other = reader.read(path), reader.read(path)
    pd.testing.assert_frame_equal(large, small, check_flags=False)
    new = {"string": "mine", "bool": True, "boolean": True, "datetime64[ms]": pd.Timestamp("2026-11-20")}
    for name, dtype in reader.COLUMNS.items():
        large.loc[0, name] = new.get(dtype, 1)
        assert large.loc[0, name] == new.get(dtype, 1) and str(large[name].dtype) == dtype
    pd.testing.assert_frame_equal(large.iloc[1:], small.iloc[1:], check_flags=False)
    pd.testing.assert_frame_equal(other, small, check_flags=False)


@pytest.mark.skipif(pd.__version__ < "3", reason="pandas 2 does not copy before it writes, so its columns are ordinary")
def test_what_a_large_log_lacks_takes_no_memory():
    columns = {"leaving_ms": np.nan, "threads_total": -1, "time": np.datetime64("NaT", "ms")}
    size = store.LARGE + 1
    table = {name: np.broadcast_to(one, size) for name, one in columns.items()}
    texts = [(np.broadcast_to(np.int32(-1), size), {"operation": ["Cleanup", ""]})]
    types = {"leaving_ms": "float64", "threads_total": "Int32", "time": "datetime64[ms]", "operation": "string"}
    frame = store.frame(table, texts, types)
    assert len(frame) == size and frame.isna().all().all() and frame.dtypes.astype(str).to_dict() == types
    assert frame["leaving_ms"].to_numpy().strides == (0,)
    assert (frame["operation"].fillna("") + "!").unique().tolist() == ["!"] and frame["threads_total"].sum() == 0
