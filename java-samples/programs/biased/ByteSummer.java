// ByteSummer: one thread adds up bytes in a long counted loop, allocates nothing, locks nothing; another one sleeps for
// a millisecond at a time. Four seconds after the start the sleeper oversleeps, once, by what is left of the loop.
//
// QUESTION  How can a for loop without allocations stop other threads, once, and always four seconds after the start?
// RUN       # with JDK 8:
//           mkdir -p classes && javac -d classes ByteSummer.java
//           java -XX:+PrintSafepointStatistics -XX:PrintSafepointStatisticsCount=1 -cp classes ByteSummer
//           java -XX:BiasedLockingStartupDelay=0 -XX:+PrintSafepointStatistics -cp classes ByteSummer
// ARGUMENTS uptime at which the long pass begins in ms (3800), its length in ms (800), CSV file for the sleeps (none)
// NOTEBOOK  06-biased-locking-pause
// JDKS      8; 11 and 17 with -XX:+UseParallelGC -XX:+UseBiasedLocking -XX:BiasedLockingStartupDelay=4000; from 18 on
//           there are no biased locks (JEP 374, JDK-8256425), and no such pause
// EXPECT    8: overslept_ms is what was left of the long pass at 4 s, and the row EnableBiasedLocking of the safepoint
//           statistics has the same time under `sync`. Without the delay that row stands at the start, before the loop,
//           and the sleeper is late only by the machine's noise.
//           = exited; /^[45].*EnableBiasedLocking/; overslept_ms > pass1_ms / 10
//           = exited; /^[01].*EnableBiasedLocking/; 2 * overslept_ms < above.overslept_ms

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.RuntimeMXBean;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

public class ByteSummer {
    // Where could a thread stop in here? At a safepoint poll, and C2 puts none into a loop whose iterations it can
    // count beforehand. It can count both loops, so the next poll is where the method returns. (G1 polls here since 10,
    // JDK-8186027; -XX:+UseCountedLoopSafepoints makes any collector's code poll, 8 included.)
    //
    // Who wants the thread to stop? Nobody in this program. Four seconds after the start a timer of JDK 8 requests the
    // VM operation EnableBiasedLocking, which goes through all loaded classes and changes the header that their new
    // objects get (biased/MarkWords shows it). It is done in a safepoint, so all threads have to stop. Why so late? To
    // take a bias back took a safepoint as well, and while a program starts many locks change hands.
    static long sum(byte[] bytes, int passes) {
        long sum = 0;
        for (int pass = 0; pass < passes; pass++) {
            for (int i = 0; i < bytes.length; i++) {
                sum += bytes[i];
            }
        }
        return sum;
    }

    // What time is it in the safepoint log? Seconds since the JVM's start by nanoTime's clock. The uptime that Java can
    // ask for comes in whole milliseconds: wait until it ticks, then count back.
    static final long START = jvmStart();

    static long jvmStart() {
        RuntimeMXBean jvm = ManagementFactory.getRuntimeMXBean();
        for (long uptime = jvm.getUptime(); uptime == jvm.getUptime(); ) {
            Thread.yield();
        }
        return System.nanoTime() - jvm.getUptime() * 1_000_000;
    }

    static double uptime() {
        return (System.nanoTime() - START) / 1e6;
    }

    // How long did this thread run? The clock on the wall does not say: another program may have had the CPU.
    static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    static double cpuMs() {
        return THREADS.getCurrentThreadCpuTime() / 1e6;
    }

    // A thread without a CPU may be waiting for something, or only for a CPU. Linux counts the time in the queue for
    // one: the second number here, in nanoseconds. What is left after both is real waiting.
    static double queuedMs() {
        try {
            String[] counts = new String(Files.readAllBytes(Paths.get("/proc/thread-self/schedstat"))).split(" ");
            return Long.parseLong(counts[1]) / 1e6;
        } catch (IOException noSuchFile) {
            return Double.NaN;
        }
    }

    static final int MOST = 60_000;
    static final double[] WOKE = new double[MOST];
    static final double[] OVERSLEPT = new double[MOST];
    static int sleeps;
    static volatile boolean done;

    // Who suffers? Every thread that wants back into Java while the JVM is stopping. A sleeping thread need not be
    // waited for: it runs no Java code. When it wakes up it must wait, until the last thread has stopped and the
    // operation is done. So its delay is the whole stop, even if the operation takes no time at all.
    static void meterJitter() {
        try {
            for (double before = uptime(); (!done || sleeps == 0) && sleeps < MOST; before = WOKE[sleeps++]) {
                Thread.sleep(1);
                WOKE[sleeps] = uptime();
                OVERSLEPT[sleeps] = WOKE[sleeps] - before - 1;
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws InterruptedException, IOException {
        double begin = args.length > 0 ? Double.parseDouble(args[0]) : 3800;
        double length = args.length > 1 ? Double.parseDouble(args[1]) : 800;
        byte[] bytes = new byte[32 * 1024];
        bytes[0] = 1;
        Thread meter = new Thread(ByteSummer::meterJitter, "meter");
        meter.start();

        // Why not start with a long pass? Its first iterations would be interpreted, the next ones run in code that is
        // entered inside the loop (OSR), and other safepoints, one a second, might wait for it before the one at four
        // seconds does. Short passes let them all through: sum() polls each time it returns. They make C2 compile sum()
        // as a whole, and tell how many passes a long call needs. (By the time on a CPU: by the clock, a busy moment
        // now would make the long call too short.)
        long sum = 0;
        long passes = 0;
        double queued = queuedMs();
        double ready = uptime();
        double warm = cpuMs();
        for (; uptime() < begin || cpuMs() - warm < 200; passes += 200) {
            sum += sum(bytes, 200);
        }
        int many = (int) Math.min(Integer.MAX_VALUE, passes * length / (cpuMs() - warm));

        // Does the stop hold up the thread that causes it? No: this one goes on adding while all others wait, until
        // sum() returns. The proof is the time in which it was neither on a CPU nor in the queue for one: waited_ms.
        //
        // Why is nothing printed in between? Code that runs for the first time leaves the JVM something to clean up in
        // a safepoint of its own, one a second up to 22 (JDK-8325872): guaranteed/OnceASecond. That one would wait for
        // the loop as well, and the one at four seconds would find nothing left to wait for.
        double cpu = cpuMs();
        double[] wall = {uptime(), 0, 0};
        for (int pass = 1; pass <= 2; pass++) {
            sum += sum(bytes, many);
            wall[pass] = uptime();
        }
        double cpuOver = cpuMs();
        done = true;
        meter.join();
        say("sum=%d", sum);
        say("passes_from_s=%.3f", wall[0] / 1000);
        say("pass1_ms=%.1f", wall[1] - wall[0]);
        say("pass2_ms=%.1f", wall[2] - wall[1]);
        say("waited_ms=%.1f", Math.max(0, wall[2] - ready - (cpuOver - warm) - (queuedMs() - queued)));
        say("bytes_per_ns=%.2f", 2.0 * many * bytes.length / (cpuOver - cpu) / 1e6);
        report(args.length > 2 ? args[2] : null);
    }

    // How late is the sleeper as a rule, how late at worst? If the worst is what the log prints under sync, the log has
    // named the culprit. For a picture the file says how late each sleep ended, and when it should have ended.
    static void report(String file) throws IOException {
        double[] sorted = Arrays.copyOf(OVERSLEPT, sleeps);
        Arrays.sort(sorted);
        say("typical_ms=%.3f", sorted[sleeps / 2]);
        say("overslept_ms=%.1f", sorted[sleeps - 1]);
        if (file != null) {
            List<String> lines = new ArrayList<>();
            lines.add("begin_s,overslept_ms");
            for (int i = 0; i < sleeps; i++) {
                lines.add(String.format(Locale.ROOT, "%.6f,%.3f", (WOKE[i] - OVERSLEPT[i]) / 1000, OVERSLEPT[i]));
            }
            Files.write(Paths.get(file), lines);
        }
    }

    static void say(String form, Object... values) {
        System.out.print(String.format(Locale.ROOT, form + "\n", values));
    }

    // What cures it? Try each on JDK 8:
    //   -XX:BiasedLockingStartupDelay=0, -XX:-UseBiasedLocking    nobody requests a stop at four seconds
    //   -XX:+UseCountedLoopSafepoints                             the request is there, and the loop notices it
    // The first two cure this pause only. The next collection or thread dump waits for the loop all the same.
}
