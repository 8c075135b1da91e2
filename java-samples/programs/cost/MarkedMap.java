// MarkedMap: a concurrent collector marks one huge map, while another thread asks for safepoints and a third one runs.
// A safepoint waits for the collector's thread, too: nothing may be marked while the VM moves objects.
//
// QUESTION  Does a safepoint wait until the collector has marked the largest object?
// RUN       mkdir -p classes && javac --release 8 -d classes MarkedMap.java
//           java -XX:+UseG1GC -XX:+ExplicitGCInvokesConcurrent -Xms1g -Xmx1g -cp classes MarkedMap 5
// ARGUMENTS millions of entries (5)
// NOTEBOOK  12-operation-cost
// JDKS      8 11 17 21 25 28
// EXPECT    asked_ms, the longest request, is a small part of marked_ms, which is what the whole cycle took.
//           = exited; asked_ms < marked_ms

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

public class MarkedMap {
    static volatile boolean ended;
    static volatile long silenceNs, cycleNs;
    static Object[] map;

    public static void main(String[] args) throws InterruptedException {
        int entries = 1_000_000 * (args.length > 0 ? Integer.parseInt(args[0]) : 5);
        map = filled(entries);

        // Why a first collection? It moves what is young into the old generation. The second one, which counts, then
        // begins with a short stop, and nearly all of it is marking beside the program. (Both are concurrent with
        // -XX:+ExplicitGCInvokesConcurrent, which Serial and Parallel ignore.)
        System.gc();
        Thread runner = new Thread(MarkedMap::run, "runner");
        Thread collector = new Thread(MarkedMap::collect, "collector");
        runner.start();
        collector.start();
        long askedNs = ask();
        runner.join();
        System.out.println("asked_ms=" + askedNs / 1e6);
        System.out.println("silence_ms=" + silenceNs / 1e6);
        System.out.println("marked_ms=" + cycleNs / 1e6);
    }

    // Which map has its entries in one object? Those with open addressing: key, value, key, value, in one array, with
    // some slots left empty. 50 million entries are an array of 134 million references, 512 MiB.
    static Object[] filled(int entries) {
        Object[] slots = new Object[4 * Integer.highestOneBit(entries - 1)];
        for (int n = 0; n < entries; n++) {
            slots[2 * n] = new Object();
            slots[2 * n + 1] = Boolean.TRUE;
        }
        return slots;
    }

    static void collect() {
        long begun = System.nanoTime();
        System.gc();
        cycleNs = System.nanoTime() - begun;
        ended = true;
    }

    // Who waits, if the collector's thread does not look? The one who asked does. This one runs on: the VM asks the
    // collector first, and the Java threads after that. It stands as soon as it asks for something itself, memory for
    // instance.
    static void run() {
        long last = System.nanoTime();
        while (!ended) {
            long now = System.nanoTime();
            silenceNs = Math.max(silenceNs, now - last);
            last = now;
        }
    }

    // When does a collector's thread look whether somebody waits? CMS, if one thread marks, after each object that it
    // has newly marked; several threads pass over some of them without a look (PushOrMarkClosure). G1 looks after each
    // part of a large array since 9 (JDK-8057003), and 8u504 does, too. Older builds took an array as a whole.
    static long ask() throws InterruptedException {
        ThreadMXBean management = ManagementFactory.getThreadMXBean();
        long longest = 0;
        while (!ended) {
            long asked = System.nanoTime();
            management.findDeadlockedThreads();
            longest = Math.max(longest, System.nanoTime() - asked);
            Thread.sleep(5);
        }
        return longest;
    }
}
