// SpinnerIsStopped: one thread spins on a compare-and-set, in its own time slice and with nobody in its way; another is
// in a long loop without a poll. At a safepoint request the spinner stops at once, and waits for the other one.
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
//           = exited; still_ms > 0
//           = exited; 2 * still_ms < above.still_ms

import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.AtomicInteger;

public class SpinnerIsStopped {
    static final AtomicInteger TURN = new AtomicInteger();
    static volatile boolean ended;
    static volatile int sink;

    public static void main(String[] args) throws InterruptedException {
        int stops = args.length > 0 ? Integer.parseInt(args[0]) : 5;
        int turns = (args.length > 1 ? Integer.parseInt(args[1]) : 300) * 1_000_000;

        // Many short calls first: late() gets its standard version, whose counted loop has no poll.
        for (int call = 0; call < 20_000; call++) {
            sink += late(10);
        }
        Thread late = new Thread(() -> runLate(turns), "late");
        Thread spinner = new Thread(SpinnerIsStopped::spin, "spinner");
        late.start();
        spinner.start();
        for (int stop = 0; stop < stops; stop++) {
            Thread.sleep(100);
            ManagementFactory.getThreadMXBean().findDeadlockedThreads();
        }
        ended = true;
        late.join();
        spinner.join();
    }

    static void runLate(int turns) {
        while (!ended) {
            sink += late(turns);
        }
    }

    // Why is this without a poll? C2 knows the number of turns before the first one.
    static int late(int turns) {
        int hash = 1;
        for (int i = 0; i < turns; i++) {
            hash = hash * 31 + (hash >>> 7 ^ i);
        }
        return hash;
    }

    // And this? Nobody can tell how often a compare-and-set fails: an uncounted loop, with a poll in each turn. That
    // poll makes the spinner easy to stop. It asks "shall I stop?" some hundred million times a second, so that it is
    // always the first to stand, and the longest to wait for the last.
    static void spin() {
        long longest = 0;
        long before = System.nanoTime();
        while (!ended) {
            int seen;
            do {
                seen = TURN.get();
            } while (!TURN.compareAndSet(seen, seen + 1));
            long now = System.nanoTime();
            longest = Math.max(longest, now - before);
            before = now;
        }
        System.out.println("still_ms=" + longest / 1_000_000);
    }
}
