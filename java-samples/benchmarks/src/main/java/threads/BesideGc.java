// BesideGc: a thread that scans 32 KB, one that parks for 100 ms, and one that parks for 100 ms and then asks for a
// garbage collection. Each alone, or side by side: what does a stop of some milliseconds cost each of them?
//
// QUESTION  Is the scan slower by the share of time in which it is stopped, or by more?
// RUN       # -tg: how many threads for gc, park and scan, in alphabetical order
//           safepoint bench threads.BesideGc.side --jdk 17 --options "-tg 1,0,1 -f 1 -wi 1 -w 300ms -i 2 -r 500ms"
// NOTEBOOK  10-more-threads
// JDKS      8 11 17 21 25 28
// EXPECT    In us an operation. park: 100 ms, and hardly more beside collections. gc: 100 ms and the stop. scan: longer
//           by about the stop's share.
//           = exited; gc > 100000; scan < gc / 10
package threads;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.openjdk.jmh.annotations.*;

@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class BesideGc {
    static final long INTERVAL = TimeUnit.MILLISECONDS.toNanos(100);

    // What makes a collection last? Objects that are alive: they have to be marked, and copied or moved. Without any,
    // as in the post, what is left is the collector's own work: with Parallel and a heap of 1 GB some ten milliseconds.
    @State(Scope.Benchmark)
    public static class Heap {
        @Param("0")
        int objects;
        Object[] live;

        @Setup
        public void fill() {
            live = new Object[objects];
            for (int i = 0; i < objects; i++) {
                live[i] = new int[1];
            }
        }
    }

    // Why 32 KB for each thread? A scan then takes microseconds, and its bytes fit into the core's own caches. What a
    // stop costs beyond its own time would be the way back into them.
    @State(Scope.Thread)
    public static class Bytes {
        @Param("32768")
        int size;
        byte[] own;

        @Setup
        public void allocate() {
            own = new byte[size];
        }
    }

    // Why park first? So that there is about the same time between the end of one collection and the next request. Thus
    // a call takes 100 ms and the stop, the time to reach the safepoint included.
    @Benchmark
    @Group("side")
    public void gc(Heap heap) {
        LockSupport.parkNanos(INTERVAL);
        System.gc();
    }

    // Why wait before an iteration? Both would begin to park at once, so that the first park ends just as the request
    // comes. The wait is as long as chance will have it.
    @State(Scope.Thread)
    public static class Phase {
        @Setup(Level.Iteration)
        public void begin() {
            LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(INTERVAL));
        }
    }

    // What does a stop cost a parked thread? Nobody waits for it: it is blocked, which is as good as stopped. It is
    // late only if its 100 ms end during a stop, for it may not return to Java before the stop is over.
    @Benchmark
    @Group("side")
    public void park(Phase phase) {
        LockSupport.parkNanos(INTERVAL);
    }

    // And a running one? It loses the share of time that it is stopped: with 15 ms in 115, each scan takes 1 / (1 -
    // 15/115) times as long on average, 1.15. What would be more than that? Caches, for instance, which the
    // collector has used meanwhile.
    //
    // When does it notice the request? The loop is counted, so without strip mining C2 leaves no poll in it: at its
    // return, some microseconds later. Not inlined, so that there is a return.
    @Benchmark
    @Group("side")
    @CompilerControl(CompilerControl.Mode.DONT_INLINE)
    public boolean scan(Bytes bytes) {
        byte[] where = bytes.own;
        for (int i = 0; i < where.length; i++) {
            if (where[i] == 1) {
                return true;
            }
        }
        return false;
    }
}
