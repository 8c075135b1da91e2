// MarkedArray: one array of 100 million references, or a thousand arrays with as many together, while a collector marks
// beside the program. Meanwhile somebody asks for safepoints, over and over. MarkedMap is the same with a real map.
//
// QUESTION  Does a safepoint wait for a collector that is busy with one large array?
// RUN       mkdir -p classes && javac --release 8 -d classes MarkedArray.java
//           java -XX:+UseG1GC -XX:+ExplicitGCInvokesConcurrent -Xms1g -Xmx1g -cp classes MarkedArray pieces 30
//           java -XX:+UseG1GC -XX:+ExplicitGCInvokesConcurrent -Xms1g -Xmx1g -cp classes MarkedArray whole 30
// ARGUMENTS whole or pieces (whole), millions of references (100)
// NOTEBOOK  12-operation-cost
// JDKS      8 11 17 21 25 27
// EXPECT    In the safepoint log, no search waits for the marking. asked_ms, the longest request, may contain the pause
//           with which the marking begins, and that one is longer with one array than with pieces.
//           = exited; asked_ms > 0
//           = exited; asked_ms > 0

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;

public class MarkedArray {
    static volatile boolean ended;
    static volatile long cycleNs;
    static Object[][] slots;

    public static void main(String[] args) throws InterruptedException {
        boolean whole = args.length == 0 || args[0].equals("whole");
        int references = 1_000_000 * (args.length > 1 ? Integer.parseInt(args[1]) : 100);

        // Why always the same object? It is marked once, and then the collector has nothing to do but to look at the
        // slots. That is the part which one array takes in one step, and pieces in a thousand.
        Object value = new Object();
        int pieces = whole ? 1 : 1000;
        slots = new Object[pieces][];
        for (int piece = 0; piece < pieces; piece++) {
            slots[piece] = new Object[references / pieces];
            Arrays.fill(slots[piece], value);
        }

        // The first collection moves what is young out of the way, the second one counts, as in MarkedMap.
        System.gc();

        // Why ask once before? The first time, the JVM loads many classes, while the marking would go on.
        ThreadMXBean management = ManagementFactory.getThreadMXBean();
        management.findDeadlockedThreads();
        Thread collector = new Thread(MarkedArray::collect, "collector");
        collector.start();
        long askedNs = ask(management);
        collector.join();
        System.out.println("asked_ms=" + askedNs / 1e6);
        System.out.println("marked_ms=" + cycleNs / 1e6);
    }

    static void collect() {
        long begun = System.nanoTime();
        System.gc();
        cycleNs = System.nanoTime() - begun;
        ended = true;
    }

    // Which is the longest? A request that comes while the collector's thread is in the array waits for its end, if the
    // collector doesn't look in between. G1 looks after each part of a large array since 9 (JDK-8057003), and so does
    // 8u504.
    static long ask(ThreadMXBean management) throws InterruptedException {
        long longest = 0;
        while (!ended) {
            long asked = System.nanoTime();
            management.findDeadlockedThreads();
            longest = Math.max(longest, System.nanoTime() - asked);
            Thread.sleep(1);
        }
        return longest;
    }
}
