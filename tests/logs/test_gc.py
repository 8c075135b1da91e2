"""Collectors' logs of JDK 8 to 28: each pause is one row, and so is each cycle that says what it won."""

import csv
import random
from pathlib import Path

import pandas as pd
import pytest

from safepointlab.errors import DamagedLog, ForeignLog
from safepointlab.logs import gc
from safepointlab.logs.lines import store
from safepointlab.run import profile

HERE = Path(__file__).parent.parent / "data" / "gc"
EACH_LOG = pytest.mark.each("path", sorted(HERE.glob("*.log")))
NO_PAUSE = ("cycle", "minor", "major", "concurrent", "concurrent cleanup")
STALLS = ("allocation stall", "relocation stall")
WORDS = {"Young": ("young", "mixed"), "Degenerated GC": ("degenerated",)}  # where a kind is not the log's word in small
COLLECTORS = {"serial": "Serial", "parallel": "Parallel", "cms": "CMS", "g1": "G1"}
COLLECTORS |= {"z": "ZGC", "shenandoah": "Shenandoah"}
PAUSE = "[0.251s][info][gc] GC(7) Pause Young (Mixed) (G1 Evacuation Pause) 61M->34M(64M) 5.101ms"
OF_8 = "0.982: [Full GC (System.gc()) [PSYoungGen: 0K->0K(18944K)] [ParOldGen: 335K->328K(44032K)] 335K->328K(62976K), "
OF_8 += "[Metaspace: 2840K->2840K(1056768K)], 0.0049907 secs] [Times: user=0.01 sys=0.00, real=0.00 secs] "


def one(*lines: str) -> pd.Series:
    frame = gc.read(lines, strict=True)
    assert len(frame) == 1
    return frame.iloc[0]


def counted(log: str) -> dict[str, float]:
    """The counts that count-lines, with grep and awk alone, made of a log."""
    with (HERE / "counts.csv").open(newline="") as file:
        return {row["fact"]: float(row["count"]) for row in csv.DictReader(file) if row["log"] == log}


def of_kind(frame: pd.DataFrame, *kinds: str) -> int:
    return int(frame["kind"].isin(kinds).sum())


@EACH_LOG
def test_each_pause_stall_and_cycle_is_one_row(path):
    facts, frame = counted(path.name), gc.read(path, strict=True)
    pauses = sum(facts.get(fact, 0) for fact in ("pauses", "young_8", "full_8", "phases_8"))
    assert len(frame) - of_kind(frame, *NO_PAUSE, *STALLS) == pauses
    assert of_kind(frame, *STALLS) == facts.get("stalls", 0)
    assert of_kind(frame, "cycle", "minor", "major") == facts.get("cycles", 0)
    assert frame.attrs["lines"] == facts["lines"]


@EACH_LOG
def test_kinds_are_as_often_as_their_words_in_the_log(path):
    facts, frame = counted(path.name), gc.read(path, strict=True)
    for fact, times in facts.items():
        if fact.startswith("pause_of "):
            word = fact.removeprefix("pause_of ")
            assert of_kind(frame, *WORDS.get(word, (word.lower(),))) == times, word
    assert of_kind(frame, "full") == facts.get("pause_of Full", 0) + facts.get("full_8", 0)
    assert of_kind(frame, "mixed") == facts.get("mixed", 0) + facts.get("mixed_8", 0)


@EACH_LOG
def test_pauses_add_up_to_those_in_the_log(path):
    facts, frame = counted(path.name), gc.read(path, strict=True)
    pauses = frame.loc[~frame["kind"].isin(STALLS), "pause_ms"].sum()
    assert "pauses_ms" not in facts or pauses == pytest.approx(facts["pauses_ms"], rel=1e-9)


@EACH_LOG
def test_the_collector_is_known_or_missing_but_never_wrong(path):
    frame, expected = gc.read(path, strict=True), COLLECTORS.get(path.stem.split("-")[1])
    assert set(frame["collector"].dropna()) <= ({expected} if expected else {"Serial", "Parallel"})


@EACH_LOG
def test_the_whole_frame_is_as_recorded(path):
    assert gc.read(path, strict=True).to_csv(index=False) == path.with_suffix(".rows.csv").read_text()


@EACH_LOG
def test_a_log_cut_anywhere_neither_breaks_the_reader_nor_invents_a_row(path, tmp_path):
    whole, cut = path.read_bytes(), tmp_path / path.name
    columns = ["kind", "cause", "pause_ms"]  # the heap may stand in a line that is cut off
    full = gc.read(path)[columns]
    places = random.Random(path.name).sample(
        range(len(whole)), profile.by_effort(quick=10, standard=100, full=len(whole))
    )
    for place in places:
        cut.write_bytes(whole[:place])
        rows = gc.read(cut)[columns]
        known = full.iloc[: len(rows)]
        assert len(rows) <= len(full) and (rows.isna() | (rows == known)).all().all(), place


def test_a_line_of_11_and_later_gives_all_its_fields():
    row = one(PAUSE)
    assert [row["gc_id"], row["kind"], row["cause"], row["detail"]] == [7, "mixed", "G1 Evacuation Pause", "Mixed"]
    assert [row["pause_ms"], row["before_mib"], row["after_mib"], row["heap_mib"]] == [5.101, 61, 34, 64]


def test_a_line_of_8_gives_the_heap_as_a_whole_and_its_generations_as_detail():
    row = one(OF_8)
    assert [row["uptime_s"], row["kind"], row["cause"], row["pause_ms"]] == [0.982, "full", "System.gc()", 4.9907]
    assert [row["before_mib"], row["after_mib"], row["heap_mib"]] == [335 / 1024, 328 / 1024, 61.5]
    assert [row["collector"], row["detail"]] == ["Parallel", "PSYoungGen, ParOldGen"]


def test_8s_g1_tells_the_heap_some_lines_below():
    frame = gc.read(HERE / "jdk8-g1.log", strict=True)
    movers = frame[frame["kind"].isin(["young", "mixed", "full"])]
    assert movers[["before_mib", "after_mib", "heap_mib"]].notna().all().all() and (movers["heap_mib"] == 64).all()


def test_a_line_of_8_that_a_concurrent_thread_broke_in_two_is_one_pause():
    rows = gc.read(HERE / "jdk8-cms.log", strict=True)
    broken = rows[rows["detail"].str.contains("concurrent mode failure", na=False)]
    assert len(broken) == 2 and broken["pause_ms"].between(1, 3).all() and broken["after_mib"].notna().all()
    split = gc.read(HERE / "jdk8-g1.log", strict=True)
    assert (split["pause_ms"] == 3.0532).sum() == 1  # the length stands in the second half


def test_what_8_prints_about_ages_between_two_halves_of_a_line_does_no_harm():
    for name in ("serial", "parallel", "cms", "g1"):
        frame = gc.read(HERE / f"jdk8-{name}-tenuring.log", strict=True)
        assert frame["gc_id"].notna().all() and frame["after_mib"].notna().all()


def test_zgcs_generations_and_cycles_are_told_apart():
    frame = gc.read(HERE / "jdk25-z.log", strict=True)
    pauses = frame[frame["kind"].isin(["mark start", "mark end", "relocate start"])]
    assert set(zip(pauses["generation"], pauses["cycle"], strict=True)) == {
        ("young", "minor"),
        ("young", "major"),
        ("old", "major"),
    }
    assert frame.loc[frame["kind"].isin(["minor", "major"]), "pause_ms"].isna().all()


def test_a_stall_is_a_row_with_its_thread():
    row = one("[0.146s][info][gc] Allocation Stall (main) 1.227ms")
    assert [row["kind"], row["thread"], row["pause_ms"], row["collector"]] == ["allocation stall", "main", 1.227, "ZGC"]


def test_generational_shenandoah_tells_which_generation():
    frame = gc.read(HERE / "jdk25-shenandoah-generational.log", strict=True)
    assert {"young", "global"} & set(frame["generation"].dropna())


def test_the_begin_of_a_pause_and_the_phases_within_it_make_no_row():
    lines = [
        "[0.1s][info][gc,start] GC(0) Pause Full (System.gc())",
        "[0.698s][info][gc,phases,start] GC(0) Phase 1: Mark live objects",
        "[0.700s][info][gc,phases] GC(0) Phase 1: Mark live objects 1.151ms",
        "[0.700s][info][gc,phases] GC(20) y: Young Generation 64M(100%)->64M(100%) 0.000s",
        "[0.700s][info][gc,stats] Pause Init Mark (G)  =    0.022 s (a =       22 us)",
    ]
    assert gc.read(lines).empty


def test_program_output_in_front_of_a_line_does_not_hide_it():
    frame = gc.read(["no newline 5" + PAUSE, "no newline 5" + OF_8, "Full GC would be bad"], strict=True)
    assert frame["kind"].tolist() == ["mixed", "full"]
    assert frame["uptime_s"].isna().tolist() == [False, True]  # "50.982" is no time that could be trusted


def test_decimal_commas_of_some_locales_are_read():
    row = one(PAUSE.replace("0.251s", "0,251s").replace("5.101ms", "5,101ms"))
    assert [row["uptime_s"], row["pause_ms"]] == [0.251, 5.101]


def test_a_pause_cut_off_is_damaged_and_strict_says_where(tmp_path):
    log = tmp_path / "gc.log"
    log.write_text(PAUSE + "\n" + PAUSE[:-4])
    frame = gc.read(log)
    assert [len(frame), frame.attrs["damaged"]] == [1, 1]
    with pytest.raises(DamagedLog, match=r"^gc\.log:2: "):
        gc.read(log, strict=True)


def test_a_safepoint_log_is_foreign_here():
    line = '[0.552s][info][safepoint] Safepoint "G1CollectFull", Time since last: 43597262 ns, Reaching safepoint: 9 ns'
    assert gc.read([line]).empty
    with pytest.raises(ForeignLog, match="looks like a safepoint log"):
        gc.read([line], strict=True)


def test_every_frame_has_the_same_types():
    expected = {name: pd.Series(dtype=dtype).dtype for name, dtype in gc.COLUMNS.items()}
    for name in ("jdk8-serial", "jdk11-z", "jdk25-g1"):
        assert gc.read(HERE / f"{name}.log").dtypes.to_dict() == expected
    assert gc.read([]).dtypes.to_dict() == expected


def test_blocks_that_cut_the_log_elsewhere_change_nothing(monkeypatch):
    for name in ("jdk25-z", "jdk11-serial", "jdk17-g1"):
        whole = gc.read(HERE / f"{name}.log")
        monkeypatch.setattr("safepointlab.logs.lines.source.BLOCK_BYTES", 3000)
        pd.testing.assert_frame_equal(gc.read(HERE / f"{name}.log"), whole, check_flags=False)
        monkeypatch.undo()


def test_a_large_log_has_the_same_frame_and_each_column_can_be_written_to(monkeypatch):
    small = gc.read(HERE / "jdk25-g1.log")
    monkeypatch.setattr(store, "LARGE", 5)
    large = gc.read(HERE / "jdk25-g1.log")
    pd.testing.assert_frame_equal(large, small)
    assert large.dtypes.astype(str).to_dict() == gc.COLUMNS
    large.loc[0, ["thread", "kind", "duration_ms", "nanotime_ns"]] = ["mine", "mine", 1.5, 7]
    assert large.loc[0, ["thread", "duration_ms", "nanotime_ns"]].tolist() == ["mine", 1.5, 7]


def test_a_compact_frame_has_the_same_rows_with_texts_as_categories():
    plain, compact = gc.read(HERE / "jdk25-g1.log"), gc.read(HERE / "jdk25-g1.log", compact=True)
    texts = [name for name in plain if plain[name].dtype == "string"]
    assert all(compact[name].dtype == "category" for name in texts)
    pd.testing.assert_frame_equal(compact.astype(dict.fromkeys(texts, "string")), plain)
