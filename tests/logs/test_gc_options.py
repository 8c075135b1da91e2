"""8's logs with options that write into the middle of a pause's line; each was made here, and every pause is a row."""

import re
from pathlib import Path

import pytest

from safepointlab.cli.parse import parse
from safepointlab.errors import ForeignLog
from safepointlab.logs import gc

HERE = Path(__file__).parents[1] / "data" / "gc-options"
LOGS = sorted(HERE.glob("*.log"))
BEGUN = re.compile(r"\[(?:Full )?GC(?:--)? \(|\[GC (?:pause|remark|cleanup) ?[\[(\d]")
OF_6 = (
    "41.409: [GC [PSYoungGen: 229368K->32766K(170240K)] 245617K->63556K(956672K), 0.0984634 secs] [Times: user=0.1]\n"
)


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.stem)
def test_every_pause_that_begins_is_a_row(path):
    frame = gc.read(path, strict=True)
    assert len(frame) == len(BEGUN.findall(path.read_text("utf-8"))) > 2 and frame["pause_ms"].notna().all()


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.stem)
def test_the_pauses_lengths_are_those_at_the_ends_of_their_lines(path):
    ends = re.findall(r", (\d+\.\d{7}) secs\](?: \[Times:[^\]]*\])? *$", path.read_text("utf-8"), re.MULTILINE)
    ours = gc.read(path)["pause_ms"] / 1000
    concurrent = re.findall(r"concurrent-\S+end, (\d+\.\d{7}) secs\]", path.read_text("utf-8"))
    assert ours.sum() == pytest.approx(sum(map(float, ends)) - sum(map(float, concurrent)))


def test_a_remark_with_a_young_collection_in_it_is_two_rows():
    young, remark = gc.read(HERE / "jdk8-scav.log").query("cause == 'CMS Final Remark'").to_dict("records")
    assert (young["kind"], young["pause_ms"], remark["kind"], remark["pause_ms"]) == ("young", 0.5058, "remark", 1.2808)
    assert young["uptime_s"] == remark["uptime_s"] == 0.1 and remark["after_mib"] == 24297 / 1024


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.stem)
def test_a_log_cut_anywhere_invents_no_row(path, tmp_path):
    whole, text = gc.read(path), path.read_text("utf-8")
    for cut in range(97, len(text), max(97, len(text) // 40)):
        (tmp_path / "cut.log").write_text(text[:cut], "utf-8")
        part = gc.read(tmp_path / "cut.log")
        assert part["pause_ms"].tolist() == whole["pause_ms"].tolist()[: len(part)]


@pytest.mark.parametrize("end", ["", " [Times: user=0.00 sys=0.00, real=0.00 secs]"])
def test_a_last_line_without_newline_is_a_row_once_it_is_whole(end, tmp_path):
    line = "0.208: [GC (CMS Initial Mark) [1 CMS-initial-mark: 9K(99K)] 100206K(253440K), 0.0052224 secs]"
    (tmp_path / "gc.log").write_text(line + end)
    assert gc.read(tmp_path / "gc.log", strict=True)["pause_ms"].tolist() == [5.2224]
    (tmp_path / "gc.log").write_text(f"{line}\n{line[:-3]}")
    assert gc.read(tmp_path / "gc.log").attrs["damaged"] == 1


def test_a_log_of_jdk_6_is_refused_with_the_reason(tmp_path):
    (tmp_path / "gc.log").write_text(OF_6)
    with pytest.raises(ForeignLog, match="no cause, as JDK 6 and 7 print them: '41.409.*reads 8 and later"):
        parse("gc", [tmp_path / "gc.log"])
