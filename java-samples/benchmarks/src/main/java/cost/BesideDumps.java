// BesideDumps: one thread searches an array, one parks for 100 ms, and one parks, then asks for a dump of all threads.
// All others sleep. Nobody is late for the safepoint; it is the operation that takes long, and grows with the sleepers.
//
// QUESTION  What does a thread dump cost a thread that has nothing to do with it?
// RUN       safepoint bench cost.BesideDumps --jdk 17 --options "-f 1 -wi 1 -w 300ms -i 2 -r 500ms -p idle=0,1000"
// NOTEBOOK  12-operation-cost
// JDKS      8 11 17 21 25 28
// EXPECT    contains1 several times slower with 1000 idle threads than with none, and park late for its 100 ms.
//           = exited; last(dumpAll) > 1.3 * first(dumpAll); last(contains1) > first(contains1)
package cost;

import java.lang.management.ManagementFactory;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.openjdk.jmh.annotations.*;

@State(Scope.Group)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class BesideDumps {
    @Param({"0", "1000"})
    int idle;
    @Param("256")
    int depth;
    @Param("100")
    int intervalMs;
    @Param("32768")
    int size;
    byte[] hay;

    // Who else is there? Threads that sleep, each with a stack of `depth` frames. Nobody waits for them: a parked
    // thread is as good as stopped. But a dump has to walk every frame of every stack, and it does so while all threads
    // are stopped.
    @Setup
    public void start() throws InterruptedException {
        hay = new byte[size];
        CountDownLatch ready = new CountDownLatch(idle);
        for (int n = 0; n < idle; n++) {
            Thread thread = new Thread(() -> descend(depth, ready), "idle-" + n);
            thread.setDaemon(true);
            thread.start();
        }
        ready.await();
    }

    // The victim polls when it returns, after each search of some microseconds: nobody has to wait for it. It shares no
    // lock and no data with the others. All it loses is the time that it is stopped.
    @Benchmark
    @Group("beside")
    public boolean contains1() {
        for (int i = 0; i < hay.length; i++) {
            if (hay[i] == 1) {
                return true;
            }
        }
        return false;
    }

    // Can a thread that only parks be slowed? It needs no core and no lock. But if its time is over during a stop, it
    // may not return before the end of the stop.
    @Benchmark
    @Group("beside")
    public void park() {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(intervalMs));
    }

    // And who asks? A profiler that samples all threads some times a second does just this. Its price is paid by every
    // thread that runs, and grows with the threads that do not. (A dump of one thread by Thread.getStackTrace is
    // a handshake since 19 and stops nobody else; JEP 425 brought it.)
    @Benchmark
    @Group("beside")
    public Object dumpAll() {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(intervalMs));
        return ManagementFactory.getThreadMXBean().dumpAllThreads(false, false);
    }

    // Why recursion? Each call is a frame for the dump to describe: method, line, class. A server's threads, parked in
    // a pool under a framework, are as deep.
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
