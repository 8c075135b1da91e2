"""A recorded run -> the same report again, as text, JSON and HTML."""

import json
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from safepointlab.culprit import loops
from safepointlab.culprit.command import Plan
from safepointlab.culprit.report import LINES_NOTE, Late
from safepointlab.logs import bytecode

RECORDED = Path(__file__).parent.parent / "data" / "late"
PLAN = Plan.load(RECORDED / "scimark-17")


@pytest.mark.parametrize("name", ["scimark-8", "scimark-11", "scimark-17", "scimark-25"])
def test_a_recorded_run_tells_thread_method_and_line_again(name):
    late = Late(RECORDED / name, replace(Plan.load(RECORDED / name), fate="exit status 0"))
    expected = json.loads((RECORDED / name / "expected.json").read_text("utf-8"))
    worst = late.stops.iloc[0]
    assert {"stops": len(late.stops), "thread": worst["thread"], "where": worst["where"]} == expected
    assert set(late.stops["thread"]) == {"main"}
    assert "timeout" in worst["witnesses"] and "ttsp" in worst["witnesses"]


def test_of_code_without_exact_lines_the_loop_of_its_own_method_is_told_and_not_that_of_its_caller(monkeypatch):
    """The JVM ran already when we attached; async-profiler says line 6, where no loop is, for the loop in 7 and 8."""
    folder = RECORDED / "attached-17"
    monkeypatch.setattr(loops, "class_code", lambda *_: bytecode.read(folder / "Billing.javap"))
    report = str(Late(folder, Plan.load(folder)))
    assert "for nightly-billing in billing.Billing::total (probably a counted loop, lines 7 to 8)." in report
    assert "loop: counted by an int, lines 7 to 8\n" in report and "UseCountedLoopSafepoints" in report
    assert "in caller" not in report and "total:6" not in report and "line 6" not in report
    assert "dontinline" not in report  # the loop calls nothing


def test_what_threads_do_is_told_of_a_jvm_that_runs_on_without_a_deadline(tmp_path):
    dump = '"poller" #8 prio=5 tid=0x7 nid=0x10 runnable [0x0]\n\tat Odd.spin(Odd.java:7)\n'
    hang = {"dumps": [dump, dump], "wants": {"16": 99.0}, "names": {}}
    (tmp_path / "watch.json").write_text(json.dumps({"hangs": {"4711": hang}}))
    plan = replace(PLAN, kind="running", pid=4711, counted="2 stops.")
    verdict = Late(tmp_path, plan).verdict
    assert verdict == "In its thread dumps, poller spins in Odd.spin (Odd.java:7), 99 % of a CPU. 2 stops."
    (tmp_path / "watch.json").write_text(json.dumps({"hangs": {"4711": hang | {"wants": {}}}}))
    idle = Late(tmp_path, plan)
    assert idle.verdict.startswith("2 stops. Its JVM answers, and ") and "deadline" not in idle.verdict
    assert idle.advice == {}


NOON_S = 1_795_780_800.0  # in UTC
SPIN = '"poller" #8 prio=5 tid=0x7 nid=0x10 runnable [0x0]\n\tat Odd.spin(Odd.java:7)\n'


@pytest.fixture
def unlogged(tmp_path, sampled):
    """unlogged(waits, samples): the report on an 8 that waited so (when it was over, ms), examined 5 s after noon."""

    def report(waits, samples, **settings):
        hang = {"dumps": [SPIN, SPIN], "wants": {"16": 99.0}, "names": {}}
        own = [[NOON_S + at_s, waited_ms] for at_s, waited_ms in waits]
        watch = {"hangs": {"7": hang}, "waits": {"7": own}, "examined_s": NOON_S + 5}
        (tmp_path / "watch.json").write_text(json.dumps(watch))
        sampled("poller", 16, "Odd.spin", 7, samples)
        return Late(tmp_path, replace(PLAN, kind="running", jdk_major=8, pid=7, counted="2 stops.", **settings))

    return report


def test_what_was_sampled_in_our_own_dump_or_in_a_short_wait_makes_no_thread_late(unlogged):
    late = unlogged([(1.0, 0.2), (2.0, 3.0)], [0.9999, 1.998, 1.999, 2.0, 5.1, 5.101, 5.102, 5.103])
    assert late.culprits.empty and late.stops.empty
    assert late.verdict.startswith("In its thread dumps, poller spins in Odd.spin (Odd.java:7), 99 % of a CPU. 2 stops")
    assert list(late.advice) == ["spinning: Odd.spin"]
    assert late.witnesses.set_index("witness").loc["ttsp", "times"] == 4


def test_who_ran_through_a_long_wait_of_an_unlogged_jvm_is_late_there_and_no_dump_outdoes_that(unlogged):
    late = unlogged([(1.0, 0.2), (2.0, 60.0)], [1.95, 1.96, 1.97, 1.98, 5.1])
    assert late.verdict.startswith("2 stops. 1 stop waited 20 ms or more, the worst 60.0 ms: for poller in Odd::spin")
    assert "thread dumps" not in late.verdict and "spinning" not in str(late.advice)
    assert "  60.0       poller  Odd::spin" in str(late)
    assert "      4 stacks in 1 stop, worst wait 60 ms, told by ttsp\n" in str(late)


@pytest.mark.parametrize("samples", [[], [1.99]])
def test_a_thread_that_had_no_cpu_in_a_long_wait_does_not_hide_the_one_that_spins(unlogged, samples):
    late = unlogged([(2.0, 60.0)], samples)
    assert len(late.stops) == 1 and "spinning: Odd.spin" in late.advice
    assert late.verdict.startswith("In its thread dumps, poller spins in Odd.spin (Odd.java:7), 99 % of a CPU. 2 stops")


@pytest.mark.parametrize(("settings", "samples"), [({"witnesses": ("log",)}, []), ({"sample_ms": 5}, [1.96, 1.98])])
def test_where_no_witness_would_have_seen_who_was_late_the_thread_that_spins_comes_second(unlogged, settings, samples):
    late = unlogged([(2.0, 60.0)], samples, **settings)
    assert late.verdict.startswith("2 stops. 1 stop waited 20 ms or more, the worst 60.0 ms: for a thread that ")
    assert ". Its JVM answers, and two thread dumps show what its threads do: poller spins in " in late.verdict


def test_the_note_on_the_lines_of_late_threads_is_told_only_where_one_was_late(tmp_path):
    folder = RECORDED / "attached-17"
    plan = replace(Plan.load(folder), notes=(LINES_NOTE,))
    assert LINES_NOTE in str(Late(folder, plan)) and LINES_NOTE not in str(Late(tmp_path, plan))


@pytest.mark.parametrize(
    ("kind", "absent", "says"),
    [
        (
            "running",
            {"ttsp": "cannot fetch it"},
            ["start the program with `safepoint late", "thread and line: cannot fetch"],
        ),
        ("java", {}, ["thread and line: it was not asked"]),
    ],
)
def test_where_no_witness_names_a_thread_the_table_has_no_empty_column_and_the_advice_is_how_to_see_it(
    tmp_path, kind, absent, says
):
    attached = RECORDED / "attached-17"
    log = next(attached.glob("safepoint-*.log"))
    (tmp_path / log.name).write_bytes(log.read_bytes())
    late = Late(
        tmp_path, replace(Plan.load(attached), kind=kind, witnesses=("log",), absent=absent, notes=(LINES_NOTE,))
    )
    assert late.worst[0] == ("at s", "UTC", "waited ms", "operation") and all(map(all, late.worst))
    [steps] = late.advice.values()
    assert all(each in step for each, step in zip(says, steps, strict=True))
    assert "\n\nWhat to do\n" in str(late) and LINES_NOTE not in str(late)


def test_a_cause_that_is_not_known_since_we_came_late_says_so():
    folder = RECORDED / "attached-17"  # its classes are not here, so nobody can look for loops
    assert "cause not known, since its code was compiled before we attached" in Late(folder, Plan.load(folder)).verdict


def test_a_report_is_the_same_as_text_json_and_html():
    late = Late(RECORDED / "scimark-17", replace(PLAN, fate="exit status 0"))
    assert late.verdict in str(late) and late.verdict in late._repr_html_()
    data = json.loads(json.dumps(late.to_dict()))
    assert data["stops"][0]["where"] == late.stops.iloc[0]["where"] and data["after_ms"] == 20


def test_threads_of_one_name_in_one_place_are_told_of_once():
    late = Late(RECORDED / "scimark-17", replace(PLAN, fate="exit status 0"))
    before = str(late).count("native id")
    late.culprits = pd.concat([late.culprits, *[late.culprits.head(1).assign(tid=tid) for tid in (1, 2)]])
    assert str(late).count("native id") == before and "2 more threads of that name in the same place" in str(late)


def test_the_tool_of_the_jdk_that_ran_is_named_without_its_folder():
    plan = replace(PLAN, words=(f"{PLAN.jdk_home}/bin/java", "-Xint", "Main"))
    assert str(Late(RECORDED / "scimark-17", plan)).startswith("safepoint late: java -Xint Main\nJDK 17")


def test_a_witness_that_cannot_speak_has_no_number_but_a_reason():
    late = Late(RECORDED / "scimark-17", PLAN)
    witnesses = late.witnesses.set_index("witness")
    assert witnesses["times"].isna().tolist() == [name == "latency" for name in witnesses.index]
    assert "JDK 25" in witnesses.loc["latency", "said"] and witnesses.loc["timeout", "times"] == len(late.stops)


@pytest.mark.parametrize(
    ("waited_ms", "says"),
    [
        (384, "1 stack in 1 stop, worst wait 384 ms, told by latency"),
        (0, "1 stack in 0 stops, up to 646 ms from an interrupt by JFR's sampler to its next poll, told by latency"),
    ],
)
def test_a_wait_of_jfrs_sampler_counts_as_long_as_the_stop_that_it_overlaps(tmp_path, waited_ms, says):
    frame = {
        "method": {"type": {"name": "Odd"}, "name": "spin"},
        "lineNumber": 7,
        "bytecodeIndex": 0,
        "type": "Inlined",
    }
    event = {"startTime": "2026-11-27T12:00:01.000Z", "duration": "PT0.646S", "stackTrace": {"frames": [frame]}}
    event["eventThread"] = {"osName": "poller", "osThreadId": 16, "javaName": "poller", "javaThreadId": 1}
    events = {"recording": {"events": [{"type": "jdk.SafepointLatency", "values": event}]}}
    (tmp_path / "latency-7.jdk.SafepointLatency.json").write_text(json.dumps(events))
    phases = f"Time since last: 1 ns, Reaching safepoint: {waited_ms}000000 ns, At safepoint: 0 ns, "
    line = f'[2026-11-27T12:00:01.600+0000][1.600s][info][safepoint] Safepoint "Cleanup", {phases}'
    (tmp_path / "safepoint-7.log").write_text(f"{line}Total: {waited_ms}000000 ns\n")
    late = Late(tmp_path, replace(PLAN, witnesses=("log", "latency")))
    assert f"      {says}\n" in str(late)
    assert waited_ms or late.verdict.endswith("646 ms from an interrupt by JFR's sampler to its next poll.")


def test_a_run_without_a_log_says_so_and_invents_nothing(tmp_path):
    late = Late(tmp_path, replace(PLAN, fate="exit status 1"))
    assert "No JVM wrote a log" in late.verdict and late.stops.empty and late.culprits.empty and str(late)


@pytest.mark.parametrize(
    ("fate", "said"),
    [("exit status 0 after 0.7 s", "nothing to say"), ("still running after 4 s, ended by us", "lost: the JVM did")],
)
def test_a_profile_without_a_sample_is_lost_only_if_the_jvm_did_not_end_by_itself(tmp_path, fate, said):
    witnesses = Late(tmp_path, replace(PLAN, fate=fate)).witnesses.set_index("witness")
    assert witnesses.loc["ttsp", "said"].startswith(said)
