// Heartbeats: one platform thread and five virtual ones wake up every few milliseconds and note the time. Other virtual
// threads run one long loop each, a loop without a poll. A stop is requested meanwhile, or none is.
//
// QUESTION  Which threads fall silent while a virtual thread runs a loop without a poll?
// RUN       # with JDK 21:
//           mkdir -p classes && javac -d classes Heartbeats.java
//           java -XX:+UseSerialGC -XX:+UnlockDiagnosticVMOptions -XX:GuaranteedSafepointInterval=0 -Djdk.virtualThreadScheduler.parallelism=2 -Djdk.virtualThreadScheduler.maxPoolSize=2 -cp classes Heartbeats 1
//           java -XX:+UseSerialGC -XX:+UnlockDiagnosticVMOptions -XX:GuaranteedSafepointInterval=0 -Djdk.virtualThreadScheduler.parallelism=2 -Djdk.virtualThreadScheduler.maxPoolSize=2 -cp classes Heartbeats 2
//           java -XX:+UseSerialGC -XX:+UnlockDiagnosticVMOptions -XX:GuaranteedSafepointInterval=0 -Djdk.virtualThreadScheduler.parallelism=2 -Djdk.virtualThreadScheduler.maxPoolSize=2 -cp classes Heartbeats 1 100
// ARGUMENTS spinners (1), when to request a stop, in ms after they begin (-1: never), virtual or platform spinners,
//           the square root of their iterations (40000)
// NOTEBOOK  18-a-million-threads
// LANGUAGE  21
// JDKS      21 25 26 27 28
// EXPECT    One spinner silences no thread, two silence the virtual threads. If a stop is requested, all threads wait.
//           = exited; 3 * last(platform_silent_ms) < last(spin_ms); 3 * last(virtual_silent_ms) < last(spin_ms)
//           = exited; 3 * last(platform_silent_ms) < last(spin_ms); last(spin_ms) < 2 * last(virtual_silent_ms)
//           = exited; last(spin_ms) < 2 * last(platform_silent_ms); last(spin_ms) < 2 * last(virtual_silent_ms)

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

public class Heartbeats {
    static final int VIRTUAL_HEARTS = 5;
    static final long BEAT_NS = 5_000_000;
    static volatile boolean done;
    static volatile long sink;
    static volatile long beginNs;

    // Where does this loop check whether it has to stop? Nowhere. C2 can count its iterations, and with Serial it then
    // leaves out the poll. It also never blocks, so it keeps its carrier until it returns.
    static long countOdds(int limit) {
        long odds = 0;
        for (int i = 0; i < limit; i++) {
            for (int j = 0; j < limit; j++) {
                if ((j & 1) == 1) {
                    odds++;
                }
            }
        }
        return odds;
    }

    // What is a heartbeat? A thread parks for 5 ms and notes when it runs again. A platform thread needs a core for
    // that; a virtual one also needs a carrier.
    static class Heart implements Runnable {
        final List<Long> beatsNs = new ArrayList<>(10_000);

        public void run() {
            while (!done) {
                LockSupport.parkNanos(BEAT_NS);
                beatsNs.add(System.nanoTime());
            }
        }

        // The beats from just before the spinners begin, in ms from then on.
        double[] beatsMs() {
            return beatsNs.stream().mapToDouble(ns -> (ns - beginNs) / 1e6).filter(ms -> ms > -100).toArray();
        }

        double longestSilenceMs() {
            double longest = 0;
            double[] beats = beatsMs();
            for (int n = 1; n < beats.length; n++) {
                longest = Math.max(longest, beats[n] - beats[n - 1]);
            }
            return longest;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        int spinners = args.length > 0 ? Integer.parseInt(args[0]) : 1;
        long requestAtMs = args.length > 1 ? Long.parseLong(args[1]) : -1;
        boolean virtual = args.length <= 2 || args[2].equals("virtual");
        int limit = args.length > 3 ? Integer.parseInt(args[3]) : 40_000;
        for (int call = 0; call < 100_000; call++) {
            sink += countOdds(10); // now C2 has compiled it
        }
        if (requestAtMs >= 0) {
            ManagementFactory.getThreadMXBean().findDeadlockedThreads(); // the first one loads classes
        }
        Heart platform = new Heart();
        List<Heart> hearts = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        threads.add(Thread.ofPlatform().name("platform-heart").start(platform));
        for (int n = 0; n < VIRTUAL_HEARTS; n++) {
            hearts.add(new Heart());
            threads.add(Thread.ofVirtual().name("heart-" + n).start(hearts.get(n)));
        }
        Thread.sleep(300);

        beginNs = System.nanoTime();
        Thread.Builder kind = virtual ? Thread.ofVirtual() : Thread.ofPlatform();
        List<Thread> spinning = new ArrayList<>();
        for (int n = 0; n < spinners; n++) {
            spinning.add(kind.name("spinner-" + n).start(() -> sink += countOdds(limit)));
        }
        // Who requests a stop? In a real program the next collection does. Here main does, by a search for deadlocks.
        if (requestAtMs >= 0) {
            Thread.sleep(requestAtMs);
            double atMs = (System.nanoTime() - beginNs) / 1e6;
            ManagementFactory.getThreadMXBean().findDeadlockedThreads();
            System.out.println("request_ms=" + atMs);
            System.out.println("answered_ms=" + (System.nanoTime() - beginNs) / 1e6);
        }
        for (Thread each : spinning) {
            each.join();
        }
        System.out.println("spin_ms=" + (System.nanoTime() - beginNs) / 1e6);
        Thread.sleep(100);
        done = true;
        for (Thread each : threads) {
            each.join();
        }
        print("platform", platform);
        double silentMs = Double.MAX_VALUE;
        for (int n = 0; n < VIRTUAL_HEARTS; n++) {
            print("virtual-" + n, hearts.get(n));
            silentMs = Math.min(silentMs, hearts.get(n).longestSilenceMs());
        }
        System.out.println("platform_silent_ms=" + platform.longestSilenceMs());
        System.out.println("virtual_silent_ms=" + silentMs); // all five were silent for as long at some time
    }

    static void print(String name, Heart heart) {
        StringBuilder line = new StringBuilder("beats of " + name + ":");
        for (double ms : heart.beatsMs()) {
            line.append(' ').append(Math.round(10 * ms) / 10.0);
        }
        System.out.println(line);
    }
}
