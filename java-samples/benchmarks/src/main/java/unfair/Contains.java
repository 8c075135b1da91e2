// Contains: two threads search the same bytes, one once a call and one K times a call; a third may ask for a safepoint,
// and a fourth only parks. The request waits for the searches; the long call comes last, and all others wait for it.
//
// QUESTION  One thread runs a long loop without a poll, another many short ones: who is slowed by a safepoint?
// RUN       safepoint bench unfair.Contains.beside --jdk 8 --options "-f 1 -wi 1 -w 300ms -i 1 -r 1s -p k=1,30000"
// NOTEBOOK  11-unfair
// JDKS      8 11 17 21 25 28
// EXPECT    8, and Serial or Parallel everywhere: contains1 much slower at k=30000, contains1ToK as fast as alone.
//           G1 on 11 and later: nobody is slowed.
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
    // The post's size. Its interval was 100 ms, and a search took 32 us; where a search takes a third of that, 30 ms
    // are the same part of a long call.
    @Param("32768")
    int bytes;
    @Param({"1", "10", "100", "1000", "10000"})
    int k;
    @Param("30")
    int intervalMs;
    byte[] hay;
    int found;

    // Why 20,000 short calls first? A method that is called three times a second gets its code in mid-loop (OSR), where
    // the outer loop may poll. In a server it was called often with little work before: so here, too. The
    // pauses give the compiler, which works on threads of its own, time to be done before the first large call.
    @Setup
    public void warmUp() throws InterruptedException {
        int large = k;
        hay = new byte[256];
        k = 4;
        for (int call = 0; call < 20_000; call++) {
            found += contains1ToK();
            if (call % 2_000 == 0) {
                Thread.sleep(20);
            }
        }
        hay = new byte[bytes];
        k = large;
        Thread.sleep(100);
    }

    // The victim: one search a call, some microseconds, and a poll after each: at the method's return or, where C2 has
    // inlined it, in JMH's loop of calls.
    @Benchmark
    @Group("beside")
    public boolean contains1() {
        return contains(hay, 1);
    }

    // The culprit: the same search K times a call, and the next poll is after the last of them. Both loops are counted,
    // and C2 inlines the inner one into this: a nest without a poll, and no return in it that could have one. What
    // cures it? -XX:+UseCountedLoopSafepoints; dontinline of contains2, whose return polls once a search; or G1 from 10
    // on, which cuts the inner loop into strips (JDK-8186027).
    @Benchmark
    @Group("beside")
    public int contains1ToK() {
        byte[] where = hay;
        int last = k;
        int missing = 0;
        for (int needle = 1; needle <= last; needle++) {
            if (!contains2(where, needle)) {
                missing++;
            }
        }
        return missing;
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

    // A third party: it neither searches nor asks. Parked is as good as stopped, so nobody waits for it. But a thread
    // whose time is up during a stop may not return to Java before the stop is over.
    @Benchmark
    @Group("beside")
    public void park() {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(intervalMs));
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

    // Why a copy? So that a CompileCommand can forbid to inline it into contains1ToK, and leaves contains1 alone.
    static boolean contains2(byte[] hay, int needle) {
        for (int i = 0; i < hay.length; i++) {
            if (hay[i] == needle) {
                return true;
            }
        }
        return false;
    }
}
