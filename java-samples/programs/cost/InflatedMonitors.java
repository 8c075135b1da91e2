// InflatedMonitors: makes many objects with a monitor of their own that nobody uses any more, then asks for safepoints.
// On each object a thread has begun to wait, so that the VM had to give it a full monitor instead of a light lock.
//
// QUESTION  Who takes unused monitors back, and when?
// RUN       mkdir -p classes && javac --release 8 -d classes InflatedMonitors.java
//           java -Xlog:safepoint -cp classes InflatedMonitors 100000 2
//           # with JDK 8:
//           java -XX:+PrintSafepointStatistics -XX:PrintSafepointStatisticsCount=1 -cp classes \
//           InflatedMonitors 100000 2
// ARGUMENTS objects (500000), rounds (3)
// NOTEBOOK  12-operation-cost
// JDKS      8 11 17 21 25 28
// EXPECT    8 and 11: the first stop of each round takes longer the more monitors there are: the VM deflates them while
//           all threads are stopped (8: `cleanup`, the fourth of the five times, in ms). From 15 on another thread does
//           it, beside the program: Cleanup takes microseconds.
//           = exited; /"FindDeadlocks"/ 4 times; objects = 100000
//           = exited; /FindDeadlocks .*\[ +\d+ +\d+ +\d+ +[1-9]\d* +\d+ +\]/; objects = 100000

import java.lang.management.ManagementFactory;

public class InflatedMonitors {
    public static void main(String[] args) {
        int objects = args.length > 0 ? Integer.parseInt(args[0]) : 500_000;
        int rounds = args.length > 1 ? Integer.parseInt(args[1]) : 3;
        Object[] locks = new Object[objects];
        for (int n = 0; n < objects; n++) {
            locks[n] = new Object();
        }
        for (int round = 0; round < rounds; round++) {
            inflate(locks);

            // How to see what deflation takes? It is no operation of its own: 8 and 11 look for idle monitors in every
            // safepoint, whatever that is for. So this one looks for deadlocks, which takes next to nothing here, and
            // what the stop takes is deflation. The second stop finds nothing left to deflate.
            ManagementFactory.getThreadMXBean().findDeadlockedThreads();
            ManagementFactory.getThreadMXBean().findDeadlockedThreads();
        }
        System.out.println("objects=" + objects);
    }

    // Why wait() and not just synchronized? An uncontended lock lives in the object's header (biased/MarkWords) and
    // needs no monitor. A thread that waits has to be put into a list, and the list is in the monitor: the lock is
    // inflated. The wait is over at once, since the thread was interrupted before, but the monitor is there by then.
    //
    // Why not leave the monitors where they are? Each takes memory outside of the heap, and a program that waits on
    // many objects once would keep them all. Since 15 a thread of the VM deflates them beside the program
    // (JDK-8153224), and the stop no longer depends on their number.
    static void inflate(Object[] locks) {
        for (Object lock : locks) {
            synchronized (lock) {
                Thread.currentThread().interrupt();
                try {
                    lock.wait();
                } catch (InterruptedException expected) {
                    // and that has cleared the interrupt
                }
            }
        }
    }
}
