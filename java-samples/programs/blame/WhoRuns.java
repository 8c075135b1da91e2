// WhoRuns: five threads of which one works, and what thread dumps say of each: does it run?
// One computes, one sleeps, one is parked, one waits for a lock, and one waits for bytes that never come.
//
// QUESTION  A profile of thread dumps is biased. Is it at least right about which threads are running?
// RUN       mkdir -p classes && javac -d classes WhoRuns.java
//           java -cp classes WhoRuns 1000
// ARGUMENTS ms (1000), ms from one dump to the next (10)
// NOTEBOOK  20-safepoint-bias
// JDKS      8 11 17 21 25 28
// EXPECT    `runs_` is the part of the dumps in which the thread is RUNNABLE, `cpu_` the part of the time that it had a
//           core. They agree of all but `reads`: waiting in native code counts as running, and takes no CPU.
//           = exited; runs_computes > 0.9; runs_sleeps < 0.1; runs_parks < 0.1; runs_locks < 0.1; runs_reads > 0.9
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;

public class WhoRuns {
    static final Object LOCK = new Object();
    static volatile long passes;

    // The one that runs, whatever a dump says.
    static void compute() {
        while (true) {
            passes++;
        }
    }

    static void sleep() {
        try {
            Thread.sleep(3_600_000);
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        }
    }

    // main holds the lock all the time: this thread is BLOCKED, and dumps say so.
    static void lock() {
        synchronized (LOCK) {
            passes++;
        }
    }

    // And this one? It waits as well, but in the kernel, called by native code: the JVM has no state for that. Seen
    // from Java a thread in native code is RUNNABLE, whether it computes or waits. Profilers with a window keep lists
    // of such methods (accept, read, epollWait ...), and leave them out.
    static void read() {
        try {
            Pipe.open().source().read(ByteBuffer.allocate(1));
        } catch (IOException closed) {
            throw new IllegalStateException(closed);
        }
    }

    static Thread start(String name, Runnable what) {
        Thread thread = new Thread(what, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    public static void main(String[] args) throws InterruptedException {
        int ms = args.length > 0 ? Integer.parseInt(args[0]) : 1_000;
        int period = args.length > 1 ? Integer.parseInt(args[1]) : 10;
        List<Thread> threads = new ArrayList<>();
        synchronized (LOCK) {
            threads.add(start("computes", WhoRuns::compute));
            threads.add(start("sleeps", WhoRuns::sleep));
            threads.add(start("parks", LockSupport::park));
            threads.add(start("locks", WhoRuns::lock));
            threads.add(start("reads", WhoRuns::read));
            Thread.sleep(200); // until each of them is where it belongs
            look(threads, ms, period);
        }
    }

    // The CPU time is the kernel's own account of who ran; a state in a dump is what the JVM believes.
    static void look(List<Thread> threads, int ms, int period) throws InterruptedException {
        ThreadMXBean clock = ManagementFactory.getThreadMXBean();
        Map<Thread, Integer> runs = new TreeMap<>((a, b) -> a.getName().compareTo(b.getName()));
        Map<Thread, Long> before = new TreeMap<>((a, b) -> a.getName().compareTo(b.getName()));
        threads.forEach(thread -> before.put(thread, clock.getThreadCpuTime(thread.getId())));
        long begin = System.nanoTime();
        int looks = 0;
        for (; System.nanoTime() - begin < ms * 1_000_000L; looks++) {
            for (Thread thread : Thread.getAllStackTraces().keySet()) {
                if (threads.contains(thread)) {
                    runs.merge(thread, thread.getState() == Thread.State.RUNNABLE ? 1 : 0, Integer::sum);
                }
            }
            Thread.sleep(period);
        }
        double wall = System.nanoTime() - begin;
        for (Thread thread : threads) {
            long used = clock.getThreadCpuTime(thread.getId()) - before.get(thread);
            System.out.println("runs_" + thread.getName() + "=" + runs.getOrDefault(thread, 0) / (double) looks);
            System.out.println("cpu_" + thread.getName() + "=" + used / wall);
        }
    }
}
