import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Two virtual threads compute 300 pieces each, and the newcomers wait for them. Let the newcomers have their turn. */
public class TakeTurns {
    static final int PIECES = 300;
    static final AtomicInteger pieces = new AtomicInteger();

    public static void main(String[] args) throws Exception {
        long begin = System.nanoTime();
        List<Thread> threads = new ArrayList<>();
        for (int n = 0; n < 2; n++) {
            threads.add(startComputing());
        }
        Thread.sleep(50);
        double[] waitMs = new double[10];
        for (int n = 0; n < waitMs.length; n++) {
            int own = n;
            long started = System.nanoTime();
            threads.add(Thread.ofVirtual().start(() -> waitMs[own] = (System.nanoTime() - started) / 1e6));
            Thread.sleep(10);
        }
        for (Thread each : threads) {
            each.join();
        }
        Arrays.sort(waitMs);
        System.out.println("wait_ms=" + waitMs[waitMs.length / 2]);
        System.out.println("work_ms=" + (System.nanoTime() - begin) / 1e6);
        System.out.println("pieces=" + pieces.get());
    }

    // From here on, change what you like.
    static Thread startComputing() {
        return Thread.ofVirtual().start(TakeTurns::compute);
    }

    static void compute() {
        for (int n = 0; n < PIECES; n++) {
            computeOnePiece();
            Thread.yield();
        }
    }

    static void computeOnePiece() {
        long end = System.nanoTime() + 1_000_000;
        while (System.nanoTime() < end) { }
        pieces.incrementAndGet();
    }
}
