"""What page 20's pictures show beside the measurement, and their titles."""

from types import SimpleNamespace

import pandas as pd

from safepointlab.topics import blame, blame_findings, blame_output

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


def test_a_title_says_how_long_a_look_at_some_threads_stops_all_and_one_at_all_of_them():
    points = [("all", 100, 2.5), ("all", 800, 16.0), ("20", 100, 0.66), ("20", 800, 0.65)]
    stops = pd.DataFrame([(25, f"{look}, {blame.DEEP} deep", threads, ms) for look, threads, ms in points])
    title = blame_findings.longer(stops.set_axis(["jdk", "look", "threads", "total_ms"], axis=1)).replace("\n", " ")
    assert title == "JDK 25: a look at 20 of 800 threads stops all for 0.65 ms, a look at all 800 for 16 ms"


def test_a_title_counts_the_cases_in_which_jmhs_profiler_names_the_loop():
    title = blame_findings.stacked(DUMPS).replace("\n", " ")
    assert title == "JDK 8, Serial: JMH's stack profiler names the hot loop in 0 of 2 cases"
