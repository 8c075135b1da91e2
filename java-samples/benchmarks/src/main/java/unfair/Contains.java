// Contains: two threads search the same bytes, one once a call and one K times a call; a third may ask for a safepoint.
// Who waits for whom? The request waits for both, the long call reaches the safepoint last, and the short calls wait.
//
// QUESTION  One thread runs a long loop without a poll, another many short ones: who is slowed by a safepoint?
// RUN       safepoint bench unfair.Contains.beside --jdk 8 --options "-f 1 -wi 1 -w 300ms -i 1 -r 1s -p k=1,4000"
// NOTEBOOK  11-unfair
// JDKS      8 11 17 21 25 28
// EXPECT    8, and Serial or Parallel everywhere: contains1 many times slower at k=4000, contains1ToK as fast as
//           alone. G1 on 11 and later: nobody is slowed.
//           = exited; last(contains1) > 1.5 * first(contains1); last(findDeadlocks) > 2 * first(findDeadlocks)
package unfair;

import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.openjdk.jmh.annotations.*;

@State(Scope.Group)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class Contains {
    @Param("100000")
    int bytes;
    @Param({"1", "100", "10000"})
    int k;
    @Param("50")
    int intervalMs;
    byte[] hay;

    // Why 20,000 tiny calls first? A method that is called three times a second gets its code in mid-loop (OSR), with
    // polls. In a server it was called often and with little work before the large request came: so here, too. The
    // pauses give the compiler, which works on threads of its own, time to be done before the first large call.
    @Setup
    public void warmUp() throws InterruptedException {
        hay = new byte[bytes];
        byte[] wisp = new byte[8];
        for (int call = 0; call < 20_000; call++) {
            missing(wisp, 4);
            if (call % 2_000 == 0) {
                Thread.sleep(20);
            }
        }
        Thread.sleep(100);
    }

    // The victim: one search a call, some microseconds, and a poll each time that the method returns.
    @Benchmark
    @Group("beside")
    public boolean contains1() {
        return contains(hay, 1);
    }

    // The culprit: the same search K times a call, and the next poll is after the last of them.
    @Benchmark
    @Group("beside")
    public int contains1ToK() {
        return missing(hay, k);
    }

    // And who asks? Some monitoring agent. The search for deadlocks is a cheap operation for which the VM stops all
    // threads: with few threads it takes less than a millisecond, so that all the rest is waiting. contains1 reaches
    // the safepoint first and waits longest; contains1ToK comes last, waits for hardly more than the search, and is as
    // fast as alone.
    @Benchmark
    @Group("beside")
    public long[] findDeadlocks() {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(intervalMs));
        return ManagementFactory.getThreadMXBean().findDeadlockedThreads();
    }

    // Both loops are counted, and C2 inlines the inner one into this: a nest without a poll, and no return in it that
    // could have one. What cures it? -XX:+UseCountedLoopSafepoints; dontinline of contains, whose return polls once in
    // 100,000 iterations; or G1 from 11 on, which cuts the inner loop into strips (JDK-8186027).
    static int missing(byte[] hay, int k) {
        int missing = 0;
        for (int needle = 1; needle <= k; needle++) {
            if (!contains(hay, needle)) {
                missing++;
            }
        }
        return missing;
    }

    // All bytes are 0 and no needle is, so that each search goes to the end.
    static boolean contains(byte[] hay, int needle) {
        for (int i = 0; i < hay.length; i++) {
            if (hay[i] == needle) {
                return true;
            }
        }
        return false;
    }
}
