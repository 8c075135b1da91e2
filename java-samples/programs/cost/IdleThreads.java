// IdleThreads: some threads wait, each below a stack of method calls, and cost nobody anything. Then somebody asks for
// a thread dump, or for deadlocks.
//
// QUESTION  What does a thread that does nothing cost?
// RUN       mkdir -p classes && javac -d classes IdleThreads.java
//           java -Xlog:safepoint -cp classes IdleThreads dump 100 256
//           java -Xlog:safepoint -cp classes IdleThreads dump 100 16
//           java -Xlog:safepoint -cp classes IdleThreads deadlocks 100 256
// ARGUMENTS dump, deadlocks or collect, idle threads (100), calls on the stack of each (256), how often (10)
// NOTEBOOK  12-operation-cost
// JDKS      8 11 17 21 25 28 (8: -XX:+PrintSafepointStatistics -XX:PrintSafepointStatisticsCount=1 for the log)
// EXPECT    The operation ThreadDump takes ten times as long with ten times the threads, and longer with deeper stacks;
//           the depth of the stacks makes no difference to FindDeadlocks. Both are reached at once, as nobody runs.
//           call_ms, the median of the calls, is longer than the stop in it.
//           = exited; /"ThreadDump"/ 10 times; median(Reaching_safepoint) < median(At_safepoint)
//           = exited; /"ThreadDump"/ 10 times; 2 * median(At_safepoint) < median(above.At_safepoint)
//           = exited; /"FindDeadlocks"/ 10 times; 5 * median(At_safepoint) < median(above.At_safepoint)

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

public class IdleThreads {
    public static void main(String[] args) throws InterruptedException {
        String what = args.length > 0 ? args[0] : "dump";
        int threads = args.length > 1 ? Integer.parseInt(args[1]) : 100;
        int depth = args.length > 2 ? Integer.parseInt(args[2]) : 256;
        int times = args.length > 3 ? Integer.parseInt(args[3]) : 10;
        start(threads, depth);

        // Why does a dump stop all threads? It tells what all of them did at one moment: which one waits for which. So
        // the VM thread walks one stack after the other, alone, and no thread may run on until it has walked the last.
        // That is the operation ThreadDump, and it grows with threads times frames.
        //
        // What is not part of the stop? During it the VM notes methods and positions only. The StackTraceElements are
        // made afterwards, by the thread that called, while all others run again. So the call takes longer than the
        // stop.
        //
        // And why does the search for deadlocks (FindDeadlocks) walk no stacks? It follows locks from owner to owner,
        // and the VM keeps for each thread which lock it waits for. A collection (collect) is there to compare with.
        ThreadMXBean management = ManagementFactory.getThreadMXBean();
        long[] tookNs = new long[times];
        for (int time = 0; time < times; time++) {
            long askedAt = System.nanoTime();
            if (what.equals("dump")) {
                management.dumpAllThreads(false, false);
            } else if (what.equals("deadlocks")) {
                management.findDeadlockedThreads();
            } else {
                System.gc();
            }
            tookNs[time] = System.nanoTime() - askedAt;
            Thread.sleep(10);
        }
        Arrays.sort(tookNs);
        System.out.println("call_ms=" + tookNs[times / 2] / 1e6);
    }

    // Does a stop wait for these threads? No: a parked thread runs no Java code. If it is unparked during the stop it
    // waits before it returns to Java, and that is all the VM needs. It only has to look at each thread's state.
    static void start(int threads, int depth) throws InterruptedException {
        CountDownLatch ready = new CountDownLatch(threads);
        for (int n = 0; n < threads; n++) {
            Thread idle = new Thread(() -> descend(depth, ready), "idle-" + n);
            idle.setDaemon(true);
            idle.start();
        }
        ready.await();
    }

    // A web server's stacks are as deep as these, as each layer adds its calls. Why in a recursion? One method is
    // enough then. And the loop around park()? It may return without a reason, and its documentation says so.
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

    // What makes a dump cheap? Fewer threads or frames in it: cost/DumpSomeThreads looks at ten threads each time. What
    // does not: polls in loops, whatever flag brings them. The wait is for the operation, not for a thread that is
    // late.
}
