// Exercise 11-2. `culprit` makes K searches between two polls, `victim` polls after each search, and the main thread is
// a monitor: it asks for deadlocks, pauses, asks again. Each question waits for the culprit, and so does the victim.
//
// Edit pauseMs, and nothing else, so that the victim stands for 40 % of its time at most where the culprit is late
// (K=20000), while the monitor still asks 55 times in three seconds where nobody is late (K=10).
//
// You try it with        lab.java("PoliteMonitor.java", 17, gc="Parallel", args=[20000, 4000], deadline=30)
// and have it judged by  lab.grade("11-2", "PoliteMonitor.java")
import java.lang.management.ManagementFactory;

public class PoliteMonitor {
    static final byte[] HAY = new byte[32_768];
    static final long STANDS_NS = 5_000_000; // a search takes microseconds; what takes longer than this was stopped
    static volatile boolean ended;
    static volatile int sink;
    static volatile long stoodNs;

    public static void main(String[] args) throws InterruptedException {
        int k = args.length > 0 ? Integer.parseInt(args[0]) : 20_000;
        long forMs = args.length > 1 ? Long.parseLong(args[1]) : 4_000;
        byte[] little = new byte[256];
        for (int call = 0; call < 20_000; call++) {
            sink += missing(little, 4);
        }
        Thread culprit = new Thread(() -> work(k), "culprit");
        Thread victim = new Thread(PoliteMonitor::stand, "victim");
        culprit.start();
        victim.start();
        Thread.sleep(300);
        long standsNs = stoodNs;
        long begin = System.nanoTime();
        int questions = 0;
        while (System.nanoTime() - begin < forMs * 1_000_000) {
            long askedAt = System.nanoTime();
            ManagementFactory.getThreadMXBean().findDeadlockedThreads();
            questions++;
            Thread.sleep(pauseMs((System.nanoTime() - askedAt) / 1_000_000));
        }
        long tookNs = System.nanoTime() - begin;
        ended = true;
        culprit.join();
        System.out.println("questions=" + questions);
        System.out.println("stood_percent=" + 100.0 * (stoodNs - standsNs) / tookNs);
    }

    // For how long does the monitor pause after a question that took so many ms? Only this method is yours to change.
    static long pauseMs(long tookMs) {
        return 30;
    }

    static void work(int k) {
        while (!ended) {
            sink += missing(HAY, k);
        }
    }

    // How does the victim know that it stood? It looks at the clock after each search.
    static void stand() {
        long before = System.nanoTime();
        while (!ended) {
            sink += missing(HAY, 1);
            long now = System.nanoTime();
            if (now - before > STANDS_NS) {
                stoodNs += now - before;
            }
            before = now;
        }
    }

    static int missing(byte[] hay, int k) {
        int missing = 0;
        for (int needle = 1; needle <= k; needle++) {
            if (!contains(hay, needle)) {
                missing++;
            }
        }
        return missing;
    }

    static boolean contains(byte[] hay, int needle) {
        for (int i = 0; i < hay.length; i++) {
            if (hay[i] == needle) {
                return true;
            }
        }
        return false;
    }
}
