// NativeAndBlocked: many threads, all asleep, or all in native code, or all running Java, while main asks for garbage
// collections. What the threads are doing decides how long a safepoint takes to reach; how many they are, hardly.
//
// QUESTION  Which threads does a safepoint wait for, and which ones notice it?
// RUN       mkdir -p classes && javac -d classes NativeAndBlocked.java
//           java -XX:+UseSerialGC -Xlog:safepoint -cp classes NativeAndBlocked asleep 64
// ARGUMENTS asleep | native | reading | pinning | running (native), threads (8), stops (5), live objects, which make a
//           collection last (1000000)
// NOTEBOOK  01-what-is-a-safepoint
// JDKS      8 11 17 21 25 28 (8: -XX:+PrintSafepointStatistics -XX:PrintSafepointStatisticsCount=1 for the log)
// EXPECT    asleep, native: reached as fast as without them; native: no read returns during the stop. running: later,
//           with many threads for a CPU. pinning: before 25 (G1: 22) safepoints in vain, and the collection afterwards.
//           = exited; /"GenCollectFull"/ 5 times; 10 * median(Reaching_safepoint) < median(At_safepoint)

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Paths;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.Deflater;

public class NativeAndBlocked {
    static volatile boolean done;
    static Object[] live;
    static final long[] TURNS = new long[1 << 20];
    static int turns;

    // Who has stopped already? A thread that sleeps or waits. It cannot touch the heap without coming back to Java, and
    // on that way it is held up. So the VM thread looks at its state once and does not wait for it: two hundred
    // sleepers cost some microseconds.
    static void asleep() {
        while (!done) {
            LockSupport.park();
        }
    }

    // And native code? It works on during the stop. The JVM cannot stop it, since native code has no polls, and need
    // not, since it reaches Java objects only through JNI, whose functions wait for the safepoint's end. Its return
    // waits too.
    static void inNative(boolean noting, int kib) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(kib << 10);
        try (FileChannel random = FileChannel.open(Paths.get("/dev/urandom"))) {
            while (!done) {
                buffer.clear();
                random.read(buffer);
                note(noting);
            }
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    // How to see that it works on? By a call that lasts longer than the stop: 48 MiB of random bytes (`reading`). The
    // kernel's clock of the thread's own CPU time runs on while all Java threads stand still.

    // Is all native code so harmless? A Deflater works on Java arrays in place (GetPrimitiveArrayCritical): they must
    // not move. So the safepoint is reached, and the collection is skipped and made up for when the last thread lets
    // its array go. Since 25 Serial and Parallel wait for that before they stop anybody (JDK-8192647). Since 22 G1
    // leaves the regions of these arrays where they are (JEP 423).
    static void pinning(boolean noting) {
        Deflater deflater = new Deflater();
        byte[] input = new byte[2 << 20];
        byte[] output = new byte[1 << 20];
        while (!done) {
            deflater.reset();
            deflater.setInput(input);
            deflater.finish();
            deflater.deflate(output);
            note(noting);
        }
    }

    // And threads that run Java and poll in each iteration? Each stops within nanoseconds, once it runs. With more of
    // them than CPUs most are waiting for a core just then. Their state is still "in Java", so the VM thread has to
    // wait until the scheduler has given each a core for a moment, to get to its next poll.
    static void running(boolean noting) {
        for (long i = 1; !done; i++) {
            if ((i & 0xFFFF) == 0) {
                note(noting);
            }
        }
    }

    static void note(boolean noting) {
        if (noting && turns < TURNS.length) {
            TURNS[turns++] = System.nanoTime();
        }
    }

    // Why the longest gap and not the last note? A read that returns during the stop is noted after it. What the thread
    // lost is the time between two notes, of which the first may be before the request and the second after the end.
    static double longestSilence(long from, long to) {
        long longest = 0;
        for (int i = 1; i < turns; i++) {
            if (TURNS[i] > from && TURNS[i - 1] < to) {
                longest = Math.max(longest, TURNS[i] - TURNS[i - 1]);
            }
        }
        return longest / 1e6;
    }

    public static void main(String[] args) throws InterruptedException {
        String what = args.length > 0 ? args[0] : "native";
        int threads = args.length > 1 ? Integer.parseInt(args[1]) : 8;
        int stops = args.length > 2 ? Integer.parseInt(args[2]) : 5;

        // Why keep a million objects? A full collection has to mark and move what lives: so the stop lasts for some ms,
        // and one can see who gets on with its work meanwhile. An empty heap is collected in no time.
        long observed = 0;
        live = new Object[args.length > 3 ? Integer.parseInt(args[3]) : 1_000_000];
        for (int i = 0; i < live.length; i++) {
            live[i] = new int[1];
        }
        for (int i = 0; i < threads; i++) {
            boolean first = i == 0;
            Thread thread = new Thread(what.equals("native") ? () -> inNative(first, 64)
                : what.equals("reading") ? () -> inNative(first, 48 << 10)
                : what.equals("pinning") ? () -> pinning(first)
                : what.equals("running") ? () -> running(first) : () -> asleep());
            thread.setDaemon(true);
            thread.start();
            observed = first ? thread.getId() : observed;
        }

        // What to look at? How long main waits (took_ms); for how long meanwhile the first of the threads has nothing to
        // report (silent_ms), and its CPU time (cpu_ms); in the log, how long it took to reach the stop.
        ThreadMXBean clocks = ManagementFactory.getThreadMXBean();
        Thread.sleep(500);
        System.out.print("stop,asked_nanos,answered_nanos,took_ms,silent_ms,cpu_ms\n");
        for (int stop = 1; stop <= stops; stop++) {
            Thread.sleep(100);
            long cpu = clocks.getThreadCpuTime(observed);
            long asked = System.nanoTime();
            System.gc();
            long answered = System.nanoTime();
            cpu = clocks.getThreadCpuTime(observed) - cpu;
            Thread.sleep(100);
            System.out.print(String.format(Locale.ROOT, "%d,%d,%d,%.2f,%.2f,%.2f\n", stop, asked, answered,
                (answered - asked) / 1e6, longestSilence(asked, answered), cpu / 1e6));
        }
        done = true;
    }
}
