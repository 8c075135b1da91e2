// WhoIsBlamed: the four cases of programs/blame/KnownAnswer, as benchmarks, for the profilers that JMH brings along.
// All of the time is in sum(), or in its twin sumApart(). Everything else takes a few nanoseconds a call.
//
// QUESTION  Which method, and which line, does JMH's own stack profiler call hot?
// RUN       safepoint bench blame.WhoIsBlamed.inlined --jdk 8 --prof "stack:lines=1;detailLine=true" \
//           --options "-f 1 -wi 1 -w 300ms -i 2 -r 300ms"
// NOTEBOOK  20-safepoint-bias
// JDKS      8 11 17 21 25 28
// EXPECT    The table has a row `stack` without a number: the profile stands in the recorded run's stdout.txt. It names
//           JMH's generated loop or an innocent setter with Serial and Parallel; with G1 from 11 on, the loop itself.
//           = exited; inlined > 0; /WhoIsBlamed.inlined .* stack/
package blame;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.CompilerControl;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class WhoIsBlamed {
    @Param("50000")
    int size;
    byte[] data;
    Listener listeners = new Listener(new Listener(new Listener(null)));

    @Setup
    public void allocate() {
        data = new byte[size];
    }

    // THE HOT LOOP, which every case but one has inlined.
    int sum() {
        int hash = 0;
        for (int i = 0; i < data.length; i++) {
            hash = 31 * hash + data[i];
        }
        return hash;
    }

    @CompilerControl(CompilerControl.Mode.DONT_INLINE)
    int sumApart() {
        int hash = 0;
        for (int i = 0; i < data.length; i++) {
            hash = 31 * hash + data[i];
        }
        return hash;
    }

    // JMH calls this from a loop of its own. That loop has the next poll.
    @Benchmark
    public int inlined() {
        return sum();
    }

    @Benchmark
    public int notInlined() {
        return sumApart();
    }

    @Benchmark
    public void innocentSetter() {
        setResult(sum());
    }

    void setResult(int value) {
        for (Listener each = listeners; each != null; each = each.next) {
            each.seen = value;
        }
    }

    @Benchmark
    public void farAway() {
        level1(sum());
    }

    void level1(int value) { level2(value); }
    void level2(int value) { level3(value); }
    void level3(int value) { level4(value); }
    void level4(int value) { level5(value); }
    void level5(int value) { level6(value); }

    // Not inlined: it has a poll of its own, where it returns.
    @CompilerControl(CompilerControl.Mode.DONT_INLINE)
    void level6(int value) { level7(value); }

    void level7(int value) { level8(value); }
    void level8(int value) { level9(value); }

    void level9(int value) {
        for (Listener each = listeners; each != null; each = each.next) {
            each.seen = value;
        }
    }

    static final class Listener {
        final Listener next;
        int seen;

        Listener(Listener next) {
            this.next = next;
        }
    }
}
