// ParkedThreads: some threads park, virtual or platform ones. Then main requests stops that do next to nothing, and some
// full collections.
//
// QUESTION  How long does a stop wait for a million threads?
// RUN       # with JDK 21:
//           mkdir -p classes && javac -d classes ParkedThreads.java
//           java -XX:+UseSerialGC -Xmx2g -Xlog:safepoint -cp classes ParkedThreads platform 5000
//           java -XX:+UseSerialGC -Xmx2g -Xlog:safepoint -cp classes ParkedThreads virtual 100000
// ARGUMENTS virtual or platform, threads (10), searches for deadlocks (15), full collections (3)
// NOTEBOOK  18-a-million-threads
// LANGUAGE  21
// JDKS      21 25 26 27 28
// EXPECT    With platform threads the time to safepoint grows with their number. With virtual threads it doesn't, but a
//           full collection takes longer, as their stacks are in the heap.
//           = exited; /"FindDeadlocks"/ 15 times; 5000 < last(counted_threads)
//           = exited; 5 * median(Reaching_safepoint) < median(above.Reaching_safepoint); last(counted_threads) < 100; 2 * last(above.gc_ms) < last(gc_ms)

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

public class ParkedThreads {
    // What keeps a parked virtual thread alive? A reference to it, as with any object.
    static Thread[] all;

    public static void main(String[] args) throws InterruptedException {
        boolean virtual = args.length > 0 && args[0].equals("virtual");
        int threads = args.length > 1 ? Integer.parseInt(args[1]) : 10;
        int searches = args.length > 2 ? Integer.parseInt(args[2]) : 15;
        int collections = args.length > 3 ? Integer.parseInt(args[3]) : 3;
        start(virtual, threads);

        // Is this count that of all threads? Of the platform threads only: the management interface, like the VM thread,
        // has a list of those. A virtual thread is on no list of the VM's.
        ThreadMXBean management = ManagementFactory.getThreadMXBean();
        System.out.println("counted_threads=" + management.getThreadCount());
        System.gc();
        Runtime heap = Runtime.getRuntime();
        System.out.println("live_mib=" + (heap.totalMemory() - heap.freeMemory() >> 20));

        // What is a stop for? Here for the search for deadlocks, which has little to do. Before it can begin, the VM
        // thread looks at each thread of its list: has it stopped? A parked one has, but it must be looked at.
        for (int n = 0; n < searches; n++) {
            Thread.sleep(20);
            management.findDeadlockedThreads();
        }

        // And a full collection? It visits whatever is alive in the heap, and the stack of a parked virtual thread is
        // an object there. The stack of a platform thread isn't; the collector has to walk that one, too.
        long[] tookNs = new long[collections];
        for (int n = 0; n < collections; n++) {
            Thread.sleep(20);
            long begin = System.nanoTime();
            System.gc();
            tookNs[n] = System.nanoTime() - begin;
        }
        Arrays.sort(tookNs);
        System.out.println("gc_ms=" + tookNs[collections / 2] / 1e6);
        Runtime.getRuntime().halt(0); // without waiting for the threads
    }

    static void start(boolean virtual, int threads) throws InterruptedException {
        CountDownLatch running = new CountDownLatch(threads);
        Runnable park = () -> {
            running.countDown();
            while (true) {
                LockSupport.park();
            }
        };
        // A platform thread reserves address space for its stack; 128 KiB are enough for these.
        Thread.Builder kind = virtual ? Thread.ofVirtual() : Thread.ofPlatform().daemon().stackSize(128 << 10);
        all = new Thread[threads];
        long begin = System.nanoTime();
        for (int n = 0; n < threads; n++) {
            all[n] = kind.start(park);
        }
        running.await();
        System.out.println("start_ms=" + (System.nanoTime() - begin) / 1e6);
        Thread.sleep(500); // the last of them still have to park
    }
}
