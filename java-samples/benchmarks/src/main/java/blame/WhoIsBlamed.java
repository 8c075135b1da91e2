// WhoIsBlamed: the four cases of programs/blame/KnownAnswer, as benchmarks, for the profilers that JMH brings along.
// All of the time is in sum(). Everything else takes a few nanoseconds a call.
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
import org.openjdk.jmh.annotations.*;

@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class WhoIsBlamed {
    @Param("5000") // so short a pass that JMH's own loop is soon compiled, too
    int size;
    byte[] data;
    int result;
    Listener listeners = new Listener(new Listener(new Listener(null)));

    @Setup
    public void allocate() {
        data = new byte[size];
    }

    // THE HOT LOOP, which each case has inlined. All of the time is in here: 5,000 steps, each of which needs
    // the result of the one before. It is a counted loop, and with Serial and Parallel C2 leaves it without a poll. So
    // nobody who waits for a poll can ever see a thread in it.
    int sum() {
        int hash = 0;
        for (int i = 0; i < data.length; i++) {
            hash = 31 * hash + data[i];
        }
        return hash;
    }

    // Who is blamed here? JMH calls this from a loop of its own (`..._avgt_jmhStub`), which runs until a flag is set:
    // an uncounted loop. C2 inlines this method into it, and its back edge has the next poll. (Why is the result
    // stored, not returned? JMH hands what is returned to a method that may not be inlined, which would poll first.)
    @Benchmark
    public void inlined() {
        result = sum();
    }

    // The same, not inlined: this method has a return, and a poll there. By then its frame is gone, and the line that
    // is blamed is the one that called it.
    @Benchmark
    @CompilerControl(CompilerControl.Mode.DONT_INLINE)
    public void notInlined() {
        result = sum();
    }

    // And if something comes between the loop and its return? A short walk along a list: nobody knows a list's length,
    // so the walk polls in each iteration. The first poll after the hot loop is in the setter, which takes nanoseconds.
    @Benchmark
    public void innocentSetter() {
        setResult(sum());
    }

    void setResult(int value) {
        for (Listener each = listeners; each != null; each = each.next) {
            each.seen = value;
        }
    }

    // How far away may the culprit be from the one who is blamed? As far as the next poll: here nine calls further on,
    // since inlined methods have no return of their own, and so no poll.
    @Benchmark
    public void farAway() {
        level1(sum());
    }

    void level1(int value) { level2(value); }
    void level2(int value) { level3(value); }
    void level3(int value) { level4(value); }
    void level4(int value) { level5(value); }
    void level5(int value) { level6(value); }

    // Why is one of them not inlined? To break the chain: it has a poll of its own where it returns, and an entry in
    // the compiler's tables at the call. A profiler that is right says sum(), whatever comes after it.
    @CompilerControl(CompilerControl.Mode.DONT_INLINE)
    void level6(int value) { level7(value); }

    void level7(int value) { level8(value); }
    void level8(int value) { level9(value); }

    // The innocent one again, nine levels down. With G1 from 11 on the hot loop polls once in 1,000 iterations (strip
    // mining, JDK-8186027): then most samples are taken in it, and this method is cleared. No profiler was improved for
    // that.
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
