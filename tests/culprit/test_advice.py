"""Programs that are late for one reason each, live: the reason is named, and with the advice they are on time."""

import os
from pathlib import Path

import pytest

from safepointlab.culprit.command import late
from safepointlab.process import cgroups
from safepointlab.run import build
from tests.culprit.conftest import one_a_major

PROGRAM = """public class Worker {
    static volatile Object sink;
    static int[] data = new int[1024];
    static byte[] from = new byte[200 << 20], to = new byte[200 << 20];
    static int scan(int limit) {
        int sum = 0;
        for (int i = 0; i < limit; i += 200) sum += data[i & 1023] % (i | 1);
        return sum;
    }
    static void work() {
        WORK
    }
    public static void main(String[] args) throws Exception {
        Thread worker = new Thread(() -> {
            long end = System.nanoTime() + 2_500_000_000L;
            while (System.nanoTime() < end) work();
        }, "worker");
        worker.start();
        while (worker.isAlive()) {
            Thread.sleep(15);
            Thread.getAllStackTraces();
        }
    }
}
"""
SCAN = "sink = scan(2_147_483_000);"
COPY = "System.arraycopy(from, 0, to, 0, to.length);"
COPY_PIECES = "for (int at = 0; at < to.length; at += 1 << 20) System.arraycopy(from, at, to, at, 1 << 20);"
ARRAY = "sink = null; sink = new byte[300 << 20];"
ARRAY_PIECES = "byte[][] parts = new byte[300][]; for (int i = 0; i < 300; i++) parts[i] = new byte[1 << 20];"
OFTEN = 3  # times rarer is what an advice has to make late stops, or standstills: a machine has hiccups of its own


@pytest.fixture
def ran(tmp_path):
    """ran(jdk, work, flags): the report of the program that does this work."""

    def report(jdk, work, *flags):
        source = tmp_path / "Worker.java"
        source.write_text(PROGRAM.replace("WORK", work))
        classes = build.javac(str(source), jdk).classes
        return late([jdk.java, *flags, "-Xmx1600m", "-XX:+UseSerialGC", "-cp", classes, "Worker"], after=10)

    return report


@pytest.mark.live
@pytest.mark.timed
@pytest.mark.parametrize("one", one_a_major(), ids=lambda one: one.version)
@pytest.mark.parametrize(
    ("work", "cause", "cure"),
    [(SCAN, "counted loop", ""), (COPY, "stub", COPY_PIECES), (ARRAY, "new array", ARRAY_PIECES)],
    ids=["loop", "copy", "array"],
)
def test_the_cause_is_named_and_the_advice_against_it_helps(ran, one, work, cause, cure):
    before = ran(one, work)
    assert set(before.stops["thread"].head(3)) == {"worker"} and before.culprits.iloc[0]["cause"] == cause
    flags = [] if cure else [word for word in next(iter(before.advice.values()))[0].split() if word.startswith("-XX")]
    after = ran(one, cure or work, *flags)
    share_before, share = (len(report.stops) / len(report.all_stops) for report in (before, after))
    assert share < share_before / OFTEN


STUCK = """import java.util.concurrent.atomic.AtomicBoolean;
public class Stuck {
    static MODIFIER boolean stop;
    static AtomicBoolean atomic = new AtomicBoolean();
    static synchronized boolean locked() { return stop; }
    static void poll() { long turns = 0; while (!READ) turns++; System.out.println(turns); }
    static void both(Object first, Object second) {
        synchronized (first) {
            try { Thread.sleep(300); } catch (InterruptedException e) { return; }
            synchronized (second) { System.out.println("both"); }
        }
    }
    public static void main(String[] args) throws Exception {
        Object a = new Object(), b = new Object();
        new Thread(() -> WORK).start();
        new Thread(() -> OTHER).start();
        Thread.sleep(1000);
        synchronized (Stuck.class) { stop = true; }
        atomic.set(true);
    }
}
"""
STALE = {"MODIFIER": "", "READ": "stop", "WORK": "poll()", "OTHER": "{ }"}
DEADLOCK = STALE | {"WORK": "both(a, b)", "OTHER": "both(b, a)"}


@pytest.mark.live
@pytest.mark.parametrize("one", one_a_major(), ids=lambda one: one.version)
@pytest.mark.parametrize(
    ("words", "cause", "cures"),
    [
        (STALE, "spinning: Stuck.poll", [{"MODIFIER": "volatile"}, {"READ": "atomic.get()"}, {"READ": "locked()"}]),
        (DEADLOCK, "deadlock: Stuck.both", [{"OTHER": "both(a, b)"}]),
    ],
    ids=["stale flag", "deadlock"],
)
def test_a_program_that_thread_dumps_show_stuck_ends_by_itself_with_the_advice(tmp_path, one, words, cause, cures):
    def ran(words):
        text = STUCK
        for word, replaced in words.items():
            text = text.replace(word, replaced)
        (tmp_path / "Stuck.java").write_text(text)
        classes = build.javac(str(tmp_path / "Stuck.java"), one).classes
        return late([one.java, "-XX:+UseSerialGC", "-cp", classes, "Stuck"], deadline=5)

    assert list(ran(words).advice) == [cause]
    for cure in cures:
        cured = ran(words | cure)
        assert cured.fate.startswith("exit status 0") and cured.advice == {}


CROWD = """public class Crowd {
    static volatile long turns;
    public static void main(String[] args) throws Exception {
        long end = System.nanoTime() + 3_000_000_000L;
        for (int i = 0; i < Integer.parseInt(args[0]); i++)
            new Thread(() -> { while (System.nanoTime() < end) turns++; }, "busy-" + i).start();
        while (System.nanoTime() < end) {
            Thread.sleep(2);
            Thread.getAllStackTraces();
        }
    }
}
"""


@pytest.mark.live
@pytest.mark.parametrize("one", one_a_major(), ids=lambda one: one.version)
def test_more_threads_than_cores_are_no_fault_of_the_code_that_polls(tmp_path, one):
    (tmp_path / "Crowd.java").write_text(CROWD)
    classes = build.javac(str(tmp_path / "Crowd.java"), one).classes
    report = late([one.java, "-XX:+UseSerialGC", "-cp", classes, "Crowd", 12 * (os.cpu_count() or 2)])
    assert set(report.culprits["cause"]) <= {"cpu", "not known", "witness"} and "SR_handler" not in report.verdict


@pytest.fixture
def quota():
    """quota(us): a control group whose processes get so much CPU time in each 100 ms; -1 is no limit."""
    group = cgroups.MOUNTED / "cpu" / f"safepointlab-{os.getpid()}"
    try:
        group.mkdir()
        (group / "cpu.cfs_quota_us").write_text("-1")
    except OSError:
        pytest.skip("needs control groups of version 1, and the right to make one")

    def limited(us: int) -> Path:
        (group / "cpu.cfs_quota_us").write_text(str(us))
        return group

    yield limited
    group.rmdir()


@pytest.mark.live
@pytest.mark.timed
@pytest.mark.parametrize("one", one_a_major(), ids=lambda one: one.version)
@pytest.mark.parametrize(("us", "threads"), [(-1, 2), (100_000, 1)], ids=["no quota", "fewer threads"])
def test_with_a_larger_quota_or_fewer_threads_the_program_runs_on(tmp_path, quota, one, us, threads):
    (tmp_path / "Crowd.java").write_text(CROWD)
    classes = build.javac(str(tmp_path / "Crowd.java"), one).classes

    def report(us, threads):
        java = f"{one.java} -XX:+UseSerialGC -cp {classes} Crowd {threads}"
        return late(["sh", "-c", f"echo $$ > {quota(us)}/cgroup.procs; exec {java}"], after=10)

    before, after = report(50_000, 2), report(us, threads)
    assert "Its CPU quota was used up in" in before.verdict and any(why.startswith("quota") for why in before.advice)
    # few stops happen to be under way when the quota is used up, but a program that stands still requests none
    assert len(after.all_stops) > OFTEN * len(before.all_stops)
