// ScanAndCollect: some threads scan an array of bytes, each its own, over and over; main asks for a garbage collection
// every tenth of a second. A thread that wants a CPU and has none cannot even look whether it should stop.
//
// QUESTION  How does the time to reach a safepoint grow with the number of running threads?
// RUN       mkdir -p classes && javac -d classes ScanAndCollect.java
//           java -XX:+UseParallelGC -Xlog:safepoint -cp classes ScanAndCollect 1 3
//           java -XX:+UseParallelGC -Xlog:safepoint -cp classes ScanAndCollect 32 3
// ARGUMENTS threads (4), collections (10), milliseconds between them (100), KB that each thread scans (32), objects to
//           keep alive, which make a collection last (200000)
// NOTEBOOK  10-more-threads, 15-faster-safepoints
// JDKS      8 11 17 21 25 28 (8: -XX:+PrintSafepointStatistics -XX:PrintSafepointStatisticsCount=1 for the log)
// EXPECT    Up to a thread a CPU about a tenth of a millisecond, beyond that as much as the scheduler needs to give
//           each thread a short time slice. The collection itself takes the same; what follows it, the log's "leaving"
//           on 21 and 25, may take a hundred times as long with 64 threads, although nearly all of them are running
//           again.
//           = exited; /"ParallelGCSystemGC"/ 3 times; threads = 1.000
//           = exited; /"ParallelGCSystemGC"/ 3 times; threads = 32.000; \
//             max(Reaching_safepoint) > min(above.Reaching_safepoint)

import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

public class ScanAndCollect {
    static final LongAdder SCANS = new LongAdder();
    static volatile boolean done;
    static Object[] live;

    // What do the threads do? A counted loop. Without strip mining (G1, ZGC, Shenandoah) C2 leaves no poll in it. The
    // thread stops after it, at the return or at the poll of the caller's loop: 32 KB and some microseconds later.
    // Nothing here waits, locks or allocates. So a running thread reaches its poll soon, and what takes longer is the
    // way to a core.
    static boolean contains(byte[] where, byte what) {
        for (int i = 0; i < where.length; i++) {
            if (where[i] == what) {
                return true;
            }
        }
        return false;
    }

    // What does a stop look like from inside? A thread that makes no progress is silent, and cannot say so before it
    // goes on. It notes from when to when, if that was longer than a millisecond: a stop, or a wait for a core, or both.
    // Why notes of its own? What several threads write to one place would slow the scan down. So the scans are counted
    // by a LongAdder, too, and not by one AtomicLong.
    static final int NOTES = 1024;
    static long[][] silences;

    static void scan(byte[] own, long[] notes) {
        long before = System.nanoTime();
        for (int n = 0; !done; ) {
            if (contains(own, (byte) 1)) {
                throw new AssertionError("there is no 1 in it");
            }
            SCANS.increment();
            long now = System.nanoTime();
            if (now - before > 1_000_000) {
                notes[n] = before;
                notes[n + 1] = now;
                n = (n + 2) % notes.length;
            }
            before = now;
        }
    }

    // Is the program stopped? If all its threads are silent at the same moment. Each silence that touches the request
    // is two events: one thread more is silent, one less. In their order in time they say when it was all of them.
    static double everybodySilentMs(long from, long to) {
        TreeMap<Long, Integer> events = new TreeMap<>();
        for (long[] notes : silences) {
            for (int n = 0; n < notes.length && notes[n + 1] != 0; n += 2) {
                if (notes[n] < to && notes[n + 1] > from) {
                    events.merge(Math.max(from, notes[n]), 1, Integer::sum);
                    events.merge(Math.min(to, notes[n + 1]), -1, Integer::sum);
                }
            }
        }
        long silent = 0, since = from;
        int threads = 0;
        for (Map.Entry<Long, Integer> event : events.entrySet()) {
            silent += threads == silences.length ? event.getKey() - since : 0;
            since = event.getKey();
            threads += event.getValue();
        }
        return silent / 1e6;
    }

    // What does main measure? The time of System.gc() as its caller sees it: the wait until all have stopped, the
    // collection, and the way out. The log shows the three apart. Main parks in between and takes no core from the
    // scans.
    static long[] collect(long intervalMs, boolean really) {
        LockSupport.parkNanos(intervalMs * 1_000_000);
        long asked = System.nanoTime();
        if (really) {
            System.gc();
        }
        return new long[] {asked, System.nanoTime()};
    }

    static double rate(long scans, long nanos) {
        return scans * 1e9 / nanos;
    }

    // What would an operator see? The load average: how many threads run or want a core, over some minute. Beyond the
    // number of cores threads queue. It moves slowly, and other programs count as well.
    static double load() {
        return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    }

    static void print(String name, double value) {
        System.out.println(String.format(Locale.ROOT, "%s=%.3f", name, value));
    }

    public static void main(String[] args) throws InterruptedException {
        int[] numbers = {4, 10, 100, 32, 200_000};
        for (int i = 0; i < args.length; i++) {
            numbers[i] = Integer.parseInt(args[i]);
        }

        // Why keep objects alive? The collector copies or marks what lives: without them it would be done at once.
        live = new Object[numbers[4]];
        for (int i = 0; i < live.length; i++) {
            live[i] = new int[1];
        }
        silences = new long[numbers[0]][2 * NOTES];
        Thread[] crowd = new Thread[numbers[0]];
        for (int i = 0; i < numbers[0]; i++) {
            byte[] own = new byte[numbers[3] << 10];
            long[] notes = silences[i];
            crowd[i] = new Thread(() -> scan(own, notes), "scan-" + i);
            crowd[i].setDaemon(true);
            crowd[i].start();
        }

        // Why wait before the first collection? Until C2 has compiled the scan: the interpreter and C1's code poll in
        // every loop. Then an interval that ends without a collection and one that ends with one, by turns. Why by
        // turns? What another program does meanwhile hits both alike. And why compare at all? When the VM thread opens
        // the barrier it wakes all threads, and with more of them than cores it may wait behind them for a core of its
        // own. From 13 on the log counts that as part of the stop (JDK-8350324), although all threads may run again.
        long began = System.nanoTime();
        print("load_before", load());
        collect(500, false);
        long[] scans = new long[2];
        long[] nanos = new long[2];
        long[][] requests = new long[numbers[1]][];
        for (int half = 0; half < 2 * requests.length; half++) {
            int kind = half % 2;
            scans[kind] -= SCANS.sum();
            nanos[kind] -= System.nanoTime();
            requests[half / 2] = collect(numbers[2], kind == 1);
            scans[kind] += SCANS.sum();
            nanos[kind] += System.nanoTime();
        }
        done = true;
        for (Thread thread : crowd) {
            thread.join(); // one that is still silent has no note of it yet
        }
        double[] took = new double[requests.length];
        double[] silent = new double[requests.length];
        for (int n = 0; n < took.length; n++) {
            took[n] = (requests[n][1] - requests[n][0]) / 1e6;
            silent[n] = everybodySilentMs(requests[n][0], requests[n][1]);
        }
        Arrays.sort(took);
        Arrays.sort(silent);
        print("threads", numbers[0]);
        print("gc_ms", took[took.length / 2]);
        print("longest_gc_ms", took[took.length - 1]);
        print("everybody_silent_ms", silent[took.length / 2]);
        print("quiet_scans_per_s", rate(scans[0], nanos[0]));
        print("scans_per_s", rate(scans[1], nanos[1]));
        print("load", load());
        print("ran_s", (System.nanoTime() - began) / 1e9);
    }
}
