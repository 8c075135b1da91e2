// BesideGc: a thread that scans 32 KB, one that parks for 100 ms, and one that parks for 100 ms and then asks for a
// garbage collection. Each alone, or side by side: what does a stop of some milliseconds cost each of them?
//
// QUESTION  Is the scan slower by the share of time in which it is stopped, or by more?
// RUN       # -tg: how many threads for gc, park and scan, in alphabetical order
//           safepoint bench threads.BesideGc.side --jdk 17 --options "-tg 1,0,1 -f 1 -wi 1 -w 300ms -i 2 -r 500ms"
// NOTEBOOK  10-more-threads
// JDKS      8 11 17 21 25 28
// EXPECT    In us an operation. park: 100 ms, with or without collections. gc: 100 ms and the stop. scan: longer by
//           about the stop's share.
//           = exited; gc > 100000; scan < gc / 10
package threads;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.CompilerControl;
import org.openjdk.jmh.annotations.Group;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class BesideGc {
    static final long INTERVAL = TimeUnit.MILLISECONDS.toNanos(100);

    // What makes a collection last? Objects that are alive: an empty heap is collected in no time.
    @State(Scope.Benchmark)
    public static class Heap {
        @Param("400000")
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

    // Why park first? So that there is about the same time between the end of one collection and the next request.
    @Benchmark
    @Group("side")
    public void gc(Heap heap) {
        LockSupport.parkNanos(INTERVAL);
        System.gc();
    }

    @Benchmark
    @Group("side")
    public void park() {
        LockSupport.parkNanos(INTERVAL);
    }

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
