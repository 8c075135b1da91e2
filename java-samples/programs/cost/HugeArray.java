// HugeArray: one thread works on one large array, in one step; another asks for safepoints. What a library does for us
// in a single call is a loop too, and somebody has to have thought of a poll in it.
//
// QUESTION  Does a safepoint wait for one call that copies, fills, or makes an array?
// RUN       mkdir -p classes && javac -d classes HugeArray.java
//           java -XX:+UseSerialGC -Xms1g -Xmx1g -Xlog:safepoint -cp classes HugeArray copy 200 8
//           java -XX:+UseSerialGC -Xms1g -Xmx1g -Xlog:safepoint -cp classes HugeArray chunks 200 8
// ARGUMENTS copy, fill, make or chunks, MiB of the array (400), safepoints asked for (16)
// NOTEBOOK  12-operation-cost
// JDKS      8 11 17 21 25 28 (8: -XX:+PrintSafepointStatistics -XX:PrintSafepointStatisticsCount=1 for the log)
// EXPECT    copy: the time to safepoint grows with the array, and mostly with fill and make, too; chunks: it does not.
//           = exited; /"FindDeadlocks"/ 8 times
//           = exited; /"FindDeadlocks"/ 8 times; 2 * median(Reaching_safepoint) < median(above.Reaching_safepoint)

import java.lang.management.ManagementFactory;
import java.util.Arrays;

public class HugeArray {
    static final int CHUNK = 64 * 1024;
    static volatile boolean ended;
    static byte[] made;

    public static void main(String[] args) throws InterruptedException {
        String what = args.length > 0 ? args[0] : "copy";
        int mib = args.length > 1 ? Integer.parseInt(args[1]) : 400;
        int stops = args.length > 2 ? Integer.parseInt(args[2]) : 16;
        byte[] from = new byte[mib << 20];
        byte[] to = what.equals("make") ? null : new byte[mib << 20];
        Thread worker = new Thread(() -> work(what, from, to), "worker");
        worker.start();
        Thread.sleep(300);

        // Why this request? The search for deadlocks is done as soon as the safepoint is reached (IdleThreads says
        // why): what the log shows is the way there.
        for (int stop = 0; stop < stops; stop++) {
            ManagementFactory.getThreadMXBean().findDeadlockedThreads();
            Thread.sleep(37);
        }
        ended = true;
        worker.join();
    }

    // Which of these is Java, and which is not? None runs a loop of ours.
    //   copy  in compiled code is a routine in machine code, a stub, which the VM makes at its start. A thread in it
    //         counts as one that runs Java, and the stub has no poll. So few large copies as here never get this loop
    //         compiled: the interpreter calls the native method (JVM_ArrayCopy), which copies as a part of the VM.
    //   fill  is a counted loop of the library. C2 takes its poll away, or replaces the whole loop by a stub
    //         (-XX:+OptimizeFill).
    //   make  has the VM write zeros. A thread in the VM has to be waited for, too. (ZGC zeroes 64 KiB at a time and
    //         looks in between whether a safepoint waits: ZObjArrayAllocator.)
    // A thread that is blocked or in native code would not have to be waited for: it stops on its way back to Java.
    static void work(String what, byte[] from, byte[] to) {
        while (!ended) {
            switch (what) {
                case "copy":
                    System.arraycopy(from, 0, to, 0, from.length);
                    break;
                case "fill":
                    Arrays.fill(to, (byte) 1);
                    break;
                case "make":
                    made = new byte[from.length];
                    break;
                default:
                    copyInChunks(from, to);
            }
        }
    }

    // The cure needs no flag: many calls instead of one, and a poll between two of them. But is there one? A loop that
    // steps by CHUNK each time could be counted, and lose it. How far this one steps is known in each iteration only,
    // so C2 cannot count it, and leaves the poll in.
    //
    // Does another collector help? Not with copy: G1 cuts counted loops into strips, but neither a stub nor the VM's
    // own copy is a loop to C2.
    static void copyInChunks(byte[] from, byte[] to) {
        int at = 0;
        while (at < from.length && !ended) {
            int length = Math.min(CHUNK, from.length - at);
            System.arraycopy(from, at, to, at, length);
            at += length;
        }
    }
}
