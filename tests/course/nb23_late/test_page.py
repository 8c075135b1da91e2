"""Page 23: which outcomes reports show, what solves its exercises and what does not; its picture of prices."""

from types import SimpleNamespace

import pandas as pd
import pytest
from matplotlib.colors import to_hex

from safepointlab.course import exercises, lessons
from safepointlab.course.nb23_late import answers, experiments, pictures
from safepointlab.errors import BadInput
from safepointlab.plot import _alternative, style
from tests.course.conftest import classify, graded

SERIAL = "java -XX:+UseSerialGC jnt.scimark2.commandline 0.4"
POLLS = SERIAL.replace("java", f"java {experiments.POLLS}")
C1 = SERIAL.replace("java", "java -XX:TieredStopAtLevel=1")
LATE = [(True, "ttsp")]


def report(waits=(), late_stops=(), output="", command=SERIAL, after_ms=30, gc="Serial"):
    plan = SimpleNamespace(words=tuple(command.split()), after_ms=after_ms, gc=gc)
    return SimpleNamespace(
        all_stops=pd.DataFrame({"waited_ms": list(waits)}, dtype=float),
        stops=pd.DataFrame(late_stops, columns=["over", "witnesses"]),
        output=output,
        plan=plan,
        jdk=SimpleNamespace(major=17),
    )


def speeds(*ratios, command=POLLS, gc="Serial"):
    """Two reports of each of two settings, within 1 %; the later scores of A, B, ... are these parts of the earlier."""

    def reports(parts, **settings):
        found = []
        for off in (0.99, 1.01):
            scores = [f"{name} : {100 * off * part:.3f}\n" for name, part in zip("ABCDE", parts, strict=False)]
            found.append(report(output="Composite Score: 5.00\n" + "".join(scores), **settings))
        return found

    return reports([1.0] * len(ratios)), reports(ratios, command=command, gc=gc)


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
    assert experiments.clear(table) == {"C": pytest.approx(-50)}
    ends = [100 * (0.5 * 99 / 101 - 1), -50, 100 * (0.5 * 101 / 99 - 1)]
    assert table.loc[2, ["low_percent", "percent", "high_percent"]].tolist() == pytest.approx(ends)
    single = experiments.changes(*(reports[:1] for reports in speeds(0.5)))
    assert single[["low_percent", "high_percent"]].isna().all(axis=None) and experiments.clear(single) == {}


def test_only_computations_that_both_settings_have_are_compared():
    table = experiments.changes(speeds(1.0, 1.0)[0], speeds(1.0)[1])
    assert table["name"].tolist() == ["A"]


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
    assert graded("23-1", flag).holds is solves


@pytest.mark.parametrize(
    ("where", "thread", "causes", "stops", "verdict"),
    [
        ("SOR::execute:35", "main", ["counted loop"], 5, "in 1 place without a poll"),
        ("SOR::execute:35", "main", ["counted loop"], 30, "doesn't decide"),  # a single one of so many
        ("SOR::execute:35", "main", ["cpu"], 5, "but not for a loop"),
        ("SOR::execute:35", "main", ["not known"], 5, "doesn't decide"),
        ("", "main", [], 5, "doesn't decide"),  # named by the JVM, and never sampled
        ("", None, [], 5, "doesn't decide"),
        ("", "no thread of the program: the VM thread itself had no CPU", [], 5, "but not for a loop"),
    ],
)
def test_a_late_stop_solves_the_first_exercise_only_if_it_is_known_that_no_loop_was_to_blame(
    monkeypatch, where, thread, causes, stops, verdict
):
    late = SimpleNamespace(
        all_stops=pd.DataFrame({"waited_ms": [0.1] * (stops - 1) + [90.0]}),
        stops=pd.DataFrame({"where": [where], "thread": [thread]}).convert_dtypes(),
        culprits=pd.DataFrame({"cause": pd.Series(causes, dtype="string")}),
    )
    monkeypatch.setattr(answers, "late", lambda *_, **__: late)
    monkeypatch.setattr(experiments, "command", lambda flags: flags)
    judged = exercises.judged(lessons.exercise("23-1"), "-XX:+UseG1GC")
    assert judged.solved == (verdict == "but not for a loop") and verdict in judged.says


MINE = "result++; // only this method is yours to change"


@pytest.mark.live
@pytest.mark.timed
@pytest.mark.parametrize(
    ("statement", "solves"), [("java.util.Arrays.fill(data, (byte) result++);", True), ("result += 2;", False)]
)
def test_a_thread_may_be_late_without_a_loop_of_its_own(edited, statement, solves):
    assert graded("23-2", edited("23-2", MINE, statement)).holds is solves


@pytest.mark.parametrize("statement", ["for (int i = 0; i < 10; i++) result++;", "while (result++ < 9);", "work();"])
def test_a_loop_of_one_s_own_is_not_wanted(edited, statement):
    judged = graded("23-2", edited("23-2", MINE, statement))
    assert not judged.holds and "do without" in judged.does


def test_the_cause_is_a_word():
    judge = lessons.exercise("23-3").judge
    assert judge("stub").holds and judge(" Stub ").holds and not judge("pages").holds
    with pytest.raises(BadInput):
        judge(17)


def test_the_first_computation_is_at_the_top_with_its_number_and_a_mark_is_full_if_its_range_leaves_out_zero():
    ax = pictures.changes(*speeds(1.02, 0.85, 1.0))
    assert [label.get_text() for label in ax.get_yticklabels()] == ["C", "B", "A"]
    assert [text.get_text() for text in ax.texts] == ["+2 %", "−15 %", "0 %"]
    marks = [container.lines[0] for container in ax.containers]  # type: ignore[attr-defined]
    assert [to_hex(mark.get_markerfacecolor()).upper() != style.PAPER for mark in marks] == [False, True, False]


POLLED = "JDK 17, Serial, with polls"


@pytest.mark.parametrize("count", [1, 4])
def test_a_single_run_of_each_setting_has_a_hollow_mark_also_if_a_replay_plays_it_again_and_again(title, count):
    ax = pictures.changes(*([reports[0]] * count for reports in speeds(0.5)))
    assert to_hex(ax.containers[0].lines[0].get_markerfacecolor()).upper() == style.PAPER  # type: ignore[attr-defined]
    assert title(ax) == f"{POLLED}: one run each, so no change is certain"


@pytest.mark.parametrize(
    ("reports", "found"),
    [
        (speeds(1.0, 0.8), f"{POLLED}: B −20 %; no clear change in the other 1"),
        (speeds(0.9, 0.8, 1.05), f"{POLLED}: B −20 %, A −10 %, 1 more"),
        (
            speeds(0.9, 0.8, 1.3, 0.5, 1.0),
            f"{POLLED}: D −50 %, C +30 %, 2 more; no clear change in the other 1",
        ),
        (speeds(1.0, 1.0), f"{POLLED}: no change is certain in any of the 2"),
        (speeds(0.5, command=C1), "JDK 17, Serial, the later runs: A −50 %"),
        (speeds(0.5, gc="G1"), "with polls: A −50 %"),  # not all had one collector
        (speeds(), "No speed of SciMark's was printed"),
    ],
)
def test_the_title_names_the_computations_that_are_slower_or_faster_and_under_which_condition(title, reports, found):
    assert title(pictures.changes(*reports)) == found


def test_what_is_no_report_is_refused():
    with pytest.raises(BadInput, match=r"int isn't a report of lab\.late"):
        pictures.changes([1], [2])


def test_the_picture_in_words_has_the_finding_and_the_numbers():
    words = _alternative.of(pictures.changes(*speeds(1.0, 0.85)).figure).replace("\N{NO-BREAK SPACE}", " ")
    assert "B −15 %; no clear change in the other 1" in words and "change of speed (and its range): A 0 % (" in words
