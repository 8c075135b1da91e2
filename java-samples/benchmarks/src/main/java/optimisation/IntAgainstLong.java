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
import org.openjdk.jmh.annotations.*;

@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
// Why not inline? C2 would compile each method into JMH's own measuring loop. As it is, the machine code of `copyInt`
// in the log is the very code that was timed, at the price of one call: a nanosecond or two.
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

    // What can C2 do with this one? It is a counted loop: C2 knows the number of iterations before the first one. So it
    // may check once, before the loop, that no index is out of range; do several iterations for each test of the end
    // (unrolling); and do several ints at once with one vector instruction (SuperWord). A poll in each iteration was in
    // the way of all that up to 18. Since 19 C2 puts the poll in afterwards, where it is wanted (JDK-8281322).
    @Benchmark
    public int[] copyInt() {
        int[] from = this.from, to = this.to;
        for (int i = 0; i < from.length; i++) {
            to[i] = from[i];
        }
        return to;
    }

    // And with this one? Up to 15 C2 counts no loop with a long index: none of the above, and a poll in each iteration.
    // Since 16 (JDK-8223051) it makes a nest of it, with an inner loop that is counted: unrolled again, but each `(int)
    // i` is a range check in each iteration, which C2 cannot move out of the loop. Since 26 (JDK-8342692) a loop that
    // the profile has seen short is compiled as if its index were an int.
    @Benchmark
    public int[] copyLong() {
        int[] from = this.from, to = this.to;
        for (long i = 0; i < from.length; i++) {
            to[(int) i] = from[(int) i];
        }
        return to;
    }

    // What if the loop may end early? Then each iteration has to be decided before the next: no vectors, whatever the
    // index. But it is counted all the same, so it is unrolled: one test of the index for several iterations.
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

    // And a loop that writes one value everywhere? It can become one call of a routine that the JVM brings along, where
    // OptimizeFill is on: on 8 and 11 it is, on 17 it is off on x86 (JDK-8247307). The routine has no poll. It
    // counts as Java code, so a safepoint waits for the whole array.
    @Benchmark
    public int[] fillInt() {
        int[] to = this.to;
        int value = this.value;
        for (int i = 0; i < to.length; i++) {
            to[i] = value;
        }
        return to;
    }

    // C2 recognises the pattern in counted loops only. What an uncounted one pays is the difference to fillInt.
    @Benchmark
    public int[] fillLong() {
        int[] to = this.to;
        int value = this.value;
        for (long i = 0; i < to.length; i++) {
            to[(int) i] = value;
        }
        return to;
    }

    // Each iteration needs the result of the one before. Can that be done eight at a time? Up to 25 C2 leaves it as it
    // is, and then the chain of additions sets the pace. While an addition waits for the one before it, the processor
    // has time for the test, the range check and the poll of the long loop. That is probably why a long index costs so
    // little in a sum. Since 26 C2 adds up several partial sums at once (JDK-8340093).
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

    // Can one have both, speed and a poll now and then? An inner loop that C2 counts, in an outer one that it cannot:
    // the outer step is a variable, so that its poll stays on every JDK. It is what strip mining does (JDK-8186027),
    // written by hand: the batch is the longest way to a poll, and 4,096 ints are copied in less than a microsecond or
    // two.
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
