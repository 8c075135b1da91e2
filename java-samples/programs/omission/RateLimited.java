// RateLimited: the same load three times side by side, each on a make-believe server of its own: as fast as the clients
// can, by the permits of Guava's RateLimiter, and by a schedule. On the way the servers may stand still for a while.
//
// QUESTION  Does a rate limiter know what should have been sent?
// RUN       mkdir -p classes && javac -cp guava-33.4.0-jre.jar -d classes RateLimited.java
//           java -cp classes:guava-33.4.0-jre.jar RateLimited 200 2.6 1600
//           java -cp classes:guava-33.4.0-jre.jar RateLimited 1063 1.5
// ARGUMENTS requests/s (200), seconds (2.6), how long the servers stand still in ms (0)
// NOTEBOOK  22-coordinated-omission
// JDKS      8 11 17 21 25 28
// EXPECT    First line: after a stop of 1.6 s the schedule has caught up at the end, and the limiter, which keeps one
//           second of permits at most, is behind by the rest. Second line, a third more than the server can do: the
//           limiter's median is that of the test without a limit, and the schedule's response time is far above.
//           = exited; limiter_behind_ms > 300; 10 * schedule_behind_ms < limiter_behind_ms
//           = exited; limiter_median_ms < 2 * unlimited_median_ms; schedule_response_ms > 5 * limiter_median_ms

import com.google.common.util.concurrent.RateLimiter;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

public class RateLimited {
    static final long WORK = 1_250_000; // ns that the server needs for a request: 800 of them in a second
    static double rate;
    static long begin, end, stall, standsFrom;

    // One test: three clients, and a server that answers one request after the other.
    static final class Test {
        final String name;
        RateLimiter limiter;
        final AtomicInteger next = new AtomicInteger();
        final long[] sent = new long[1_000_000];
        final long[] answered = new long[sent.length];
        long free;

        Test(String name) {
            this.name = name;
        }

        // When may request n begin? A schedule has a time for each. The limiter has a permit for somebody, now or later:
        // acquire() returns when the caller may go on, and tells how long it has slept.
        void client() {
            sleepUntil(begin);
            for (int n = next.getAndIncrement(); n < sent.length; n = next.getAndIncrement()) {
                if (name.equals("limiter")) {
                    limiter().acquire();
                } else if (name.equals("schedule")) {
                    sleepUntil(due(n));
                }
                if (System.nanoTime() >= end) {
                    return;
                }
                sent[n] = System.nanoTime();
                sleepUntil(answer(sent[n]));
                answered[n] = System.nanoTime();
            }
        }

        // Why not earlier? A limiter keeps the permits that nobody takes, and would begin the run with those of its time
        // before it.
        synchronized RateLimiter limiter() {
            return limiter = limiter == null ? RateLimiter.create(rate) : limiter;
        }

        // After 0.2 s the server stands still: the requests that it finds then, and all later ones, wait for the end of it.
        synchronized long answer(long now) {
            free = Math.max(now, free);
            if (stall > 0 && free >= standsFrom && free < standsFrom + stall) {
                free = standsFrom + stall;
            }
            return free += WORK;
        }

        void print() {
            int count = 0;
            while (answered[count] > 0) {
                count++;
            }
            long[] service = new long[count];
            long[] response = new long[count];
            for (int n = 0; n < count; n++) {
                service[n] = answered[n] - sent[n];
                response[n] = answered[n] - due(n);
            }
            long behind = Math.max(0, sent[count - 1] - due(count - 1));
            Arrays.sort(service);
            Arrays.sort(response);
            System.out.printf(Locale.ROOT, "%1$s_sent=%2$d%n%1$s_behind_ms=%3$.3f%n%1$s_median_ms=%4$.3f%n", name, count,
                behind / 1e6, service[count / 2] / 1e6);
            System.out.printf(Locale.ROOT, "%s_response_ms=%.3f%n", name, response[count / 2] / 1e6);
        }
    }

    static long due(int n) {
        return begin + (long) (n * 1e9 / rate);
    }

    static void sleepUntil(long nanos) {
        for (long rest = nanos - System.nanoTime(); rest > 0; rest = nanos - System.nanoTime()) {
            LockSupport.parkNanos(rest);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        rate = args.length > 0 ? Double.parseDouble(args[0]) : 200;
        double seconds = args.length > 1 ? Double.parseDouble(args[1]) : 2.6;
        stall = args.length > 2 ? (long) (1e6 * Double.parseDouble(args[2])) : 0;
        Test[] tests = {new Test("unlimited"), new Test("limiter"), new Test("schedule")};
        RateLimiter.create(rate).acquire(); // loads the classes, and is forgotten
        begin = System.nanoTime() + 100_000_000;
        standsFrom = begin + 200_000_000;
        end = begin + (long) (1e9 * seconds);
        Thread[] clients = new Thread[3 * tests.length];
        for (int i = 0; i < clients.length; i++) {
            clients[i] = new Thread(tests[i / 3]::client, tests[i / 3].name + "-" + i % 3);
            clients[i].start();
        }
        for (Thread client : clients) {
            client.join();
        }
        System.out.printf(Locale.ROOT, "due=%d%n", Math.round(rate * seconds));
        for (Test test : tests) {
            test.print();
        }
    }
}
