"""Files that a user brings: each is recognised by its lines, read by the lab's reader, or left out with its reason."""

import gzip
import subprocess
from pathlib import Path

import pytest

from safepointlab import jdks
from safepointlab.culprit.log_report.parts import parts
from safepointlab.logs import flight

DATA = Path(__file__).parent.parent / "data"
STOPS, COLLECTIONS = DATA / "safepoint" / "jdk25-info.log", DATA / "gc" / "jdk25-g1.log"


def kinds_of(path: Path) -> list[str]:
    return [part.kind for part in parts({path.name: path})[0]]


@pytest.mark.parametrize("kind", ["safepoint", "gc", "compilation"])
def test_every_log_of_the_tests_is_found_to_be_of_its_kind(kind):
    for path in sorted((DATA / kind).glob("jdk*g1*.log")) or sorted((DATA / kind).glob("jdk*.log"))[:8]:
        assert kind in kinds_of(path), path.name


def test_a_file_with_logs_of_two_kinds_has_two_parts(tmp_path):
    both = tmp_path / "both.log"
    both.write_text(STOPS.read_text() + COLLECTIONS.read_text())
    assert sorted(kinds_of(both)) == ["gc", "safepoint"]


def test_a_kind_that_begins_late_in_the_file_is_found(tmp_path):
    late = tmp_path / "late.log"
    late.write_text("the program's own line\n" * 40_000 + STOPS.read_text())
    assert kinds_of(late) == ["safepoint"]


def test_a_packed_log_is_the_same_log(tmp_path):
    (tmp_path / "stops.log.gz").write_bytes(gzip.compress(STOPS.read_bytes()))
    found, left_out = parts({"stops.log.gz": tmp_path / "stops.log.gz"})
    assert left_out == [] and len(found[0].frame) == 10


def test_a_damaged_line_is_told_with_its_place(tmp_path):
    cut = tmp_path / "cut.log"
    cut.write_text(STOPS.read_text().rpartition(", Total:")[0])
    [part] = parts({"cut.log": cut})[0]
    assert part.notes[0].startswith("1 line is damaged and left out. The first is cut.log:")


@pytest.mark.parametrize(
    ("text", "reason"),
    [("", "empty"), ("roses\nviolets\n", "none of the logs"), ("[0.1s][info][safepoint] hello\n", "not one of its")],
)
def test_what_cannot_be_read_is_left_out_with_its_reason(tmp_path, text, reason):
    (tmp_path / "odd.log").write_text(text)
    found, left_out = parts({"odd.log": tmp_path / "odd.log"})
    assert found == [] and reason in left_out[0].reason


def test_a_packed_log_that_breaks_off_costs_only_itself(tmp_path):
    broken = tmp_path / "broken.log.gz"
    broken.write_bytes(gzip.compress(COLLECTIONS.read_bytes())[:500])
    found, left_out = parts({"broken.log.gz": broken, "stops.log": STOPS})
    assert [part.name for part in found] == ["stops.log"] and "damaged" in left_out[0].reason


@pytest.mark.live
def test_a_recording_is_printed_and_leaves_nothing_beside_it(tmp_path):
    recorders = [jdk for jdk in jdks.find() if jdk.major >= 11 and jdk.tool("jfr")]
    if not recorders:
        pytest.skip("no JDK here has the tool jfr")
    recording = tmp_path / "r.jfr"
    flags = flight.flags_for("", recorders[-1].major, str(tmp_path / "run"))
    (tmp_path / "run").mkdir()
    subprocess.run([recorders[-1].java, *flags, "-version"], check=True, capture_output=True, timeout=60)
    (tmp_path / "run" / flight.RECORDING).rename(recording)
    found, left_out = parts({"r.jfr": recording})
    assert left_out == [] and found[0].kind == "jfr" and "jdk.SafepointBegin" in set(found[0].frame["event"])
    assert {path.name for path in tmp_path.iterdir()} == {"r.jfr", "run"}
