"""Collectors' logs of JDK 8 to 28: each pause is one row, and so is each cycle that says what it won."""

import re

import pandas as pd
import pytest

from safepointlab.cli.parse import parse
from safepointlab.errors import ForeignLog
from safepointlab.logs import gc
from safepointlab.logs.lines import source
from tests.logs.conftest import DATA, counted

HERE = DATA / "gc"
EACH_LOG = pytest.mark.each("path", sorted(HERE.glob("*.log")))
EACH_OPTION = pytest.mark.each("path", sorted((DATA / "gc-options").glob("*.log")))
NO_PAUSE = ("cycle", "minor", "major")  # and what begins with "concurrent"
STALLS = ("allocation stall", "relocation stall")
WORDS = {"Young": ("young", "mixed"), "Degenerated GC": ("degenerated",)}  # where a kind is not the log's word in small
COLLECTORS = {"serial": "Serial", "parallel": "Parallel", "cms": "CMS", "g1": "G1"}
COLLECTORS |= {"z": "ZGC", "shenandoah": "Shenandoah"}
PAUSE = "[0.251s][info][gc] GC(7) Pause Young (Mixed) (G1 Evacuation Pause) 61M->34M(64M) 5.101ms"
OF_8 = "0.982: [Full GC (System.gc()) [PSYoungGen: 0K->0K(18944K)] [ParOldGen: 335K->328K(44032K)] 335K->328K(62976K), "
OF_8 += "[Metaspace: 2840K->2840K(1056768K)], 0.0049907 secs] [Times: user=0.01 sys=0.00, real=0.00 secs] "
BEGUN = re.compile(r"\[(?:Full )?GC(?:--)? \(|\[GC (?:pause|remark|cleanup) ?[\[(\d]")
OF_6 = (
    "41.409: [GC [PSYoungGen: 229368K->32766K(170240K)] 245617K->63556K(956672K), 0.0984634 secs] [Times: user=0.1]\n"
)


def one(*lines: str) -> pd.Series:
    frame = gc.read(lines, strict=True)
    assert len(frame) == 1
    return frame.iloc[0]


def of_kind(frame: pd.DataFrame, *kinds: str) -> int:
    return int(frame["kind"].isin(kinds).sum())


@EACH_LOG
def test_the_frame_is_as_recorded_and_as_other_means_have_counted(path):
    facts, frame = counted(path), gc.read(path, strict=True)
    assert frame.to_csv(index=False) == path.with_suffix(".rows.csv").read_text()
    pauses = sum(facts.get(fact, 0) for fact in ("pauses", "young_8", "full_8", "phases_8"))
    concurrent = int(frame["kind"].str.startswith("concurrent").sum())
    assert len(frame) - of_kind(frame, *NO_PAUSE, *STALLS) - concurrent == pauses
    assert of_kind(frame, *STALLS) == facts.get("stalls", 0)
    assert of_kind(frame, "cycle", "minor", "major") == facts.get("cycles", 0)
    assert frame.attrs["lines"] == facts["lines"]
    for fact, times in facts.items():
        if fact.startswith("pause_of "):
            word = fact.removeprefix("pause_of ")
            assert of_kind(frame, *WORDS.get(word, (word.lower(),))) == times, word
    assert of_kind(frame, "full") == facts.get("pause_of Full", 0) + facts.get("full_8", 0)
    assert of_kind(frame, "mixed") == facts.get("mixed", 0) + facts.get("mixed_8", 0)
    total = frame.loc[~frame["kind"].isin(STALLS), "pause_ms"].sum()
    assert "pauses_ms" not in facts or total == pytest.approx(facts["pauses_ms"], rel=1e-9)
    expected = COLLECTORS.get(path.stem.split("-")[1])
    assert set(frame["collector"].dropna()) <= ({expected} if expected else {"Serial", "Parallel"})


@pytest.mark.each(
    ("line", "fields"),
    [
        (PAUSE, {"gc_id": 7, "kind": "mixed", "cause": "G1 Evacuation Pause", "detail": "Mixed", "pause_ms": 5.101}),
        (PAUSE, {"uptime_s": 0.251, "before_mib": 61, "after_mib": 34, "heap_mib": 64}),
        (PAUSE.replace("0.251s", "0,251s").replace("5.101ms", "5,101ms"), {"uptime_s": 0.251, "pause_ms": 5.101}),
        (
            OF_8,
            {"uptime_s": 0.982, "kind": "full", "cause": "System.gc()", "pause_ms": 4.9907, "collector": "Parallel"},
        ),
        (
            OF_8,
            {"before_mib": 335 / 1024, "after_mib": 328 / 1024, "heap_mib": 61.5, "detail": "PSYoungGen, ParOldGen"},
        ),
        (
            "[0.146s][info][gc] Allocation Stall (main) 1.227ms",
            {"kind": "allocation stall", "thread": "main", "pause_ms": 1.227, "collector": "ZGC"},
        ),
    ],
)
def test_a_line_gives_all_that_it_says(line, fields):
    assert one(line)[list(fields)].to_dict() == fields


def test_a_line_joined_with_another_is_read_and_one_that_verification_broke_is_one_pause():
    glued = f"{PAUSE} User=0.01s Sys=0.00s Real=0.01s"
    assert one(glued)["pause_ms"] == 5.101 and len(gc.read([PAUSE + PAUSE], strict=True)) == 2
    verified = " VerifyBeforeGC:[Verifying Threads Heap Roots C-heap CodeCache Oops ]\n"
    of_g1 = f"0.086: [GC pause (G1 Humongous Allocation) (young){verified} 69M->69M(254M), 0.0362183 secs]"
    assert one(*of_g1.split("\n"))[["pause_ms", "heap_mib"]].tolist() == [36.2183, 254.0]


@pytest.mark.each("size", [37, 50, 61])
def test_8s_g1_has_its_heap_wherever_a_block_ends(size, monkeypatch):
    lines = (HERE / "jdk8-g1.log").read_text().splitlines()
    whole = gc.read(lines)
    monkeypatch.setattr(source, "BLOCK_LINES", size)
    assert gc.read(lines).equals(whole)


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
    for name in ("serial", "parallel", "cms", "g1"):
        frame = gc.read(HERE / f"jdk8-{name}-tenuring.log", strict=True)
        assert frame["gc_id"].notna().all() and frame["after_mib"].notna().all()


@pytest.mark.each("stamp", ["0.635: ", "2026-11-28T23:29:46.991+0000: 0.635: "])
@pytest.mark.each(("failure", "detail"), [("", "CMS"), (" (concurrent mode failure)", "CMS (concurrent mode failure)")])
def test_a_phase_of_cms_whose_times_come_within_the_full_collection_behind_it_costs_no_row(stamp, failure, detail):
    lines = [
        f"{stamp}[CMS-concurrent-sweep: 0.001/0.001 secs]{stamp}[Full GC (Allocation Failure) {stamp}[CMS "
        "[Times: user=0.00 sys=0.00, real=0.00 secs] ",
        f"{failure}: 31512K->32767K(32768K), 0.0118836 secs] 46294K->39164K(47552K), [Metaspace: 2815K->2815K(105676K)]"
        ", 0.0119404 secs] [Times: user=0.01 sys=0.00, real=0.01 secs] ",
    ]
    [row] = gc.read(lines, strict=True).to_dict("records")
    assert (row["kind"], row["pause_ms"], row["detail"], row["uptime_s"]) == ("full", 11.9404, detail, 0.635)


def test_generations_and_cycles_are_distinguished():
    frame = gc.read(HERE / "jdk25-z.log", strict=True)
    pauses = frame[frame["kind"].isin(["mark start", "mark end", "relocate start"])]
    pairs = set(zip(pauses["generation"], pauses["cycle"], strict=True))
    assert pairs == {("young", "minor"), ("young", "major"), ("old", "major")}
    assert frame.loc[frame["kind"].isin(["minor", "major"]), "pause_ms"].isna().all()
    shenandoah = gc.read(HERE / "jdk25-shenandoah-generational.log", strict=True)
    assert {"young", "global"} & set(shenandoah["generation"].dropna())


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


@EACH_OPTION
def test_options_of_8_that_write_into_a_pauses_line_lose_no_pause_and_no_length(path):
    frame, text = gc.read(path, strict=True), path.read_text("utf-8")
    assert len(frame) == len(BEGUN.findall(text)) > 2 and frame["pause_ms"].notna().all()
    ends = re.findall(r", (\d+\.\d{7}) secs\](?: \[Times:[^\]]*\])? *$", text, re.MULTILINE)
    concurrent = re.findall(r"concurrent-\S+end, (\d+\.\d{7}) secs\]", text)
    ours = frame["pause_ms"].sum() / 1000
    assert ours == pytest.approx(sum(map(float, ends)) - sum(map(float, concurrent)))


def test_a_remark_with_a_young_collection_in_it_is_two_rows():
    frame = gc.read(DATA / "gc-options" / "jdk8-scav.log")
    young, remark = frame.query("cause == 'CMS Final Remark'").to_dict("records")
    assert (young["kind"], young["pause_ms"], remark["kind"], remark["pause_ms"]) == ("young", 0.5058, "remark", 1.2808)
    assert young["uptime_s"] == remark["uptime_s"] == 0.1 and remark["after_mib"] == 24297 / 1024


@pytest.mark.each("end", ["", " [Times: user=0.00 sys=0.00, real=0.00 secs]"])
def test_a_last_line_without_newline_is_a_row_once_it_is_whole(end, write):
    line = "0.208: [GC (CMS Initial Mark) [1 CMS-initial-mark: 9K(99K)] 100206K(253440K), 0.0052224 secs]"
    assert gc.read(write(line + end), strict=True)["pause_ms"].tolist() == [5.2224]
    assert gc.read(write(f"{line}\n{line[:-3]}")).attrs["damaged"] == 1


def test_a_log_of_jdk_6_is_refused_with_the_reason(write):
    with pytest.raises(ForeignLog, match=r"no cause, as JDK 6 and 7 print them: '41\.409.*reads 8 and later"):
        parse("gc", [write(OF_6)])
