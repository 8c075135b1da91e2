// ManySmall: many small methods, inlined into each other, which is where notes for profilers would cost most.
// Words are cut out of a text, folded to lower case and counted: collections, strings and boxes in every iteration.
//
// QUESTION  Does -XX:+DebugNonSafepoints, more notes about the machine code, make that code any slower?
// RUN       safepoint bench calltrace.ManySmall --jdk 17 --options "-f 1 -wi 1 -w 300ms -i 2 -r 300ms"
//           safepoint bench calltrace.ManySmall --jdk 17 --options "-f 1 -wi 1 -w 300ms -i 2 -r 300ms" \
//           --flags "-XX:+UnlockDiagnosticVMOptions -XX:+DebugNonSafepoints"
// NOTEBOOK  21-async-get-call-trace
// JDKS      8 11 17 21 25 28
// EXPECT    Scores that the error bars do not tell apart: the notes stand beside the code, and nothing executes them.
//           = exited; countWords > 0
//           = exited; countWords < 3 * above.countWords
package calltrace;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.*;

@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class ManySmall {
    String text = "A safepoint is a point at which a thread can be stopped safely, and a profiler that waits for one "
            + "sees only what happens there. A signal waits for nothing, and may strike where nobody wrote a note.";

    // What are notes for profilers? At each poll and call C2 writes down which methods, inlined or not, this
    // instruction belongs to: the JVM needs that to walk the stack. -XX:+DebugNonSafepoints makes it keep such entries
    // for the instructions in between, too. A profiler that interrupts a thread anywhere can then name the right one.
    //
    // Where would they cost most? Where much is inlined: here each word goes through substring, toLowerCase, hashCode,
    // equals and a box, all of them small. The entries are data beside the machine code, and nothing executes them;
    // they take memory, and time of the compiler.
    @Benchmark
    public Map<String, Integer> countWords() {
        Map<String, Integer> counts = new HashMap<>();
        for (int begin = 0, end; begin < text.length(); begin = end + 1) {
            end = text.indexOf(' ', begin);
            end = end < 0 ? text.length() : end;
            counts.merge(text.substring(begin, end).toLowerCase(Locale.ROOT), 1, Integer::sum);
        }
        return counts;
    }
}
