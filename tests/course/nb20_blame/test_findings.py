"""What page 20's pictures show beside the measurement, and their titles."""

from types import SimpleNamespace

import pandas as pd

from safepointlab.course.nb20_blame import findings as blame_findings
from safepointlab.course.nb20_blame import output as blame_output

DUMPS = blame_output.read(["blamed inlined drive 69 21", "blamed inlined sum 36 1", "blamed farAway level9 118 23"])
RUN = SimpleNamespace(jdk=SimpleNamespace(major=8), request=SimpleNamespace(gc="Serial"))


def test_beside_the_dumps_stands_the_line_in_which_the_time_of_each_case_goes():
    known = blame_findings.beside(DUMPS).query("profiler != 'thread dumps'")
    assert known[["case", "method", "line"]].values.tolist() == [
        ["inlined", "sum", 36], ["notInlined", "sumApart", 46], ["innocentSetter", "sum", 36], ["farAway", "sum", 36]
    ]  # fmt: skip


def test_what_is_known_without_samples_has_no_share():
    known = blame_findings.beside(DUMPS).query("profiler != 'thread dumps'")
    assert known["share"].isna().all() and known["right"].all()


def test_the_title_counts_the_dumps_that_show_the_loop():
    title = blame_findings.dumped(DUMPS, RUN).replace("\n", " ")
    assert title == "JDK 8, Serial: 1 of 45 thread dumps show the hot loop (22 to 23 dumps a case)"


def test_the_dumps_with_serial_stand_before_the_profilers_that_were_asked_on_the_same_jdks():
    polls = pd.concat([DUMPS.assign(jdk=jdk, gc=gc) for jdk in (8, 11) for gc in ("Serial", "G1")])
    between = DUMPS.head(1).assign(profiler="JFR", jdk=8)
    profilers = blame_findings.with_dumps(between, polls)
    assert profilers["profiler"].tolist() == ["dumps"] * len(DUMPS) + ["JFR"]
    assert set(profilers["jdk"]) == {8} and "gc" not in profilers
