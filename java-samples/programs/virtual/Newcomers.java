// Newcomers: two threads compute without ever blocking, and poll in each iteration. Meanwhile main starts one thread
// after another that has next to nothing to do, and notes how long each of them waits until it runs.
//
// QUESTION  How long does a new thread wait for its turn if two others are busy?
// RUN       # with JDK 21:
//           mkdir -p classes && javac -d classes Newcomers.java
//           java -Djdk.virtualThreadScheduler.parallelism=2 -Djdk.virtualThreadScheduler.maxPoolSize=2 -cp classes Newcomers platform compute
//           java -Djdk.virtualThreadScheduler.parallelism=2 -Djdk.virtualThreadScheduler.maxPoolSize=2 -cp classes Newcomers virtual compute
//           java -Djdk.virtualThreadScheduler.parallelism=2 -Djdk.virtualThreadScheduler.maxPoolSize=2 -cp classes Newcomers virtual sleep
// ARGUMENTS virtual or platform, what the busy threads do after each millisecond (compute on, yield, sleep, or park for 1 ns),
//           busy threads (2), for how many ms (500)
// NOTEBOOK  18-a-million-threads
// LANGUAGE  21
// JDKS      21 25 26 27 28
// EXPECT    The kernel gives each platform thread its turn. A virtual newcomer waits until a busy thread ends, or blocks.
//           = exited
//           = exited; 5 * last(above.wait_ms) < last(wait_ms)
//           = exited; 5 * last(wait_ms) < last(above.wait_ms)

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

public class Newcomers {
    static final int NEWCOMERS = 20;
    static volatile long sink;

    public static void main(String[] args) throws InterruptedException {
        boolean virtual = args.length == 0 || args[0].equals("virtual");
        String cure = args.length > 1 ? args[1] : "compute";
        int busy = args.length > 2 ? Integer.parseInt(args[2]) : 2;
        int pieces = args.length > 3 ? Integer.parseInt(args[3]) : 500;
        Thread.Builder kind = virtual ? Thread.ofVirtual() : Thread.ofPlatform();
        List<Thread> threads = new ArrayList<>();
        for (int n = 0; n < busy; n++) {
            threads.add(kind.start(() -> compute(pieces, cure)));
        }
        Thread.sleep(50);

        // Each newcomer only notes the time. Before it can, it needs a core, and a virtual one needs a carrier first.
        double[] waitMs = new double[NEWCOMERS];
        for (int n = 0; n < NEWCOMERS; n++) {
            int own = n;
            long startedNs = System.nanoTime();
            threads.add(kind.start(() -> waitMs[own] = (System.nanoTime() - startedNs) / 1e6));
            Thread.sleep(20);
            if (n % 5 == 0) {
                ManagementFactory.getThreadMXBean().findDeadlockedThreads(); // a stop: is a thread late for it?
            }
        }
        for (Thread each : threads) {
            each.join();
        }
        Arrays.sort(waitMs);
        System.out.println("wait_ms=" + waitMs[NEWCOMERS / 2]);
        System.out.println("longest_wait_ms=" + waitMs[NEWCOMERS - 1]);
    }

    // Can this thread be stopped? Yes, within microseconds: C2 can't count the iterations of computeForOneMs, so each of
    // them polls. But a poll stops a thread for the VM, not for the scheduler of virtual threads. That one gets a
    // carrier back when the thread on it blocks, ends, or gives it up.
    static void compute(int pieces, String cure) {
        for (int n = 0; n < pieces; n++) {
            sink += computeForOneMs();
            switch (cure) {
                case "yield" -> Thread.yield();
                case "sleep" -> sleepForOneMs();
                case "park" -> LockSupport.parkNanos(1);
                default -> { }
            }
        }
    }

    static long computeForOneMs() {
        long end = System.nanoTime() + 1_000_000;
        long sum = 0;
        while (System.nanoTime() < end) {
            sum += sum * 31 + 7;
        }
        return sum;
    }

    static void sleepForOneMs() {
        try {
            Thread.sleep(1);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
