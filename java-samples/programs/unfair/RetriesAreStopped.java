// RetriesAreStopped: two threads count with a compare-and-set, and try again if the other one was faster; a third is in
// a long loop without a poll. At a safepoint request both stop at once, and count on when the third one has stopped.
//
// QUESTION  In lock-free code some thread always makes progress. For how long can none of them make any?
// RUN       mkdir -p classes && javac -d classes RetriesAreStopped.java
//           java -XX:+UseSerialGC -cp classes RetriesAreStopped 3 600
//           java -XX:+UseSerialGC -XX:+UseCountedLoopSafepoints -cp classes RetriesAreStopped 3 600
// ARGUMENTS safepoints requested (4), iterations of the long loop in millions (300)
// NOTEBOOK  11-unfair
// JDKS      8 11 17 21 25 27
// EXPECT    still_ms is about the log's longest time to safepoint: hundreds of ms. With UseCountedLoopSafepoints it is
//           what the machine's own scheduler takes, some ms.
//           = exited; still_ms > 0; counted > 1000
//           = exited; 2 * still_ms < above.still_ms

import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.AtomicLong;

public class RetriesAreStopped {
    static final long GAP_NS = 1_000_000;
    static final int GAPS = 1024;
    static final AtomicLong COUNT = new AtomicLong();
    static volatile boolean ended;
    static volatile int sink;

    public static void main(String[] args) throws InterruptedException {
        int stops = args.length > 0 ? Integer.parseInt(args[0]) : 4;
        int turns = (args.length > 1 ? Integer.parseInt(args[1]) : 300) * 1_000_000;

        // Why many short calls first? They give late() its standard version, whose counted loop has no poll. A thread
        // that enters a cold method gets its code by OSR, in mid-loop, and that code may poll: see osr/EnteredOnce.
        for (int call = 0; call < 20_000; call++) {
            sink += late(10);
        }
        long[][] gaps = new long[2][2 * GAPS];
        Thread late = new Thread(() -> runLate(turns), "late");
        Thread first = new Thread(() -> count(gaps[0]), "first");
        Thread second = new Thread(() -> count(gaps[1]), "second");
        late.start();
        first.start();
        second.start();
        for (int stop = 0; stop < stops; stop++) {
            // Why this call? The search for deadlocks is a cheap operation that needs all threads at a safepoint. Nearly
            // all of the pause is waiting for the last one.
            Thread.sleep(100);
            ManagementFactory.getThreadMXBean().findDeadlockedThreads();
        }
        ended = true;
        late.join();
        first.join();
        second.join();
        System.out.println("counted=" + COUNT.get());
        System.out.println("still_ms=" + longestOverlap(gaps[0], gaps[1]) / 1_000_000);
    }

    static void runLate(int turns) {
        while (!ended) {
            sink += late(turns);
        }
    }

    // Why does this loop have no poll? It's a counted loop: C2 knows the number of iterations before the first one.
    static int late(int turns) {
        int hash = 1;
        for (int i = 0; i < turns; i++) {
            hash = hash * 31 + (hash >>> 7 ^ i);
        }
        return hash;
    }

    // Is this lock-free? Suspend one of the two threads wherever you like: the other one's next compare-and-set
    // succeeds. Why can the JVM stop them all the same? C2 can't tell how often a compare-and-set fails, so this loop
    // isn't counted and has a poll. A thread notes when it has counted nothing for more than a millisecond.
    static void count(long[] gaps) {
        long before = System.nanoTime();
        for (int n = 0; !ended; ) {
            long old;
            do {
                old = COUNT.get();
            } while (!COUNT.compareAndSet(old, old + 1));
            long now = System.nanoTime();
            if (now - before > GAP_NS && n < gaps.length) {
                gaps[n] = before;
                gaps[n + 1] = now;
                n += 2;
            }
            before = now;
        }
    }

    // When did neither thread make progress? While both had a gap. We want the longest of these times.
    static long longestOverlap(long[] one, long[] other) {
        long longest = 0;
        for (int i = 0; i < one.length && one[i + 1] != 0; i += 2) {
            for (int j = 0; j < other.length && other[j + 1] != 0; j += 2) {
                longest = Math.max(longest, Math.min(one[i + 1], other[j + 1]) - Math.max(one[i], other[j]));
            }
        }
        return longest;
    }
}
