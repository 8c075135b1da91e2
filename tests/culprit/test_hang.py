"""Thread dumps of a program that does not end although its JVM answers -> what it does."""

import pytest

from safepointlab.culprit.hang import describe

MAIN = """"main" #1 [7] prio=5 os_prio=0 cpu=1.00ms elapsed=5.00s tid=0x00007f01 nid=7 in Object.wait()  [0x00007f02]
   java.lang.Thread.State: WAITING (on object monitor)
	at java.lang.Object.wait0(java.base@25.0.3/Native Method)
	at java.lang.Thread.join(java.base@25.0.3/Thread.java:1846)
	at StopFlag.main(StopFlag.java:11)

"""
POLLER = """"poller" #30 [8] prio=5 os_prio=0 cpu=4000.00ms elapsed=5.00s tid=0x00007f03 nid=8 runnable  [0x00007f04]
   java.lang.Thread.State: RUNNABLE
	at StopFlag.lambda$main$0(StopFlag.java:7)
	at java.lang.Thread.run(java.base@25.0.3/Thread.java:1474)

"""
CARRIER = """"ForkJoinPool-1-worker-1" #23 [8] daemon prio=5 os_prio=0 cpu=929.07ms tid=0x00007f59  [0x00007f59]
   Carrying virtual thread #22
	at jdk.internal.vm.Continuation.run(java.base@25.0.3/Continuation.java:251)
	at java.util.concurrent.ForkJoinWorkerThread.run(java.base@25.0.3/ForkJoinWorkerThread.java:187)
"""
MOUNTED = CARRIER + "   Mounted virtual thread #22\n\tat Vt.spin(Vt.java:3)\n\n"
MATCHER = POLLER.replace(
    "at StopFlag.l", "at java.util.regex.Pattern$Loop.match(java.base@25.0.3/Pattern.java:{})\n\tat StopFlag.l"
)
WORKER = """"ForkJoinPool-1-worker-1" #31 [9] daemon prio=5 tid=0x00007f05 nid=9 {head}  [0x00007f06]
   java.lang.Thread.State: RUNNABLE
	at Init$$Lambda/0x0000000059040210.applyAsInt(Unknown Source)
{waits}	at java.util.stream.ReduceOps.evaluate(java.base@25.0.3/ReduceOps.java:7)

"""
OWNER = """"main" #1 [7] prio=5 tid=0x00007f01 nid=7 waiting on condition  [0x00007f02]
   java.lang.Thread.State: WAITING (parking)
	at jdk.internal.misc.Unsafe.park(java.base@25.0.3/Native Method)
	at Init.<clinit>(Init.java:4)

"""
WAITS = "	- waiting on the Class initialization monitor for Init\n"
DEADLOCK = """"a" #8 prio=5 tid=0x00007f01 nid=0x8 waiting for monitor entry [0x00007f02]
   java.lang.Thread.State: BLOCKED (on object monitor)
	at Bank.pay(Bank.java:5)
	- waiting to lock <0x01> (a Bank)

"b" #9 prio=5 tid=0x00007f03 nid=0x9 waiting for monitor entry [0x00007f04]
   java.lang.Thread.State: BLOCKED (on object monitor)
	at Bank.get(Bank.java:9)

Found one Java-level deadlock:
=============================
"a":
  waiting to lock monitor 0x01 (object 0x01, a Bank),
  which is held by "b"
"b":
  waiting to lock monitor 0x02 (object 0x02, a Bank),
  which is held by "a"

Java stack information for the threads listed above:
===================================================
"a":
	at Bank.pay(Bank.java:5)
"""
QUEUED = """"request-{number}" #2{number} [{number}] prio=5 tid=0x01 nid={number} waiting on condition  [0x02]
   java.lang.Thread.State: WAITING (parking)
	at jdk.internal.misc.Unsafe.park(java.base@25.0.3/Native Method)
	- parking to wait for  <0x1d88> (a java.util.concurrent.locks.ReentrantLock$NonfairSync)
	at Pool.handle(Pool.java:5)

   Locked ownable synchronizers:
	- None

"""
HOLDER = """"holder" #25 [8] prio=5 tid=0x03 nid=8 waiting on condition  [0x04]
   java.lang.Thread.State: TIMED_WAITING (sleeping)
	at java.lang.Thread.sleep(java.base@25.0.3/Thread.java:540)
	at Pool.nap(Pool.java:11)

   Locked ownable synchronizers:
	- <0x1d88> (a java.util.concurrent.locks.ReentrantLock$NonfairSync)

"""
IN_LINE = QUEUED.format(number=1) + QUEUED.format(number=2) + HOLDER
HELD = "request-1 and 1 more wait for a lock that holder holds"
BLOCKED = """"caller" #28 [6] prio=5 tid=0x05 nid=6 waiting for monitor entry  [0x06]
   java.lang.Thread.State: BLOCKED (on object monitor)
	at Pool.call(Pool.java:7)
	- waiting to lock <0x1e00> (a java.lang.Object)

"""
OBJECT = "<0x1e00> (a java.lang.Object)\n\t"
LOCKS_BOTH = QUEUED.format(number=1).replace("at Pool", f"- locked {OBJECT}at Pool")
WAITER = MAIN.replace("at StopFlag.main", f"- waiting on {OBJECT}- locked {OBJECT}at StopFlag.main")
PARKED = "waits meanwhile in jdk.internal.misc.Unsafe.park (Native Method), called from Init.<clinit> (Init.java:4)"


@pytest.mark.each(
    ("dumps", "wants", "said"),
    [
        (
            [MAIN + POLLER] * 2,
            {8: 99.6},
            "poller spins in StopFlag.lambda$main$0 (StopFlag.java:7), 100 % of a CPU; main waits in "
            "java.lang.Object.wait0 (Native Method), called from StopFlag.main (StopFlag.java:11)",
        ),
        (
            [MATCHER.format(1), MATCHER.format(2)],
            {8: 80},
            "poller is busy in java.util.regex.Pattern$Loop.match (Pattern.java:2), called from StopFlag.lambda$main$0 "
            "(StopFlag.java:7), 80 % of a CPU",
        ),
        ([MAIN] * 2, {}, "no thread of the program wants a CPU; main waits in java.lang.Object.wait0 (Native Method), "
            "called from StopFlag.main (StopFlag.java:11)"),
        ([OWNER + WORKER.format(head="waiting on condition", waits=WAITS)] * 2, {}, PARKED),
        ([OWNER + WORKER.format(head="in Object.wait()", waits="")] * 2, {}, PARKED),  # 8 does not say for which class
        ([DEADLOCK] * 2, {}, "a deadlock: a in Bank.pay (Bank.java:5) and b in Bank.get (Bank.java:9) wait for each "
            "other's locks"),
        ([IN_LINE] * 2, {}, f"no thread of the program wants a CPU; {HELD}; holder waits in java.lang.Thread.sleep "
            "(Thread.java:540), called from Pool.nap (Pool.java:11)"),
        ([IN_LINE] * 2, {8: 99}, "holder spins in java.lang.Thread.sleep (Thread.java:540), called from Pool.nap "
            f"(Pool.java:11), 99 % of a CPU; {HELD}"),
        ([BLOCKED + LOCKS_BOTH + HOLDER] * 2, {}, "no thread of the program wants a CPU; request-1 waits for a lock "
            "that holder holds; holder waits in java.lang.Thread.sleep (Thread.java:540), called from Pool.nap "
            "(Pool.java:11)"),  # the end of a chain
        ([BLOCKED + WAITER] * 2, {}, "no thread of the program wants a CPU; main waits in java.lang.Object.wait0 "
            "(Native Method), called from StopFlag.main (StopFlag.java:11)"),  # it has let go of the lock meanwhile
        ([WAITER.replace("waiting on", "waiting to re-lock in wait()") + HOLDER.replace("1d88", "1e00")] * 2, {},
            "no thread of the program wants a CPU; main waits for a lock that holder holds; holder waits in "
            "java.lang.Thread.sleep (Thread.java:540), called from Pool.nap (Pool.java:11)"),  # 11 and later
        ([], {}, ""),
        ([MOUNTED] * 2, {8: 99}, "ForkJoinPool-1-worker-1 carrying invoice-7 spins in Vt.spin (Vt.java:3), 99 % of a "
            "CPU"),
        ([CARRIER.replace("#22", "#9") + "\n"] * 2, {8: 99}, "ForkJoinPool-1-worker-1 carrying virtual thread #9 is "
            "busy in code that this JDK's thread dump does not show, 99 % of a CPU"),
    ],
)  # fmt: skip
def test_a_program_that_has_not_ended_is_described_by_its_dumps(dumps, wants, said):
    text = describe(dumps, wants, virtual={"22": "invoice-7"}).text
    assert text == said or (said == PARKED and said in text and "until Init is initialised" in text)
