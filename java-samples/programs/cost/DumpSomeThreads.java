// DumpSomeThreads: IdleThreads with a profiler that asks for less. It looks at ten threads only, others each time.
// Nobody runs, so every safepoint is reached at once: what differs is how long the operation takes.
//
// QUESTION  Must a sampler stop every thread for as long as it takes to walk all stacks?
// RUN       mkdir -p classes && javac -d classes DumpSomeThreads.java
//           java -Xlog:safepoint -cp classes DumpSomeThreads dump 10 256
//           java -Xlog:safepoint -cp classes DumpSomeThreads dump 1000 256
// ARGUMENTS a word that is ignored (dump), idle threads (1000), calls on the stack of each (256), how often (10)
// NOTEBOOK  12-operation-cost
// JDKS      8 11 17 21 25 28 (8: -XX:+PrintSafepointStatistics -XX:PrintSafepointStatisticsCount=1 for the log)
// EXPECT    The operation is ThreadDump still, and takes as long with 1000 idle threads as with ten.
//           = exited; /"ThreadDump"/ 10 times
//           = exited; /"ThreadDump"/ 10 times; median(At_safepoint) < 10 * median(above.At_safepoint)

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

public class DumpSomeThreads {
    static final int SOME = 10;

    public static void main(String[] args) throws InterruptedException {
        int threads = args.length > 1 ? Integer.parseInt(args[1]) : 1000;
        int depth = args.length > 2 ? Integer.parseInt(args[2]) : 256;
        int times = args.length > 3 ? Integer.parseInt(args[3]) : 10;
        long[] ids = start(threads, depth);

        // Must a dump be of all threads? No: getThreadInfo takes the ids of those that are wanted, and the VM thread
        // walks their stacks only. Which ten? Other ones each time, so that in the end all were seen. A stop is as long
        // as the number of stacks that are walked in it, and that is ten, however many threads there are.
        //
        // So is it a stop for ten threads only? No, it is a safepoint for all, also on 25: the operation ThreadDump
        // makes no difference between ten threads and a thousand. The others wait as long as ten walks take.
        ThreadMXBean management = ManagementFactory.getThreadMXBean();
        for (int time = 0; time < times; time++) {
            long[] some = new long[Math.min(SOME, threads)];
            for (int n = 0; n < some.length; n++) {
                some[n] = ids[(time * SOME + n) % threads];
            }
            management.getThreadInfo(some, Integer.MAX_VALUE);
            Thread.sleep(10);
        }
    }

    // What is lost? The picture of one moment: a dump of all shows who waits for whom, ten stacks do not. A sampling
    // profiler asks for something else, where time is spent on average, and for that samples are enough.
    //
    // Why not Thread.getStackTrace()? For one thread it is a handshake since 19 (JEP 425): only that thread stops.
    // Up to 18 it is a safepoint of its own for each thread, and ten of them wait ten times for the last thread to stop
    // (blame/PriceOfLooking: each).
    static long[] start(int threads, int depth) throws InterruptedException {
        CountDownLatch ready = new CountDownLatch(threads);
        long[] ids = new long[threads];
        for (int n = 0; n < threads; n++) {
            Thread idle = new Thread(() -> descend(depth, ready), "idle-" + n);
            idle.setDaemon(true);
            idle.start();
            ids[n] = idle.getId();
        }
        ready.await();
        return ids;
    }

    // The same idle threads as in cost/IdleThreads: parked, so no stop has to wait for them, below as many calls as
    // wanted.
    static void descend(int calls, CountDownLatch ready) {
        if (calls > 1) {
            descend(calls - 1, ready);
            return;
        }
        ready.countDown();
        while (true) {
            LockSupport.park();
        }
    }
}
