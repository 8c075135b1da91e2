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

import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

public class ScanAndCollect {
    static final LongAdder SCANS = new LongAdder();
    static volatile boolean done;
    static Object[] live;

    // What do the threads do? A loop that C2 can count, so that without strip mining it has no poll: the thread stops
    // when this array is at its end, 32 KB and some microseconds later. Nothing here waits, locks or allocates.
    static boolean contains(byte[] where, byte what) {
        for (int i = 0; i < where.length; i++) {
            if (where[i] == what) {
                return true;
            }
        }
        return false;
    }

    // How does it look from inside? Each thread keeps the longest time that lay between the ends of two of its scans:
    // a stop, or a wait for a CPU, or both. The notes lie far apart, so that no two threads write to one cache line.
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

    static double longestMs() {
        long most = 0;
        for (int slot = 0; slot < longest.length; slot += APART) {
            most = Math.max(most, longest[slot]);
            longest[slot] = 0;
        }
        return most / 1e6;
    }

    // How many scans are done in a second, collections or not? Main sleeps in between, and takes no CPU from them.
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

    static void print(String name, double value) {
        System.out.println(String.format(Locale.ROOT, "%s=%.3f", name, value));
    }

    public static void main(String[] args) {
        int[] numbers = {4, 10, 100, 32, 200_000};
        for (int i = 0; i < args.length; i++) {
            numbers[i] = Integer.parseInt(args[i]);
        }
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

        // Why wait before the first collection? Until C2 has compiled the scan: the interpreter polls everywhere. And
        // then a time without collections, to compare with: what one of them costs may be more than the time it takes.
        collect(5, 100, false);
        long[] scans = new long[2];
        long[] nanos = new long[2];
        double[] silent = new double[2];
        double[] took = {};
        for (int round = 0; round < 2; round++) {
            longestMs();
            scans[round] = -SCANS.sum();
            nanos[round] = -System.nanoTime();
            took = collect(numbers[1], numbers[2], round == 1);
            scans[round] += SCANS.sum();
            nanos[round] += System.nanoTime();
            silent[round] = longestMs();
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
    }
}
