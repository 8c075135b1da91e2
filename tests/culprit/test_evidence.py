"""What the witnesses left in a folder -> the late thread of each stop, and what else made the program slow."""

import json

import pandas as pd
import pytest

from safepointlab.culprit.command import Plan
from safepointlab.culprit.report import Late
from safepointlab.culprit.watch import FILE
from safepointlab.culprit.witness import WITNESSES

STOP = (
    '[2026-11-27T12:00:{at:06.3f}+0000][{at:.3f}s][info][safepoint] Safepoint "{operation}", Time since last: 9 '
    "ns, Reaching safepoint: {waited}000000 ns, At safepoint: {held}000000 ns, Leaving safepoint: {leaving}000000 ns, "
    "Total: {total}000000 ns\n"
)
NAMES = (
    "{stamp}# SafepointSynchronize::begin: Timeout detected:\n{stamp}# SafepointSynchronize::begin: Timed out while "
    "{why}.\n{stamp}# SafepointSynchronize::begin: Threads which did not reach the safepoint:\n{threads}"
    "{stamp}# SafepointSynchronize::begin: (End of list)\n"
)
STAMP = "[2026-11-27T12:00:{at:06.3f}+0000][{at:.3f}s][warning][safepoint] "
THREAD = '{stamp}# "{name}" #{tid} [{tid}] daemon prio=5 cpu=1.00ms tid=0x00007f2b7c08d9c0 nid={tid} runnable  [0x0]\n'
CARRIER = THREAD.replace(" nid={tid} runnable", "") + "{stamp}   Carrying virtual thread #17\n"


def stop(at, waited, operation="ThreadDump", held=0, leaving=0):
    """The line of a stop that began so many seconds after the JVM's start; the line is written at its end."""
    total = waited + held + leaving
    times = {"waited": waited, "held": held, "leaving": leaving, "total": total}
    return STOP.format(at=at + total / 1000, operation=operation, **times)


def names(at, *threads, form=THREAD):
    """The lines by which the JVM names late threads at this uptime."""
    stamp = STAMP.format(at=at)
    lines = "".join(form.format(stamp=stamp, name=name, tid=tid) for name, tid in threads)
    return NAMES.format(stamp=stamp, why="spinning to reach a safepoint", threads=lines)


def row_of_8(at, waited):
    return (
        f"{at:.3f}: ThreadDump     [    8       1       1    ]      [   {waited}     0   {waited}     0     0    ]  1\n"
    )


def names_of_8(why, *threads):
    form = '# "{name}" #{tid} daemon prio=5 os_prio=0 tid=0x00007f37802ed800 nid={tid:#x} runnable [0x0]\n'
    return NAMES.format(stamp="", why=why, threads="".join(form.format(name=name, tid=tid) for name, tid in threads))


@pytest.fixture
def late(tmp_path):
    """late(log, watch, major): the report of one JVM, 7, with this log of stops, and what was seen from outside."""

    def report(log, watch=None, major=25, later=(), witnesses=tuple(WITNESSES)):
        (tmp_path / ("vm-pid7.log" if major < 9 else "safepoint-7.log")).write_text(log)
        (tmp_path / FILE).write_text(json.dumps({"sightings": [], "waited_s": {}} | (watch or {})))
        words = ("java", "Main")
        plan = Plan(words, "java", "/jdk", major, str(major), "Serial", 20, witnesses, {}, (), (), later=later)
        return Late(tmp_path, plan)

    return report


def seen(witness, tid, text, number=1, frames=()):
    """What a witness from outside saw of a thread in the number-th stop of which the JVM named threads."""
    return {
        "witness": witness,
        "pid": 7,
        "tid": tid,
        "thread": "codec",
        "stop": number,
        "text": text,
        "frames": frames,
    }


def test_an_endless_stop_right_after_a_long_one_keeps_its_own_names(late):
    log = names(1.020, ("nightly-sum", 8)) + stop(1.0, 305) + names(1.330, ("forecast", 9))
    stops = late(log, {"waited_s": {"7": 3.0}}).stops
    assert stops[["thread", "over"]].values.tolist() == [["forecast", False], ["nightly-sum", True]]


def test_names_without_a_time_belong_to_long_stops_in_their_order_and_the_last_to_one_that_has_no_line(late, tmp_path):
    listed = [
        names_of_8("spinning to reach a safepoint", (name, number)) for number, name in enumerate(("a", "b", "c"))
    ]
    (tmp_path / "vm-pid7.log").write_text("".join(listed))  # 9 to 16 name threads in a log of its own
    log = stop(1.0, 4) + stop(2.0, 797) + stop(4.0, 585)
    stops = late(log, major=11).stops
    assert stops[["thread", "waited_ms"]].values.tolist() == [["a", 797.0], ["b", 585.0]]


def test_a_carrier_is_named_with_the_virtual_thread_that_it_carries(late):
    report = late(names(1.020, ("ForkJoinPool-1-worker-1", 629), form=CARRIER) + stop(1.0, 305))
    assert report.stops[["thread", "virtual", "tid"]].values.tolist() == [
        ["ForkJoinPool-1-worker-1", "virtual thread #17", 629]
    ]
    assert "ForkJoinPool-1-worker-1, which carries virtual thread #17," in report.verdict


BLOCKING = "waiting for threads to stop"


@pytest.mark.each(
    ("why", "threads", "sightings", "thread"),
    [
        (BLOCKING, ["Async-profiler Timer", "builder"], [], "builder"),
        (BLOCKING, ["acceptor", "builder"], [(1, "kernel", "sleeping, with 0 % of a CPU: poll")], "builder"),
        (BLOCKING, ["acceptor", "builder"], [(1, "agent", "3 Java frames, IN_NATIVE")], "builder"),
        (BLOCKING, ["acceptor", "builder"], [], "one of acceptor, builder"),  # nothing decides: no guess
        (
            "spinning to reach a safepoint",
            ["sleeper"],
            [(1, "kernel", "sleeping, with 0 % of a CPU: nanosleep")],
            "sleeper",
        ),
    ],
)
def test_a_thread_in_native_code_or_of_our_profiler_is_no_suspect_on_8(late, why, threads, sightings, thread):
    log = names_of_8(why, *((name, number) for number, name in enumerate(threads, 1))) + row_of_8(1.0, 900)
    watch = {"sightings": [seen(witness, tid, text) for tid, witness, text in sightings]}
    assert late(log, watch, 8).stops["thread"].tolist() == [thread]


def test_a_late_thread_that_sleeps_in_java_makes_a_critical_call(late):
    frames = [["CriticalCall::encode", -1, 10, "JIT compiled"], ["CriticalCall::run", -1, 16, "JIT compiled"]]
    sightings = [seen("kernel", 8, "sleeping, with 0 % of a CPU: hrtimer_nanosleep")]
    sightings += [seen("agent", 8, "no Java frame, _thread_in_java"), seen("dump", 8, "2 Java frames", frames=frames)]
    report = late(names(1.020, ("codec", 8)) + stop(1.0, 900), {"sightings": sightings})
    assert report.verdict.endswith("the worst 900 ms: for codec in CriticalCall::encode:10 (critical call).")
    assert list(report.advice) == ["critical call: CriticalCall::encode"]


def test_a_place_of_another_stop_is_not_told_as_that_of_the_worst(late):
    frames = [["Forecast::forever", 7, 5, "JIT compiled"]]
    log = names(1.020, ("codec", 8)) + stop(1.0, 900) + names(3.020, ("codec", 8)) + stop(3.0, 500)
    verdict = late(log, {"sightings": [seen("agent", 8, "1 Java frame", number=2, frames=frames)]}).verdict
    place = "which no witness saw in this stop, but in another in Forecast::forever:5"
    assert f"the worst 900 ms: for codec, {place} (" in verdict
    own = late(log, {"sightings": [seen("agent", 8, "1 Java frame", number=1, frames=frames)]}).verdict
    assert "the worst 900 ms: for codec in Forecast::forever:5 (" in own


@pytest.mark.each(
    ("line", "said"),
    [
        (stop(1.0, 1, held=1337), "stood still for 1,338 ms at 1.0 s: its operation, ThreadDump, took 1,337 ms."),
        (stop(1.0, 1, held=2, leaving=1122), "leaving it, until all threads were released, took 1,122 ms"),
        (stop(1.0, 1, held=2), "none of 1 stops waited 20 ms or more."),
        (
            stop(1.0, 1, held=900) + stop(3.0, 1, held=300, operation="G1CollectFull") + stop(4.0, 1, held=600),
            "took 900 ms; 3 of 3 stops took 20 ms or more after their threads had stopped (ThreadDump: 2, "
            "G1CollectFull: 1).",
        ),
    ],
)
def test_a_stop_that_is_long_though_nobody_was_late_is_told_with_its_operation(late, line, said):
    verdict = late(line).verdict
    assert verdict.startswith("No thread was late") and verdict.partition(" (the op")[0].endswith(said)


@pytest.mark.each(
    ("line", "advised"),
    [
        (stop(1.0, 1, held=1337), True),
        (stop(1.0, 1, held=1337, operation="G1CollectFull"), False),
        (stop(1.0, 1, held=2, leaving=1122), False),  # the dump was over soon
    ],
)
def test_a_long_thread_dump_is_advised_against(late, line, advised):
    steps = late(line).advice
    assert ("thread dump: all threads" in steps) == advised


SPINS = '"poller" #8 prio=5 tid=0x7 nid=0x10 runnable [0x0]\n\tat {method}(Odd.java:7)\n'
LOCKED = (
    '"a" #8 prio=5 tid=0x7 nid=0x10 waiting for monitor entry [0x0]\n\tat Bank.pay(Bank.java:5)\n\n'
    'Found one Java-level deadlock:\n====\n"a":\n  which is held by "a"\n\nJava stack information\n'
)


@pytest.mark.each(
    ("log", "dump", "begins", "advised"),
    [
        (
            "",
            SPINS.format(method="Odd.spin"),
            "In its thread dumps, poller spins in Odd.spin (",
            ["spinning: Odd.spin"],
        ),
        (stop(1.0, 1), LOCKED, "In its thread dumps, a deadlock: a in Bank.pay (", ["deadlock: Bank.pay"]),
        (stop(1.0, 900), LOCKED, "1 stop of 1 waited 20 ms or more", ["deadlock: Bank.pay"]),
        (stop(1.0, 900), SPINS.format(method="Odd.spin"), "1 stop of 1 waited 20 ms or more", []),  # perhaps for it
        (stop(1.0, 1), SPINS.format(method="java.util.Odd.get"), "No thread was late", []),  # in no loop of its own
    ],
)
def test_what_thread_dumps_show_comes_first_where_no_thread_was_late_and_has_its_advice(
    late, log, dump, begins, advised
):
    hangs = {"7": {"dumps": [dump, dump], "wants": {"16": 99.0}, "names": {}}}
    report = late(log, {"hangs": hangs})
    assert report.verdict.startswith(begins) and list(report.advice) == advised
    assert ("No thread was late: no stop was requested." in report.verdict) is (log == "")
    assert report.verdict.count("poller spins") == report.verdict.count("poller")
    assert ("What to do" in str(report)) is bool(advised)


def test_a_long_operation_is_told_on_8_too_which_logs_no_sum(late):
    row = "4.679: ThreadDump    [   258      0      0    ]      [     0     0     0    38   602    ]  0\n"
    verdict = late(row, major=8).verdict
    assert "The program stood still for 640 ms at 4.7 s: its operation, ThreadDump, took 602 ms" in verdict


@pytest.mark.each(("operation", "is_told"), [("no vm operation", False), ("Exit", False), ("ThreadDump", True)])
def test_the_stop_in_which_a_jvm_of_8_ends_is_no_pause_of_the_program(late, operation, is_told):
    row = f"5.648: {operation}    [   9      1      1    ]      [     0     0     0     0   313    ]  0\n"
    assert ("stood still" in late(row_of_8(1.0, 2) + row, major=8).verdict) is is_told
    assert "stood still for 313 ms" in late(row + row_of_8(7.0, 2), major=8).verdict  # not the last


def test_too_few_cores_are_told_by_what_the_threads_wanted_and_got(late):
    demand = {"7": [[1_795_780_801.0 + second, 40.0, 1.0, 0.9] for second in range(3)]}
    verdict = late(stop(1.0, 1, leaving=1122), {"demand": demand}).verdict
    assert "wanted 40.0 CPUs and got 1.0" in verdict and "the VM thread itself queued for up to 90%" in verdict


def test_a_stop_without_a_time_tells_no_second_of_demand(late):
    report = late(stop(1.0, 689) + names(9.020, ("forecast", 8)), {"demand": {"7": [[1_795_780_801.0, 3.0, 2.0, 0.5]]}})
    stops = pd.DataFrame({"time": [pd.NaT, pd.Timestamp("2026-11-27T12:00:01Z")], "waited_ms": [5.0, 689.0]})
    assert len(report.evidence.demand(7, stops)) == len(report.evidence.demand(7, stops[1:])) == 1
    assert len(report.evidence.demand(7, stops[:1])) == 1  # all there is


def test_of_threads_that_have_no_cpu_the_late_one_is_chance(late):
    demand = {"7": [[1_795_780_801.0 + second, 40.0, 1.0, 0.0] for second in range(3)]}
    log = names(1.020, ("busy-7", 8)) + stop(1.0, 689)
    verdict = late(log, {"demand": demand}).verdict
    assert "the worst 689 ms: for a thread that had no CPU, and that may be any: this time busy-7." in verdict
    assert "the worst 689 ms: for busy-7." in late(log).verdict


def test_of_a_stop_that_never_ended_the_time_in_which_we_examined_the_jvm_is_told(late):
    watch = {"waited_s": {"7": 10.0}, "examinations": [[7, "agent", 1_795_780_810.0, 1_795_780_815.5]]}
    verdict = late(names(1.020, ("forecast", 8)), watch).verdict
    assert (
        "after 10020 ms (5500 ms of it while we examined the JVM) the JVM still waited for the thread forecast."
        in verdict
    )


def test_the_examination_at_the_deadline_is_no_part_of_a_wait_that_was_measured_before(late):
    begin_s = 1_795_780_811.0
    watch = {"waited_s": {"7": 10.0}, "examined_s": begin_s, "examinations": [[7, "agent", begin_s, begin_s + 5]]}
    report = late(names(1.020, ("forecast", 8)), watch)
    assert report.verdict.startswith(
        "The only safepoint was never reached: after 10020 ms the JVM still waited for the thread forecast."
    )
    assert report.evidence.stops["examined_ms"].tolist() == [0.0]
    assert report.worst[1][:2] == ("1.000", f"{pd.Timestamp(begin_s - 10.02, unit='s'):%H:%M:%S}")


@pytest.mark.parametrize(("last_s", "advised"), [(9.0, True), (2.0, False)])
def test_late_stops_that_add_up_to_little_explain_no_long_delay(late, last_s, advised):
    report = late(names(1.020, ("busy-7", 8)) + stop(1.0, 300) + stop(last_s, 1))
    assert any("look at locks" in note for note in report.notes) is advised


def test_a_thread_that_got_a_cpu_during_its_long_wait_is_no_chance(late):
    demand = {"7": [[1_795_780_801.0 + second, 1.7, 0.5, 0.0] for second in range(9)]}
    verdict = late(names(1.020, ("forecast", 8)), {"demand": demand, "waited_s": {"7": 4.0}}).verdict
    assert "was never reached: after 4020 ms the JVM still waited for the thread forecast." in verdict


def test_of_a_late_thread_without_a_java_frame_gdb_tells_what_it_saw(late):
    sightings = [seen("agent", 8, "no Java frame, _thread_in_java"), seen("native", 8, "memchr < Linker::call")]
    verdict = late(names(1.020, ("codec", 8)) + stop(1.0, 900), {"sightings": sightings}).verdict
    assert verdict.endswith("the worst 900 ms: for codec, of whose stack gdb saw: memchr < Linker::call.")


def test_a_used_up_quota_is_told_and_is_the_cause_of_a_polite_thread(late, tmp_path):
    report = late(stop(1.0, 1, leaving=72), {"quota": {"7": [41, 39, 1.4]}})
    assert "used up in 39 of 41 periods (cpu.stat of its cgroup)" in report.verdict
    assert list(report.advice) == ["quota: all threads"]
    assert "quota" not in late(stop(1.0, 1, leaving=72), {"quota": {"7": [41, 2, 0.1]}}).verdict


def test_a_vm_thread_that_stood_still_is_told_with_what_it_waited_for(late):
    waits = [[1_795_780_801.0 + number / 20, "anon_pipe_write"] for number in range(19)]
    verdict = late(stop(1.0, 1, held=900), {"vm_waits": {"7": waits}}).verdict
    assert "In 19 looks, 50 ms apart, the VM thread itself stood still in the kernel's anon_pipe_write: it" in verdict
    assert "full and isn't read, such as its own log" in verdict
    assert "VM thread" not in late(stop(1.0, 1, held=900), {"vm_waits": {"7": waits[:2]}}).verdict


def test_an_aot_cache_is_said_with_the_run(late):
    started = {"aot_cache": "app.aot", "command": "Main"}
    assert " · with the AOT cache app.aot" in str(late(stop(1.0, 1), {"started": {"7": started}}))
    refused = late(stop(1.0, 1), {"started": {"7": started | {"aot_cache_used": False}}})
    assert "without its AOT cache app.aot, which it did not take" in str(refused)
    assert "AOT cache" not in str(late(stop(1.0, 1)))


@pytest.mark.each(
    ("witnesses", "said"),
    [
        (("log",), "for a thread that only timeout or ttsp could name."),
        (("log", "timeout"), "for no thread of the program: the VM thread itself had no CPU."),
    ],
)
def test_that_the_vm_thread_had_no_cpu_is_said_only_if_a_late_thread_would_have_been_named(late, witnesses, said):
    demand = {"7": [[1_795_780_801.0 + second, 3.0, 2.0, 0.9] for second in range(3)]}
    assert late(stop(1.0, 900), {"demand": demand}, witnesses=witnesses).verdict.endswith(said)


def test_a_wait_that_we_made_longer_is_not_the_worst_and_our_own_dump_is_no_stop_of_the_program(late):
    noon_s = 1_795_780_800.0
    examinations = [[7, "agent", noon_s + 1.1, noon_s + 2.9], [7, "dump", noon_s + 1.0, noon_s + 3.5]]
    log = names(1.020, ("codec", 8)) + stop(1.0, 2000) + stop(3.2, 700, "PrintThreads")
    log += names(5.020, ("codec", 8)) + stop(5.0, 650) + stop(6.0, 30, "PrintThreads")
    report = late(log, {"examinations": examinations})
    assert report.stops["waited_ms"].tolist() == [650.0, 2000.0, 30.0] and len(report.all_stops) == 3
    assert "the worst 650 ms: for codec" in report.verdict
    assert "\n  of the wait of 2000.0 ms, 1800 ms passed while we examined the JVM\n" in str(report)
    alone = late(names(1.020, ("codec", 8)) + stop(1.0, 2000), {"examinations": examinations})
    assert "the worst 2000 ms (1800 ms of it while we examined the JVM): for codec" in alone.verdict


def test_a_stop_that_began_after_the_examination_at_the_deadline_is_ours(late):
    log = names(1.020, ("forecast", 8)) + stop(1.0, 9000) + names(10.120, ("SIGTERM handler", 9))
    examined = {"waited_s": {"7": 0.1}, "examined_s": 1_795_780_808.0}
    assert late(log, examined).stops["thread"].tolist() == ["forecast"]


def test_samples_of_our_own_stops_are_no_evidence_and_those_of_the_programs_are(late, sampled):
    noon_s = 1_795_780_800.0
    examined = {"examinations": [[7, "dump", noon_s + 2.9, noon_s + 3.8]], "examined_s": noon_s + 8.0}
    sampled("codec", 8, "Odd.count", 7, [1.1, 1.2, 3.25, 3.5, 8.2, 8.3])
    log = stop(1.0, 2000) + stop(3.2, 500, "PrintThreads") + stop(8.1, 400, "PrintThreads")
    report = late(log, examined, witnesses=("log", "ttsp"))
    assert report.culprits[["method", "samples", "stops"]].to_numpy().tolist() == [["Odd::count", 2, 1]]
    assert report.witnesses.set_index("witness").loc["ttsp", "times"] == 2
    assert late(log, witnesses=("log", "ttsp")).culprits["samples"].tolist() == [6]


def test_on_8_too_whose_log_has_its_time_of_day_in_the_head_alone(late):
    head = "<?xml version='1.0' encoding='UTF-8'?>\n<hotspot_log version='160 1' process='7' time_ms='1795780800000'>\n"
    rows = row_of_8(1.0, 650) + row_of_8(8.1, 900)
    assert late(head + rows, {"examined_s": 1_795_780_808.0}, major=8).stops["waited_ms"].tolist() == [650.0]
    assert len(late(head + rows, major=8).stops) == 2


def test_what_is_late_only_while_a_disturbing_witness_is_on_is_our_own_doing(late):
    on_s = 1_795_780_802.0  # 12:00:02
    quiet = "".join(stop(1.0 + number / 10, 30 if number == 3 else 1) for number in range(9))
    observed = "".join(names(at + 0.020, ("busy-0", 8)) + stop(at, 90) for at in (2.5, 3.0, 3.5, 4.0))
    report = late(quiet + observed, {"switched_on": {"7": {"latency": on_s}}}, later=("latency",))
    assert report.stops["waited_ms"].tolist() == [30.0]
    assert "4 more stops waited while our witnesses were on" in report.verdict and "1 of 9 did" in report.verdict
    without = late(quiet + observed, {"switched_on": {}}, later=("latency",))
    assert len(without.stops) == 5
