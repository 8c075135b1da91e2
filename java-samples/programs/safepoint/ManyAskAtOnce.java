// ManyAskAtOnce: some threads ask for a dump of all threads, over and over, all at the same time. Each dump is an
// operation that needs a safepoint. The log tells how many safepoints there were.
//
// QUESTION  Does the VM use one safepoint for the operations of several threads?
// RUN       mkdir -p classes && javac -d classes ManyAskAtOnce.java
//           java -XX:+UseSerialGC -Xlog:safepoint,safepoint+cleanup:stdout -cp classes ManyAskAtOnce
// ARGUMENTS threads (8), dumps of each of them (50)
// NOTEBOOK  01-what-is-a-safepoint
// JDKS      8 11 17 21 25 28 (8: -XX:+PrintSafepointStatistics -XX:PrintSafepointStatisticsCount=1 for the log)
// EXPECT    8 and 11: fewer safepoints than dumps. From 16 on the VM takes one operation at a time (JDK-8212107). Up to
//           22 it also cleans up in every safepoint, whatever that was for (gone with JDK-8329488).
//           = exited; dumps = 400; /Safepoint "ThreadDump"/ at least 400 times

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.CountDownLatch;

public class ManyAskAtOnce {
    static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    // Why several threads? One that has asked waits for the answer. Only the requests of others can be there when the
    // VM thread has finished an operation and looks for the next, before it lets everybody go.
    static void ask(int dumps, CountDownLatch start) {
        try {
            start.await();
        } catch (InterruptedException stopped) {
            throw new IllegalStateException(stopped);
        }
        for (int i = 0; i < dumps; i++) {
            THREADS.dumpAllThreads(false, false);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        int count = args.length > 0 ? Integer.parseInt(args[0]) : 8;
        int dumps = args.length > 1 ? Integer.parseInt(args[1]) : 50;
        CountDownLatch start = new CountDownLatch(1);
        Thread[] threads = new Thread[count];
        for (int i = 0; i < count; i++) {
            threads[i] = new Thread(() -> ask(dumps, start));
            threads[i].start();
        }
        start.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.print("dumps=" + count * dumps + "\n");
    }
}
