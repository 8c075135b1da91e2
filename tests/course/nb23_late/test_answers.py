"""Notebook 23: which outcomes a report shows; what solves its exercises, and what comes near it and does not."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course import lessons
from safepointlab.course.nb23_late import experiments
from safepointlab.errors import BadInput

SERIAL = "java -XX:+UseSerialGC jnt.scimark2.commandline 0.4"
POLLS = SERIAL.replace("java", f"java {experiments.POLLS}")
C1 = SERIAL.replace("java", "java -XX:TieredStopAtLevel=1")
LATE = [(True, "ttsp")]


def report(waits, late_stops=(), output="", command=SERIAL, after_ms=30):
    stops = pd.DataFrame(late_stops, columns=["over", "witnesses"])
    plan = SimpleNamespace(words=tuple(command.split()), after_ms=after_ms)
    return SimpleNamespace(all_stops=pd.DataFrame({"waited_ms": waits}), stops=stops, output=output, plan=plan)


def speeds(*ratios, command=POLLS):
    """Reports without and with polls: the later scores are these parts of the earlier ones; each within 1 %."""
    sides = [(SERIAL, [1.0] * len(ratios)), (command, ratios)]
    return [
        [
            report([], output="".join(f"K{n} : {100 * off * part:.3f}\n" for n, part in enumerate(parts)), command=line)
            for off in (0.99, 1.01)
        ]
        for line, parts in sides
    ]


def classify(name, *results):
    return lessons.prediction(name).classify(*results)


CURED, CURED_BY_C1 = report([1.0], command=POLLS), report([1.0], command=C1)
HUNG = report([3000.0], [(True, "ttsp"), (False, "timeout, agent, native, kernel")])


@pytest.mark.parametrize(
    ("name", "results", "keys"),
    [
        ("23-scimark", [report([0.1, 0.4])], {"short"}),
        ("23-scimark", [report([0.1, 12.0])], {"some"}),
        ("23-scimark", [report([0.1, 90.0])], {"long"}),
        ("23-scimark", [report([90.0], command=SERIAL.replace("0.4", "2.0"))], set()),  # computations of another length
        ("23-scimark", [report([90.0], command="java -jar ecj.jar")], set()),
        ("23-scimark", [report([])], set()),
        ("23-cure", [report([400.0], LATE), CURED, *speeds(1.0, 0.99)], {"free"}),
        ("23-cure", [report([400.0], LATE), CURED, *speeds(1.2, 0.97)], {"free"}),
        ("23-cure", [report([400.0], LATE), CURED, *speeds(1.0, 0.8)], {"costs"}),
        ("23-cure", [report([400.0], LATE), report([380.0], command=POLLS), *speeds(1.0, 0.8)], {"stays"}),
        ("23-cure", [report([400.0], LATE), CURED_BY_C1, *speeds(1.0)], set()),  # other flags
        ("23-cure", [report([400.0], LATE), CURED, *speeds(0.5, command=C1)], set()),
        ("23-cure", [report([1.0]), CURED, *speeds(1.0)], set()),  # nothing to cure
        ("23-ecj", [report([1.0] * 10, LATE * 0)], {"hardly"}),
        ("23-ecj", [report([1.0] * 10, LATE * 1)], {"hardly"}),
        ("23-ecj", [report([1.0] * 10, LATE * 2)], {"some"}),
        ("23-ecj", [report([1.0] * 10, LATE * 8)], {"most"}),
        ("23-ecj", [report([1.0] * 10, LATE, after_ms=1)], set()),  # another limit
        ("23-ecj", [report([])], set()),
        ("23-silent", [HUNG], {"timeout", "agent", "kernel"}),
        ("23-silent", [report([])], set()),
    ],
)
def test_reports_show_their_outcome(name, results, keys):
    finding = classify(name, *results)
    assert finding.facts and finding.keys == keys


def test_scores_are_read_from_what_scimark_prints():
    lines = "Composite Score: 2800.85\nFFT (1024): 1964.23\nMonte Carlo : 1056.83\njava.version: 17.0.15\n"
    assert experiments.scores(report([], output=lines)) == {"FFT": 1964.23, "Monte Carlo": 1056.83}


def test_a_change_ranges_from_the_slowest_after_against_the_fastest_before_to_the_reverse_and_is_clear_without_0():
    table = experiments.changes(*speeds(1.0, 0.99, 0.5))
    assert experiments.clear(table) == {"K2": pytest.approx(-50)}
    ends = [100 * (0.5 * 99 / 101 - 1), -50, 100 * (0.5 * 101 / 99 - 1)]
    assert table.loc[2, ["low_percent", "percent", "high_percent"]].tolist() == pytest.approx(ends)
    single = experiments.changes(*(reports[:1] for reports in speeds(0.5)))
    assert single[["low_percent", "high_percent"]].isna().all(axis=None) and experiments.clear(single) == {}


def test_only_computations_that_both_settings_have_are_compared():
    table = experiments.changes(speeds(1.0, 1.0)[0], speeds(1.0)[1])
    assert table["name"].tolist() == ["K0"]


def test_a_script_for_jshell_is_a_file_that_a_command_line_can_name(monkeypatch, tmp_path):
    monkeypatch.setattr(experiments.home, "cache", lambda: tmp_path)
    path = experiments.write_script("\nint a = 1;\n/exit\n")
    assert path.endswith("crc.jsh") and (tmp_path / "late" / "crc.jsh").read_text() == "int a = 1;\n/exit\n"


@pytest.mark.live
@pytest.mark.parametrize(
    ("flag", "solves"),
    [("-XX:+UseG1GC", True), ("-XX:+UseParallelGC", False), ("-XX:+UseCountedLoopSafepoints", True)],
)
def test_a_flag_clears_scimark_if_its_loops_are_left_in_time(flag, solves):
    assert lessons.exercise("23-1").judge(flag).holds is solves


MINE = "result++; // only this method is yours to change"


@pytest.mark.live
@pytest.mark.timed
@pytest.mark.parametrize(
    ("statement", "solves"), [("java.util.Arrays.fill(data, (byte) result++);", True), ("result += 2;", False)]
)
def test_a_thread_may_be_late_without_a_loop_of_its_own(edited, statement, solves):
    assert lessons.exercise("23-2").judge(edited("23-2", MINE, statement)).holds is solves


@pytest.mark.parametrize("statement", ["for (int i = 0; i < 10; i++) result++;", "while (result++ < 9);", "work();"])
def test_a_loop_of_one_s_own_is_not_wanted(edited, statement):
    judged = lessons.exercise("23-2").judge(edited("23-2", MINE, statement))
    assert not judged.holds and "do without" in judged.does


def test_the_cause_is_a_word():
    judge = lessons.exercise("23-3").judge
    assert judge("stub").holds and judge(" Stub ").holds and not judge("pages").holds
    with pytest.raises(BadInput):
        judge(17)
