// CriticalCall: a thread is in one long native call; one beside it allocates all the time, another one never does. If
// the call holds a Java array in a JNI critical region, the one that allocates may have to wait for the end of the call.
//
// QUESTION  Does a long native call hold up threads that allocate?
// RUN       mkdir -p classes && javac -d classes CriticalCall.java
//           java -Xms64m -Xmx64m -XX:+UseSerialGC -cp classes CriticalCall deflate
//           java -Xms64m -Xmx64m -XX:+UseSerialGC -cp classes CriticalCall read
// ARGUMENTS the native call: deflate | read (deflate), the bytes that it works on, in MiB (deflate 12, read 24)
// NOTEBOOK  06-biased-locking-pause
// JDKS      8 11 17 21 25 28
// EXPECT    deflate, with Serial, Parallel, or G1 up to 21: one allocation waits for most of the call, and the thread
//           that allocates nothing is not late. G1 from 22 on (JEP 423): none waits. read: none waits.
//           = exited; allocation_ms > call_ms / 3; park_ms < call_ms / 3
//           = exited; allocation_ms < call_ms / 3; park_ms < call_ms / 3

import java.io.FileInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.Deflater;

public class CriticalCall {
    // What is critical about it? zlib's C code works on the Java arrays themselves (GetPrimitiveArrayCritical), so no
    // collection may move them before the call ends. The collector waits, or leaves these arrays where they are.
    static void deflate(byte[] input, byte[] output) {
        Deflater deflater = new Deflater(9);
        deflater.setInput(input);
        deflater.finish();
        deflater.deflate(output);
        deflater.end();
    }

    // Is it long because it is native? This one is as native, and works on memory outside of the heap.
    static void read(byte[] output) {
        try (FileInputStream random = new FileInputStream("/dev/urandom")) {
            random.read(output);
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    static volatile boolean done;
    static volatile byte[] sink;

    // Which allocation has to wait? The one for which there is no room left: it needs a collection.
    static double longestAllocation() {
        long longest = 0;
        for (long before = System.nanoTime(); !done; ) {
            sink = new byte[4096];
            long now = System.nanoTime();
            longest = Math.max(longest, now - before);
            before = now;
        }
        return longest / 1e6;
    }

    // Why does the other one park, and not sleep? It must not allocate anything, and Thread.sleep() does on 27.
    static double longestPark() {
        long longest = 0;
        for (long before = System.nanoTime(); !done; ) {
            LockSupport.parkNanos(1_000_000);
            long now = System.nanoTime();
            longest = Math.max(longest, now - before);
            before = now;
        }
        return longest / 1e6;
    }

    public static void main(String[] args) throws InterruptedException {
        boolean deflates = args.length == 0 || args[0].equals("deflate");
        int size = (args.length > 1 ? Integer.parseInt(args[1]) : deflates ? 12 : 24) << 20;
        byte[] input = new byte[deflates ? size : 0];
        byte[] output = new byte[size];
        new Random(1).nextBytes(input);

        double[] waited = new double[2];
        Thread allocates = new Thread(() -> waited[0] = longestAllocation(), "allocates");
        Thread parks = new Thread(() -> waited[1] = longestPark(), "parks");
        allocates.start();
        parks.start();
        Thread.sleep(50);
        long begin = System.nanoTime();
        if (deflates) {
            deflate(input, output);
        } else {
            read(output);
        }
        double ms = (System.nanoTime() - begin) / 1e6;
        done = true;
        allocates.join();
        parks.join();
        System.out.print(String.format(Locale.ROOT, "call_ms=%.1f\nallocation_ms=%.1f\npark_ms=%.1f\n",
            ms, waited[0], waited[1]));
    }
}
