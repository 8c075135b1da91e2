// Exercise 15-2. Eight threads per core that scan 32 KB over and over, and one that requests a collection every tenth
// of a second. On JDK 17 and later the answer is late, because the whole crowd has to be woken after each safepoint.
//
// Edit crowd(), and nothing else: each of its threads has to call scan() over and over until `done`, as before, and
// all cores have to stay busy. But fewer threads should need a core at the same time.
//
// You try it with        lab.java("Crowded.java", 25, gc="Shenandoah").output
// and have it judged by  lab.grade("15-2", "Crowded.java")
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.*;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

public class Crowded {
    static final int CORES = Runtime.getRuntime().availableProcessors();

    // Starts the threads, and returns at once; only this method is yours to change.
    static void crowd(int threads) {
        for (int i = 0; i < threads; i++) {
            byte[] own = new byte[32 << 10];
            start(() -> {
                while (!done) {
                    scan(own);
                }
            });
        }
    }

    // The work. It is counted, and so are the threads that do some of it.
    static final LongAdder SCANS = new LongAdder();
    static final Set<Thread> WORKERS = ConcurrentHashMap.newKeySet();
    static volatile boolean done;

    static void scan(byte[] own) {
        for (int i = 0; i < own.length; i++) {
            if (own[i] == 1) {
                throw new AssertionError("there is no 1 in it");
            }
        }
        SCANS.increment();
        WORKERS.add(Thread.currentThread());
    }

    static void start(Runnable work) {
        Thread thread = new Thread(work);
        thread.setDaemon(true);
        thread.start();
    }

    public static void main(String[] args) {
        crowd(8 * CORES);
        LockSupport.parkNanos(1_500_000_000); // until C2 has compiled the scan
        SCANS.reset();
        long began = System.nanoTime();
        double[] took = new double[5];
        for (int n = 0; n < took.length; n++) {
            LockSupport.parkNanos(100_000_000);
            long asked = System.nanoTime();
            System.gc();
            took[n] = (System.nanoTime() - asked) / 1e6;
        }
        double scansPerSecond = SCANS.sum() * 1e9 / (System.nanoTime() - began);
        done = true;
        Arrays.sort(took);
        System.out.println("threads=" + WORKERS.size());
        System.out.println("gc_ms=" + took[took.length / 2]);
        System.out.println("scans_per_s=" + scansPerSecond);
    }
}
