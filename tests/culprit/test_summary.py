"""What the page says of a log is what the log says: counts, the longest, percentiles; what is missing is never 0."""

from pathlib import Path

import pandas as pd
import pytest

from safepointlab import logs
from safepointlab.culprit.log_report import code, pauses, summary
from safepointlab.culprit.log_report.parts import Part, parts

DATA = Path(__file__).parent.parent / "data"


def part_of(path: Path, kind: str = "") -> Part:
    return next(part for part in parts({path.name: path})[0] if kind in ("", part.kind))


def cells(table: pauses.Table) -> dict[str, str]:
    return {row[0]: " | ".join(row[1:]) for row in table.rows}


def test_the_stops_are_counted_and_summed():
    frame = logs.safepoint.read(DATA / "safepoint" / "jdk25-info.log")
    said = cells(pauses.safepoints(frame)[0])
    assert said["Stops"] == "10" and "G1CollectFull" in said["Longest stop"]
    assert said["Total time stopped"].startswith(f"{frame['total_ms'].sum():,.0f}")


def test_stops_are_listed_by_operation_the_heaviest_first():
    frame = logs.safepoint.read(DATA / "safepoint" / "jdk25-info.log")
    operations = pauses.safepoints(frame)[2]
    counts = frame["operation"].value_counts()
    assert {name: int(row.split(" | ")[0]) for name, row in cells(operations).items()} == counts.to_dict()
    assert operations.rows[0][0] == frame.groupby("operation")["total_ms"].sum().idxmax()


def test_a_percentile_is_a_measured_value():
    table = pauses.percentiles("Stops", {"stop": pd.Series([1.0, 2.0, 4.0, 50.0])}, "stops")
    assert [cell.replace("\N{NO-BREAK SPACE}", " ") for cell in table.rows[0]] == [
        "stop", "4", "4.0 ms", "50 ms", "50 ms", "50 ms", "50 ms"
    ]  # fmt: skip


def test_what_a_log_does_not_hold_is_called_not_logged():
    took = "0.0123000 seconds, Stopping threads took: 0.0001000 seconds"
    frame = logs.safepoint.read([f"Total time for which application threads were stopped: {took}"])
    facts, _, operations = pauses.safepoints(frame)
    assert "(not named by this log)" in cells(operations) and cells(facts)["Stops"] == "1"
    assert cells(pauses.collections(logs.gc.read([]))[0])["Heap in use after a collection"] == "not logged"


def test_collections_are_told_by_collector_kind_and_cause():
    frame = logs.gc.read(DATA / "gc" / "jdk25-g1.log")
    facts, _, causes = pauses.collections(frame)
    assert cells(facts)["Collector"] == "G1" and "MiB" in cells(facts)["Heap in use after a collection"]
    assert sum(int(row[3]) for row in causes.rows) == frame["pause_ms"].notna().sum()


def test_a_long_list_says_how_many_rows_are_left_out():
    rows = [(f"operation {number}", "1") for number in range(20)]
    cut = pauses.largest(rows, [float(number) for number in range(20)])
    assert cut[0][0] == "operation 19" and cut[-1] == ("8 more, left out", "")


def test_compiles_are_counted_by_tier():
    frame = logs.compilation.read(
        DATA / "compilation" / sorted(p.name for p in (DATA / "compilation").glob("jdk25*"))[0]
    )
    tiers = code.compilations(frame)[1]
    assert sum(int(row[1]) for row in tiers.rows) == (frame["event"] == "compiled").sum()


@pytest.mark.each("path", sorted((DATA / "gc").glob("jdk*.log")))
def test_every_collectors_log_has_a_picture_with_words(path):
    part = part_of(path, "gc")
    pictures = summary.pictures(part)
    assert summary.tables(part) and pictures
    assert all(picture.png and picture.finding and picture.words for picture in pictures)


def test_a_concurrent_collectors_cycles_are_not_called_young_collections():
    frame = pd.DataFrame({"collector": ["ZGC"], "kind": ["minor"], "before_mib": [10.0], "after_mib": [12.0]})
    frame = frame.reindex(columns=[*frame.columns, "pause_ms", "uptime_s", "nanotime_ns"])
    assert summary.pictures(Part("z.log", "gc", frame, ())) == []


def test_a_safepoint_that_was_never_reached_is_the_finding():
    frame = logs.safepoint.read(DATA / "safepoint" / "jdk25-info.log").iloc[:0]
    frame.attrs["begun_s"] = 4.1
    assert "never reached" in summary.pictures(Part("hang.log", "safepoint", frame, ()))[0].finding


def test_a_kind_without_a_summary_shows_its_first_rows():
    part = Part("x.log", "assembly", pd.DataFrame({"address": ["0x1"], "empty": [pd.NA]}), ())
    [table] = summary.tables(part)
    assert table.head == ("address",) and table.rows == [("0x1",)] and summary.pictures(part) == []


def test_a_log_without_totals_is_summed_as_its_picture_is():
    row = "4.184: EnableBiasedLocking       [     8     1     1    ]      [   509     2   511     0     7    ]  1"
    frame = logs.safepoint.read([row])
    facts = cells(pauses.safepoints(frame)[0])
    assert len(frame) == 1 and "sum of its phases" in facts["A stop's length"]
    assert facts["Longest stop"].startswith("518")
    assert "once, for 518 ms" in summary.pictures(Part("8.log", "safepoint", frame, ()))[0].finding


def test_the_log_with_the_longest_stop_is_the_gravest():
    short = logs.safepoint.read(DATA / "safepoint" / "jdk25-info.log")
    hung = short.iloc[:0].copy()
    hung.attrs["begun_s"] = 1.0
    longest = short["total_ms"].max()
    assert summary.longest_ms(Part("a", "safepoint", short, ())) == pytest.approx(longest)
    assert summary.longest_ms(Part("b", "safepoint", hung, ())) == float("inf")
