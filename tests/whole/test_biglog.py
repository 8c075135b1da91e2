"""`scripts/biglog.py`: a recorded log made as long as one likes, whose counters go on."""

from itertools import islice
from pathlib import Path

import biglog
import pytest

from safepointlab.logs import compilation, gc, safepoint

DATA = Path(__file__).parents[1] / "data"
READERS = {
    "compilation/jdk17-unload": compilation.read,
    "gc/jdk17-g1": gc.read,
    "inlining/jdk25-inlining": compilation.inlining,
    "safepoint/jdk17-info": safepoint.read,
    "safepoint/jdk8-stopped-bothstamps": safepoint.read,
}


@pytest.mark.parametrize("log", READERS)
def test_a_log_written_ten_times_has_ten_times_the_rows(log, tmp_path):
    source, target, read = DATA / f"{log}.log", tmp_path / "big.log", READERS[log]
    lines = biglog.write(source, target, int(source.stat().st_size * 10.9))
    assert lines == len(target.read_text().splitlines())
    assert len(read(target)) == 10 * len(read(source)) > 0


def test_stamps_times_of_day_ids_and_numbers_go_on():
    decorated = "[2026-11-20T05:44:16.661+0000][1.500s][7ns] GC(3) 50%\n"
    _, second = islice(biglog.repetitions(decorated + "   1600   41       3       A::b (1 bytes)\n"), 2)
    assert second.decode().splitlines() == [
        "[2026-11-20T05:44:19.661+0000][4.500s][3000000007ns] GC(7) 50%",
        "   4600   83       3       A::b (1 bytes)",
    ]


def test_the_two_files_of_a_run_on_8_stay_together(tmp_path):
    sources = [DATA / "safepoint" / f"jdk8-split-{name}.log" for name in ("gc", "stdout")]
    targets = [tmp_path / source.name for source in sources]
    biglog.write_together(sources, targets, 10 * sum(source.stat().st_size for source in sources))
    assert len(safepoint.read(targets)) == 10 * len(safepoint.read(sources)) > 0
