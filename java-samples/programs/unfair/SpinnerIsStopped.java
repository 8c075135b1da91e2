// SpinnerIsStopped: one thread spins on a compare-and-set that fails until the program ends; another is in a long loop
// without a poll. At a safepoint request the spinner stops at once, and waits for the other one.
//
// QUESTION  A spin loop never blocks. For how long can it stand still?
// RUN       mkdir -p classes && javac -d classes SpinnerIsStopped.java
//           java -XX:+UseSerialGC -cp classes SpinnerIsStopped 3 600
//           java -XX:+UseSerialGC -XX:+UseCountedLoopSafepoints -cp classes SpinnerIsStopped 3 600
// ARGUMENTS safepoints asked for (5), iterations of the long loop in millions (300)
// NOTEBOOK  11-unfair
// JDKS      8 11 17 21 25 28
// EXPECT    still_ms is about the log's longest time to safepoint: hundreds of ms. With UseCountedLoopSafepoints it is
//           what the machine's own scheduler takes, some ms.
//           = exited; still_ms > 0; failed > 1000
//           = exited; 2 * still_ms < above.still_ms

import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.AtomicInteger;

public class SpinnerIsStopped {
    static final int SHUT = 0;
    static final int OPEN = 1;
    static final int TAKEN = 2;
    static final AtomicInteger STATE = new AtomicInteger(SHUT);
    static volatile boolean ended;
    static volatile int sink;

    public static void main(String[] args) throws InterruptedException {
        int stops = args.length > 0 ? Integer.parseInt(args[0]) : 5;
        int turns = (args.length > 1 ? Integer.parseInt(args[1]) : 300) * 1_000_000;

        // Why many short calls first? They give late() its standard version, whose counted loop has no poll. A thread
        // that enters a cold method gets its code by OSR, in mid-loop, and that code may poll: see osr/EnteredOnce.
        for (int call = 0; call < 20_000; call++) {
            sink += late(10);
        }
        Thread late = new Thread(() -> runLate(turns), "late");
        Thread spinner = new Thread(SpinnerIsStopped::spin, "spinner");
        late.start();
        spinner.start();
        for (int stop = 0; stop < stops; stop++) {
            // Why this call? The search for deadlocks is a cheap VM operation. It needs all threads at a safepoint, and
            // with three of them it is done in well under a millisecond: nearly all of the stop is waiting for the last
            // one.
            Thread.sleep(100);
            ManagementFactory.getThreadMXBean().findDeadlockedThreads();
        }
        ended = true;
        STATE.set(OPEN);
        late.join();
        spinner.join();
    }

    static void runLate(int turns) {
        while (!ended) {
            sink += late(turns);
        }
    }

    // Why is this loop without a poll? It is a counted loop: C2 knows the number of iterations before the first one.
    // With -XX:+UseCountedLoopSafepoints C2 keeps the poll, and the spinner stands still no longer than for the
    // operation.
    static int late(int turns) {
        int hash = 1;
        for (int i = 0; i < turns; i++) {
            hash = hash * 31 + (hash >>> 7 ^ i);
        }
        return hash;
    }

    // And this one? Nobody can tell how often a compare-and-set fails, so its loop is uncounted and polls in each
    // iteration. It is the only loop here: what stops the spinner is the poll between two failed attempts. That makes
    // it easy to stop: it is the first to reach the safepoint, and waits longest for the last.
    //
    // Is the spinner at fault? It holds no lock and has a core of its own. "Never blocks" is a promise about other
    // threads of the program. It says nothing about the JVM, which may stop any thread at any poll, and lets it go when
    // the last thread has come. If that one never comes, the spinner never goes on.
    static void spin() {
        long failed = 0;
        long longest = 0;
        long before = System.nanoTime();
        while (!STATE.compareAndSet(OPEN, TAKEN)) {
            failed++;
            long now = System.nanoTime();
            longest = Math.max(longest, now - before);
            before = now;
        }
        System.out.println("failed=" + failed);
        System.out.println("still_ms=" + longest / 1_000_000);
    }
}
