// IntAgainstLong: four small loops over int arrays, each with an int index and once more with a long one.
// The two do the same work. All that differs is what C2 knows about the iterations, and so whether it keeps a poll.
//
// QUESTION  What does a long index cost, apart from the poll itself?
// RUN       safepoint bench "optimisation.IntAgainstLong.copy(Int|Long)$" --jdk 8 \
//           --options "-f 1 -wi 1 -w 300ms -i 2 -r 300ms"
// NOTEBOOK  13-polls-against-optimisation
// JDKS      8 11 17 21 25 28
// EXPECT    Up to 25 copyLong takes 5 to 20 times as long as copyInt, from 26 on as long; sumLong is never far from
//           sumInt.
//           = exited; copyLong > 2 * copyInt
package optimisation;

import java.util.Arrays;
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
@OutputTimeUnit(TimeUnit.NANOSECONDS)
// Why not inline? JMH would compile each method into its own measuring loop. As it is, the machine code of `copyInt` in
// the log is the very code that was timed, at the price of one call: a nanosecond or two.
@CompilerControl(CompilerControl.Mode.DONT_INLINE)
public class IntAgainstLong {
    @Param("1000")
    int size;
    @Param("4096")
    int batch;
    int[] from;
    int[] to;
    int value = 42;

    @Setup
    public void fillBoth() {
        from = new int[size];
        Arrays.setAll(from, i -> i * 31);
        to = from.clone();
    }

    // What can C2 do with this one? It knows the number of turns, so it may do eight of them at once (SuperWord).
    @Benchmark
    public int[] copyInt() {
        int[] from = this.from, to = this.to;
        for (int i = 0; i < from.length; i++) {
            to[i] = from[i];
        }
        return to;
    }

    // And with this one? The same, if somebody tells C2 that a long index can be counted too.
    @Benchmark
    public int[] copyLong() {
        int[] from = this.from, to = this.to;
        for (long i = 0; i < from.length; i++) {
            to[(int) i] = from[(int) i];
        }
        return to;
    }

    // A loop that may end early: no eight turns at once here, but one test of the index for several turns (unrolling).
    @Benchmark
    public boolean equalsInt() {
        int[] from = this.from, to = this.to;
        for (int i = 0; i < from.length; i++) {
            if (from[i] != to[i]) {
                return false;
            }
        }
        return true;
    }

    @Benchmark
    public boolean equalsLong() {
        int[] from = this.from, to = this.to;
        for (long i = 0; i < from.length; i++) {
            if (from[(int) i] != to[(int) i]) {
                return false;
            }
        }
        return true;
    }

    // This whole loop can become one call, of a routine that the JVM brings along (OptimizeFill).
    @Benchmark
    public int[] fillInt() {
        int[] to = this.to;
        int value = this.value;
        for (int i = 0; i < to.length; i++) {
            to[i] = value;
        }
        return to;
    }

    @Benchmark
    public int[] fillLong() {
        int[] to = this.to;
        int value = this.value;
        for (long i = 0; i < to.length; i++) {
            to[(int) i] = value;
        }
        return to;
    }

    // Each turn needs the result of the one before. Can that be done eight at a time?
    @Benchmark
    public int sumInt() {
        int[] from = this.from;
        int sum = 0;
        for (int i = 0; i < from.length; i++) {
            sum += from[i];
        }
        return sum;
    }

    @Benchmark
    public int sumLong() {
        int[] from = this.from;
        int sum = 0;
        for (long i = 0; i < from.length; i++) {
            sum += from[(int) i];
        }
        return sum;
    }

    // Can one have both, speed and a poll now and then? An inner loop that C2 can count, in an outer one that it can't:
    // the outer step is a variable, so that its poll stays on every JDK.
    @Benchmark
    public int[] copyLongInBatches() {
        int[] from = this.from, to = this.to;
        for (long base = 0; base < from.length; base += batch) {
            int length = (int) Math.min(batch, from.length - base);
            for (int i = 0; i < length; i++) {
                to[(int) (base + i)] = from[(int) (base + i)];
            }
        }
        return to;
    }
}
