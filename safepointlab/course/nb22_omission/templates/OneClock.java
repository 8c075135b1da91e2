// Exercise 22-2. A load generator of forty lines with a clock that lies.
//
// Request n is due n * 5 ms after the start. On the way the server stands still once, for half a second, as a JVM does
// at a safepoint. Edit clockStarts(), and nothing else, so that the percentiles say what the clients waited.
//
// You try it with        lab.java("OneClock.java", 17).output
// and have it judged by  lab.grade("22-2", "OneClock.java")
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;

public class OneClock {
    static final int REQUESTS = 400;
    static final long INTERVAL = 5_000_000; // nanoseconds from one due time to the next
    static long start;

    // When does the clock of request n start? Called just before it is sent.
    static long clockStarts(int n) {
        return System.nanoTime(); // only this method is yours to change
    }

    // The server: it needs a millisecond for a request, and stands still at one of them.
    static void serve(int n) {
        sleepUntil(System.nanoTime() + (n == 100 ? 500_000_000 : 1_000_000));
    }

    static void sleepUntil(long nanos) {
        while (System.nanoTime() < nanos) {
            LockSupport.parkNanos(nanos - System.nanoTime());
        }
    }

    public static void main(String[] args) {
        long[] took = new long[REQUESTS];
        start = System.nanoTime();
        for (int n = 0; n < REQUESTS; n++) {
            sleepUntil(start + n * INTERVAL);
            long clock = clockStarts(n);
            serve(n);
            took[n] = System.nanoTime() - clock;
        }
        Arrays.sort(took);
        for (int percent : new int[] { 50, 70, 90, 99 }) {
            System.out.printf("p%d_ms=%d%n", percent, Math.round(took[REQUESTS * percent / 100] / 1e6));
        }
    }
}
