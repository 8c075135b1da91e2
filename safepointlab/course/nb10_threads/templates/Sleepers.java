// Exercise 10-2. A crowd of threads, each of which has to say now and then that it is alive, and main, which asks for a
// collection each 50 ms. Until each safepoint is reached, the VM thread waits for the last of the crowd.
//
// Edit live(), and nothing else: each thread has to call beat() ten times a second at least, until `done`. But the VM
// thread should have next to nobody to wait for.
//
// You try it with        lab.java("Sleepers.java", 25, gc="Parallel", log="safepoint").safepoints
// and have it judged by  lab.grade("10-2", "Sleepers.java")
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

public class Sleepers {
    // What a thread of the crowd does; only this method is yours to change.
    static void live(int number) {
        while (!done) {
            beat(number);
        }
    }

    // The crowd. Each thread has a counter of its own.
    static final int THREADS = 16 * Runtime.getRuntime().availableProcessors();
    static final LongAdder[] BEATS = new LongAdder[THREADS];
    static volatile boolean done;

    static void beat(int number) {
        BEATS[number].increment();
    }

    public static void main(String[] args) {
        for (int i = 0; i < THREADS; i++) {
            int number = i;
            BEATS[number] = new LongAdder();
            Thread thread = new Thread(() -> live(number));
            thread.setDaemon(true);
            thread.start();
        }
        LockSupport.parkNanos(500_000_000);
        long began = System.nanoTime();
        for (int n = 0; n < 20; n++) {
            LockSupport.parkNanos(50_000_000);
            System.gc();
        }
        double seconds = (System.nanoTime() - began) / 1e9 + 0.5;
        done = true;
        long fewest = Long.MAX_VALUE;
        for (LongAdder beats : BEATS) {
            fewest = Math.min(fewest, beats.sum());
        }
        System.out.println("threads=" + THREADS);
        System.out.println("fewest_beats_per_s=" + fewest / seconds);
    }
}
