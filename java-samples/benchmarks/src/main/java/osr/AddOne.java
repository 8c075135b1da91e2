// AddOne: the method of osr/HomeMadeBenchmark, measured by a harness that calls it as real programs do.
// JMH calls the method often from a loop of its own, so that its standard version runs and never one made by OSR.
//
// QUESTION  How long does it take to add 1 to each of 1000 ints?
// RUN       safepoint bench osr.AddOne --jdk 17 --options "-f 1 -wi 2 -w 300ms -i 2 -r 300ms"
// NOTEBOOK  04-osr-vs-xcomp
// JDKS      8 11 17 21 25 28
// EXPECT    Some tens of ns, more on a busy machine or on 8: the standard version's, as in `HomeMadeBenchmark method`.
//           = exited; addOne > 0
package osr;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.*;

@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class AddOne {
    @Param("1000")
    int size;
    int[] from;
    int[] to;

    @Setup
    public void allocate() {
        from = new int[size];
        to = new int[size];
    }

    // Why does JMH not measure an OSR version of this loop? It calls the method over and over from a loop of its own,
    // into which C2 inlines it. If OSR enters anything, it is that outer loop: the loop below is entered at its top
    // each time, as in a program that runs for a while. In a home-made benchmark OSR enters in the middle of the work.
    //
    // Why return the array? What nobody reads, C2 need not compute. What is returned JMH hands to its black hole, which
    // looks to C2 like a reader.
    //
    // What is fast about it? Both arrays' addresses are in registers, and the loop runs on vectors. In the OSR version
    // of three nested loops (seen on 17) C2 keeps them on the stack, and loads them again for each vector.
    @Benchmark
    public int[] addOne() {
        for (int i = 0; i < from.length; i++) {
            to[i] = from[i] + 1;
        }
        return to;
    }
}
