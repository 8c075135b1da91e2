// LongNativeCall: one thread is in a single native call for tenths of a second while another one asks for stops. Does
// everybody wait for the end of the call? Beside it the same with a loop without polls, which is no native code at all.
//
// QUESTION  Does a native method that takes long to finish delay all other threads?
// RUN       mkdir -p classes && javac -d classes LongNativeCall.java
//           java -XX:+UseSerialGC -cp classes LongNativeCall
// NOTEBOOK  06-biased-locking-pause
// JDKS      8 11 17 21 25 28, with Serial or Parallel, whose counted loops do not poll
// EXPECT    Two times for each call: how long it took, and the longest stop that was asked for while it lasted. sleep,
//           deflate and read: the stops take next to nothing of the call. loop: a stop takes what is left of it.
//           = exited; sleep_ms > 5 * sleep_stop_ms; deflate_ms > 5 * deflate_stop_ms; loop_ms < 3 * loop_stop_ms

import java.io.FileInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Locale;
import java.util.Random;
import java.util.zip.Deflater;

public class LongNativeCall {
    // Which calls are native, and long? A sleep waits in native code. A Deflater compresses in zlib's C code, at full
    // speed on a core; it works on the Java array in place, so that a *collection* has to wait for it on most JDKs, but
    // a stop as such does not. A read from /dev/urandom computes random bytes in the kernel.
    static void sleep() {
        try {
            Thread.sleep(500);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    static final byte[] INPUT = new byte[8 << 20];
    static final byte[] OUTPUT = new byte[16 << 20];

    static void deflate() {
        Deflater deflater = new Deflater(9);
        deflater.setInput(INPUT);
        deflater.finish();
        deflater.deflate(OUTPUT);
        deflater.end();
    }

    static void read() {
        try (FileInputStream random = new FileInputStream("/dev/urandom")) {
            random.read(new byte[32 << 20]);
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    // And what does delay everybody? Java code that does not poll. C2 counts both loops, and so neither polls.
    static int sum(int passes) {
        int sum = 0;
        for (int pass = 0; pass < passes; pass++) {
            for (byte each : INPUT) {
                sum += each * pass;
            }
        }
        return sum;
    }

    static int passes;

    static void loop() {
        INPUT[0] += sum(passes);
    }

    // How long is a stop? To the thread that asks for it: until its question is answered. Deadlocks are looked for at a
    // safepoint on all JDKs.
    static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    static double askedMs() {
        long begin = System.nanoTime();
        THREADS.findDeadlockedThreads();
        return (System.nanoTime() - begin) / 1e6;
    }

    // Why count only stops that were asked for while the call lasted? The last one may be answered after its end: that
    // is what a stop looks like which waits for it. The first is asked for when the call has certainly begun.
    static void measure(String name, Runnable call) throws InterruptedException {
        double[] took = new double[1];
        Thread thread = new Thread(() -> {
            long begin = System.nanoTime();
            call.run();
            took[0] = (System.nanoTime() - begin) / 1e6;
        }, name);
        thread.start();
        Thread.sleep(20);
        double longest = 0;
        int stops = 0;
        while (thread.isAlive()) {
            longest = Math.max(longest, askedMs());
            stops++;
            Thread.sleep(10);
        }
        System.out.print(String.format(Locale.ROOT, "%s_ms=%.1f\n%s_stop_ms=%.3f\n%s_stops=%d\n",
            name, took[0], name, longest, name, stops));
    }

    public static void main(String[] args) throws InterruptedException {
        new Random(1).nextBytes(INPUT);
        askedMs();
        long begin = System.nanoTime();
        for (int n = 0; n < 200 || System.nanoTime() - begin < 100_000_000; n++) {
            sum(1);
            passes = (int) (500_000_000L * (n + 1) / (System.nanoTime() - begin));
        }
        measure("sleep", LongNativeCall::sleep);
        measure("deflate", LongNativeCall::deflate);
        measure("read", LongNativeCall::read);
        measure("loop", LongNativeCall::loop);
    }
}
