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

    // What does a stop look like from inside? Each thread keeps the longest time between the ends of two of its scans:
    // a stop, or a wait for a core, or both. Why APART? 16 longs are 128 bytes, more than a cache line: no two threads
    // write to the same one. For the same reason the scans are counted by a LongAdder and not by one AtomicLong.
    static final int APART = 16;
    static long[] longest;

    static void scan(byte[] own, int slot) {
        long before = System.nanoTime();
        while (!done) {
            if (contains(own, (byte) 1)) {
                throw new AssertionError("there is no 1 in it");
            }
            SCANS.increment();
            long now = System.nanoTime();
            longest[slot] = Math.max(longest[slot], now - before);
            before = now;
        }
    }

    // Main resets what the threads write, without a lock: a note of the interval before may be lost or kept. One note
    // among thousands is no matter, and a lock would be one more thing to wait for.
    static double longestMs() {
        long most = 0;
        for (int slot = 0; slot < longest.length; slot += APART) {
            most = Math.max(most, longest[slot]);
            longest[slot] = 0;
        }
        return most / 1e6;
    }

    // What does main measure? The time of System.gc() as its caller sees it: the wait until all have stopped, the
    // collection, and the way out. The log shows the three apart. Main parks in between and takes no core from the
    // scans.
    static double[] collect(int stops, long intervalMs, boolean really) {
        double[] took = new double[stops];
        for (int stop = 0; stop < stops; stop++) {
            LockSupport.parkNanos(intervalMs * 1_000_000);
            long asked = System.nanoTime();
            if (really) {
                System.gc();
            }
            took[stop] = (System.nanoTime() - asked) / 1e6;
        }
        return took;
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

    public static void main(String[] args) {
        int[] numbers = {4, 10, 100, 32, 200_000};
        for (int i = 0; i < args.length; i++) {
            numbers[i] = Integer.parseInt(args[i]);
        }

        // Why keep objects alive? The collector copies or marks what lives: without them it would be done at once.
        live = new Object[numbers[4]];
        for (int i = 0; i < live.length; i++) {
            live[i] = new int[1];
        }
        longest = new long[numbers[0] * APART];
        for (int i = 0; i < numbers[0]; i++) {
            byte[] own = new byte[numbers[3] << 10];
            int slot = i * APART;
            Thread thread = new Thread(() -> scan(own, slot), "scan-" + i);
            thread.setDaemon(true);
            thread.start();
        }

        // Why wait before the first collection? Until C2 has compiled the scan: the interpreter and C1's code poll in
        // every loop. Then an interval that ends without a collection and one that ends with one, by turns. Why by
        // turns? What another program does meanwhile hits both alike. And why compare at all? When the VM thread opens
        // the barrier it wakes all threads, and with more of them than cores it may wait behind them for a core of its
        // own. From 13 on the log counts that as part of the stop (JDK-8350324), although all threads may run again.
        long began = System.nanoTime();
        print("load_before", load());
        collect(5, 100, false);
        long[] scans = new long[2];
        long[] nanos = new long[2];
        double[] silent = new double[2];
        double[] took = new double[numbers[1]];
        for (int half = 0; half < 2 * took.length; half++) {
            int kind = half % 2;
            longestMs();
            scans[kind] -= SCANS.sum();
            nanos[kind] -= System.nanoTime();
            double[] request = collect(1, numbers[2], kind == 1);
            scans[kind] += SCANS.sum();
            nanos[kind] += System.nanoTime();
            silent[kind] = Math.max(silent[kind], longestMs());
            took[half / 2] = request[0];
        }
        done = true;
        Arrays.sort(took);
        print("threads", numbers[0]);
        print("gc_ms", took[took.length / 2]);
        print("longest_gc_ms", took[took.length - 1]);
        print("quiet_scans_per_s", rate(scans[0], nanos[0]));
        print("scans_per_s", rate(scans[1], nanos[1]));
        print("quiet_silence_ms", silent[0]);
        print("silence_ms", silent[1]);
        print("load", load());
        print("ran_s", (System.nanoTime() - began) / 1e9);
    }
}
