// RunningStoppedRunning: four threads in four states go about their work and note the time as they go; now and then
// main asks for a garbage collection. The notes, drawn beside the safepoint log, are the picture of a safepoint.
//
// QUESTION  The JVM says stop. Which thread stops when?
// RUN       mkdir -p classes && javac -d classes RunningStoppedRunning.java
//           java -XX:+UseSerialGC -Xlog:safepoint:stdout:tn -cp classes RunningStoppedRunning notes.csv
//           java -XX:+UseG1GC -Xlog:safepoint:stdout:tn -cp classes RunningStoppedRunning notes.csv
// ARGUMENTS CSV file for the notes (standard output), stops (5), iterations of the counted loop in millions (100)
// NOTEBOOK  01-what-is-a-safepoint
// JDKS      8 11 17 21 25 28 (8: -XX:+PrintSafepointStatistics -XX:PrintSafepointStatisticsCount=1 for the log)
// EXPECT    polling falls silent at once, counted at the end of its loop (with G1, whose loops poll since 10, at once,
//           too), asleep and inNative keep nobody waiting. The log's time to reach the safepoint is counted's delay.
//           = exited; /"GenCollectFull"/ 5 times; max(Reaching_safepoint) > 10 * median(Cleanup)
//           = exited; /"G1CollectFull"/ 5 times; median(Reaching_safepoint) < max(above.Reaching_safepoint)

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.RuntimeMXBean;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

public class RunningStoppedRunning {
    // How to take notes without disturbing? In arrays that are there before: no allocation, no lock, no output. Each
    // thread has its own. The time comes from System.nanoTime(), which the safepoint log can use too.
    enum Notes {
        main("asks", "answered"), polling("runs"), counted("runs"), asleep("leaves", "returns"),
        inNative("leaves", "returns");

        final String[] marks;
        final long[] nanos = new long[1 << 17];
        int count;

        Notes(String... marks) {
            this.marks = marks;
        }

        void take() {
            nanos[count++] = System.nanoTime();
        }
    }

    static volatile boolean warm;
    static volatile boolean done;
    static volatile int result;

    // Who stops at once? Code that polls in each iteration, that is, looks whether it should stop: the interpreter,
    // C1's code, and C2's loops whose number of iterations C2 cannot compute. Here `done` decides, and another thread
    // sets it.
    static void polling() {
        for (int i = 0; !done; i++) {
            result = 31 * result + i;
            if ((i & 0x3FFF) == 0) {
                Notes.polling.take();
            }
        }
    }

    // Who is late? A counted loop: C2 knows its number of iterations beforehand, expects it to end soon, and leaves the
    // poll out. With G1 it polls once in 1,000 iterations (JDK-8186027). The note is taken here and not by take(): a
    // call that is not inlined has a poll of its own where it returns. nanoTime() is an intrinsic, a call without one.
    static int counted(long[] nanos, int count, int turns) {
        int hash = 0;
        for (int i = 0; i < turns; i++) {
            hash = 31 * hash + i;
            if ((i & 0xFFFF) == 0 && count < nanos.length) {
                nanos[count++] = System.nanoTime();
            }
        }
        result = hash;
        return count;
    }

    // Why 5,000 short loops first? They give the method its standard version, entered at the top. A long one would be
    // compiled while it runs, by OSR, and that code may keep the poll: see osr/EnteredOnce.
    static void counted(int turns) {
        for (int i = 0; i < 5000; i++) {
            counted(Notes.counted.nanos, 0, 20_000);
        }
        warm = true;
        while (!done) {
            Notes.counted.count = counted(Notes.counted.nanos, Notes.counted.count, turns);
        }
    }

    // Who need not stop? A thread that is not in Java: asleep, blocked, or in native code, as in this read. It works on
    // during the safepoint, and the VM thread does not wait for it. On its way back into Java it has to look
    // whether a safepoint is on, and waits there: the note that it returned has a time after the safepoint.
    static void inNative() {
        ByteBuffer buffer = ByteBuffer.allocateDirect(16 << 20);
        try (FileChannel random = FileChannel.open(Paths.get("/dev/urandom"))) {
            for (; !done; Notes.inNative.take()) {
                buffer.clear();
                Notes.inNative.take();
                random.read(buffer);
            }
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    // And a sleeper? It is blocked, so for the VM thread it has stopped already. If its 40 ms end during the safepoint
    // it waits for the rest, and is late by that; nobody is late because of it.
    static void asleep() {
        for (; !done; Notes.asleep.take()) {
            Notes.asleep.take();
            LockSupport.parkNanos(40_000_000);
        }
    }

    // What time is it in the log? With its decoration `tn` (11 and later) nanoTime, as here. 8 prints the uptime, by
    // the same clock: the mark "start" is when that was 0, found by waiting for the uptime's next whole millisecond.
    static long jvmStart() {
        RuntimeMXBean jvm = ManagementFactory.getRuntimeMXBean();
        for (long uptime = jvm.getUptime(); uptime == jvm.getUptime(); ) {
            Thread.yield();
        }
        return System.nanoTime() - jvm.getUptime() * 1_000_000;
    }

    public static void main(String[] args) throws InterruptedException, IOException {
        int stops = args.length > 1 ? Integer.parseInt(args[1]) : 5;
        int turns = (args.length > 2 ? Integer.parseInt(args[2]) : 100) * 1_000_000;
        Thread[] threads = {new Thread(() -> polling(), "polling"), new Thread(() -> counted(turns), "counted"),
            new Thread(() -> asleep(), "asleep"), new Thread(() -> inNative(), "inNative")};
        for (Thread thread : threads) {
            thread.start();
        }
        while (!warm) {
            Thread.sleep(100);
        }

        // Why different pauses? So that a request does not come at the same place of the counted loop each time. And
        // what does main see? Its call returns after the safepoint: the wait for the last thread, and the collection.
        for (int stop = 0; stop < stops; stop++) {
            Thread.sleep(100 + 37 * stop);
            Notes.main.take();
            System.gc();
            Notes.main.take();
        }
        done = true;
        for (Thread thread : threads) {
            thread.join();
        }

        List<String> csv = new ArrayList<>();
        csv.add("thread,nanos,mark\njvm," + jvmStart() + ",start");
        for (Notes notes : Notes.values()) {
            for (int i = 0; i < notes.count; i++) {
                csv.add(notes + "," + notes.nanos[i] + "," + notes.marks[i % notes.marks.length]);
            }
        }
        Files.write(Paths.get(args.length > 0 ? args[0] : "/dev/stdout"), csv);
    }
}
