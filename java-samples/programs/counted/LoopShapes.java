// LoopShapes: the same work in many shapes of loop; which of them does C2 count, and leave without a poll?
// Each shape runs in a thread of its own while main asks for a stop: the stop comes in mid-loop, or after the loop.
//
// QUESTION  Counted or uncounted? Guess before you run.
// RUN       mkdir -p classes && javac -d classes LoopShapes.java
//           java -XX:+UseSerialGC -cp classes LoopShapes intParameter longIndex
//           java -XX:+UseG1GC -cp classes LoopShapes intParameter longIndex
// ARGUMENTS iterations (100000000), if the first is a number; names of shapes (all); cold: no warm-up, so that OSR code
//           runs, entered in mid-loop
// NOTEBOOK  05-counted-or-uncounted
// JDKS      8 11 17 21 25 28
// EXPECT    A line a shape: its name, how long System.gc() took in ms, and `polled` (the loop went on afterwards) or
//           `unpolled` (it was over). Serial, Parallel, and G1 on 8: most int loops are unpolled, from 17 on the long
//           one too. -XX:+UseCountedLoopSafepoints, the default with G1 from 11 on: all are polled.
//           = exited; /^intParameter .* unpolled$/; /^longIndex .* unpolled$/
//           = exited; /^intParameter .* polled$/; /^longIndex .* polled$/
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandleProxies;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.DoubleUnaryOperator;
import java.util.function.IntToDoubleFunction;

public class LoopShapes {
    static final String SHAPES = "intConstant intParameter intField intVolatileField intToLongLimit"
            + " longIndex strideTwo strideVariable otherCounter decreasing overflowing"
            + " notEqual whileLoop whilePostfix doWhile twoIndexes"
            + " breakInside callInlined callNotInlined nested arrayWalk iterator";
    static volatile boolean started;
    static volatile double result;

    // What the loops below look at. Only volatileLimit is volatile, and only longLimit is no int.
    static final int CONSTANT = 1_000_000_000;
    static final byte[] FEW = new byte[100];
    static final DoubleUnaryOperator[] ROOTS = {Math::sqrt, x -> Math.sqrt(x), x -> root(x), LoopShapes::root};
    static byte[] bytes;
    static int limit;
    static volatile int volatileLimit;
    static long longLimit;
    static int stride = 1;

    public static void main(String[] args) throws ReflectiveOperationException, InterruptedException {
        boolean sized = args.length > 0 && Character.isDigit(args[0].charAt(0));
        int turns = sized ? Integer.parseInt(args[0]) : 100_000_000;
        bytes = new byte[turns];
        Set<String> chosen = new LinkedHashSet<>(Arrays.asList(SHAPES.split(" ")));
        boolean cold = Arrays.asList(args).contains("cold");
        if (args.length > (sized ? 1 : 0) + (cold ? 1 : 0)) {
            chosen.retainAll(Arrays.asList(args));
        }
        if (chosen.isEmpty()) {
            throw new IllegalArgumentException("no such shape: " + String.join(" ", args));
        }

        // Where do the names lead? To the methods below: each shape is a method of its own, and C2 compiles it by
        // itself.
        MethodType type = MethodType.methodType(double.class, int.class);
        for (String name : chosen) {
            MethodHandle shape = MethodHandles.lookup().findStatic(LoopShapes.class, name, type);
            measure(name, MethodHandleProxies.asInterfaceInstance(IntToDoubleFunction.class, shape), turns, cold);
        }
    }

    // Why 20,000 short calls first? They give the method its standard C2 version. A single long call would run in an
    // OSR version, entered in the middle of the loop, and that one is often polled where the standard one is not. The
    // pause afterwards lets the compiler threads finish (with -Xbatch the program waits for them anyway). `cold` leaves
    // out the calls.
    static void measure(String name, IntToDoubleFunction shape, int turns, boolean cold) throws InterruptedException {
        for (int call = 0; call < (cold ? 0 : 20_000); call++) {
            result = shape.applyAsDouble(100);
        }
        Thread.sleep(100);
        started = false;
        Thread loop = new Thread(() -> {
            started = true;
            result = shape.applyAsDouble(turns);
        }, name);
        loop.setDaemon(true);
        loop.start();
        while (!started) {
            Thread.sleep(1);
        }
        Thread.sleep(20);

        // How to see from outside whether a loop has a poll? A stop requested now begins at the loop's next poll. Where
        // there is none, it begins when the method returns. So compare two times: from the request to the end of the
        // collection, and from there to the end of the loop. Any request would do; with so few objects alive the
        // collection itself takes milliseconds. What takes long is to reach the safepoint.
        boolean tooShort = !loop.isAlive();
        long asked = System.nanoTime();
        System.gc();
        long granted = System.nanoTime();
        loop.join();
        long ended = System.nanoTime();
        String verdict = tooShort ? "too short" : ended - granted > granted - asked ? "polled" : "unpolled";
        System.out.printf("%-20s %5d ms  %s%n", name, (granted - asked) / 1_000_000, verdict);
    }

    // Why square roots? Each needs the one before: no shape can be vectorised or replaced by a formula, and an
    // iteration takes the same few nanoseconds in all of them. `turns` is the number of iterations.
    //
    // When does C2 count a loop? When it can compute the number of iterations before the first one: an int index, a
    // constant step, a limit that stays the same (PhaseIdealLoop::is_counted_loop). Such a loop ends for certain, and
    // C2 drops its poll in the belief that it ends soon. Each part below questions one word of that.

    // ---- Which limit? -----------------------------------------------------------------------------------------

    // A limit written into the program: what could be easier to count?
    static double intConstant(int turns) {
        double x = 1;
        for (int i = CONSTANT - turns; i < CONSTANT; i++) x = Math.sqrt(x + i);
        return x;
    }

    // A limit that does not change while the loop runs. C2 does not know its value, but the running code does before
    // the first iteration, and that is enough.
    static double intParameter(int turns) {
        double x = 1;
        for (int i = 0; i < turns; i++) x = Math.sqrt(x + i);
        return x;
    }

    // A limit in a field. Another thread may change it, but nobody has promised that this loop would notice: the Java
    // memory model allows C2 to read the field once, before the loop.
    static double intField(int turns) {
        limit = turns;
        double x = 1;
        for (int i = 0; i < limit; i++) x = Math.sqrt(x + i);
        return x;
    }

    // Volatile is that promise: the limit is read again in each iteration, and their number is not known.
    static double intVolatileField(int turns) {
        volatileLimit = turns;
        double x = 1;
        for (int i = 0; i < volatileLimit; i++) x = Math.sqrt(x + i);
        return x;
    }

    // An int compared with a long. If the limit lies beyond the ints, the index wraps around and the loop never ends.
    // C2 does not count where an int index meets a comparison of 64 bits.
    static double intToLongLimit(int turns) {
        longLimit = turns;
        double x = 1;
        for (int i = 0; i < longLimit; i++) x = Math.sqrt(x + i);
        return x;
    }

    // ---- Which index, which step? -----------------------------------------------------------------------------

    // Is a long index the cure? In 2015 it was: uncounted, polled. Since 16 C2 makes a nest of it, an outer loop with a
    // poll around a counted one without, of up to some two billion iterations (JDK-8223051).
    static double longIndex(int turns) {
        longLimit = turns;
        double x = 1;
        for (long i = 0; i < longLimit; i++) x = Math.sqrt(x + i);
        return x;
    }

    // Could a step of 2 jump over the limit? Only over MAX_VALUE, if the limit is that large. C2 checks this once,
    // before the loop, leaves the compiled code if the limit is too large, and counts the loop behind the check.
    static double strideTwo(int turns) {
        double x = 1;
        for (int i = 0; i < 2 * turns; i += 2) x = Math.sqrt(x + i);
        return x;
    }

    // The step does not change while the loop runs, but C2 wants a constant: with a step of 0 there would be no end.
    static double strideVariable(int turns) {
        double x = 1;
        int step = stride;
        for (int i = 0; i < turns; i += step) x = Math.sqrt(x + i);
        return x;
    }

    // Which of two variables is the counter? The one in the test, here `left`; i may do what it likes.
    static double otherCounter(int turns) {
        double x = 1;
        for (int i = 1, left = turns; left > 0; left--, i = i * 31 + 7) x = Math.sqrt(x + (i & 0xffff));
        return x;
    }

    // Downwards? A step of -1 is a constant as well, and the limit of 0 stays the same.
    static double decreasing(int turns) {
        double x = 1;
        for (int i = turns; i > 0; i--) x = Math.sqrt(x + i);
        return x;
    }

    // From an odd start this loop ends. From an even one it would step over MAX_VALUE, wrap around, and never end
    // (counted/InfiniteYetExits). The check of strideTwo would fail for certain here, so C2 does not count at all.
    static double overflowing(int turns) {
        double x = 1;
        for (int i = Integer.MAX_VALUE - 2 * turns; i < Integer.MAX_VALUE; i += 2) x = Math.sqrt(x + i);
        return x;
    }

    // ---- Which test, and where? -------------------------------------------------------------------------------

    // Can a step jump over a limit that has to be met exactly? Not a step of 1 that starts below it, so
    // C2 counts. Newer JDKs first check the start, once, before the loop.
    static double notEqual(int turns) {
        double x = 1;
        for (int i = 0; i != turns; i++) x = Math.sqrt(x + i);
        return x;
    }

    // The same bytecode as the for loop: to the JVM there is no difference.
    static double whileLoop(int turns) {
        double x = 1;
        int i = 0;
        while (i < turns) {
            x = Math.sqrt(x + i);
            i++;
        }
        return x;
    }

    // The step is part of the test, and the test looks at the value before the step. C2 tests the value after the step
    // against a limit that is larger by one, and counts.
    static double whilePostfix(int turns) {
        double x = 1;
        int i = 0;
        while (i++ < turns) x = Math.sqrt(x + i);
        return x;
    }

    // The test at the bottom is the shape that C2 gives to other loops, too: see compilers/EclipseHangs.
    static double doWhile(int turns) {
        double x = 1;
        int i = 0;
        do {
            x = Math.sqrt(x + i);
            i++;
        } while (i < turns);
        return x;
    }

    // Two indexes that walk towards each other. We see that they meet in the middle; C2 sees a limit that changes in
    // each iteration, and does not count.
    static double twoIndexes(int turns) {
        double x = 1;
        for (int i = 0, j = 2 * turns; i < j; i++, j--) x = Math.sqrt(x + i);
        return x;
    }

    // ---- What is inside? --------------------------------------------------------------------------------------

    // Does a second way out spoil the count? No: the loop may end earlier than counted, but not later.
    static double breakInside(int turns) {
        double x = 1;
        for (int i = 0; i < turns; i++) {
            x = Math.sqrt(x + i);
            if (x < 0) break;
        }
        return x;
    }

    // A small method becomes part of the loop, and its poll on return goes with the call.
    static double callInlined(int turns) {
        double x = 1;
        for (int i = 0; i < turns; i++) x = root(x + i);
        return x;
    }

    static double root(double x) {
        return Math.sqrt(x);
    }

    // Four classes behind one call: too many for C2 to inline, which takes two at most unless one dominates. A call
    // that remains polls when it returns, and the thread can stop there.
    static double callNotInlined(int turns) {
        double x = 1;
        for (int i = 0; i < turns; i++) x = ROOTS[i & 3].applyAsDouble(x + i);
        return x;
    }

    // The inner loop is short and counted. And the outer one? Counted as well: its limit does not change either.
    static double nested(int turns) {
        double x = 1;
        for (int i = 0; i < turns / 50; i++) {
            for (int j = 0; j < 50; j++) x = Math.sqrt(x + j);
        }
        return x;
    }

    // for-each over an array hides an int index that runs up to the array's length, and a length never changes.
    static double arrayWalk(int turns) {
        double x = 1;
        for (byte b : turns == bytes.length ? bytes : FEW) x = Math.sqrt(x + b);
        return x;
    }

    // for-each over a collection asks hasNext() and next(). Who would see a counter in there? C2: when all is inlined,
    // an int compared with != is left.
    static double iterator(int turns) {
        double x = 1;
        for (Double one : Collections.nCopies(turns, 1.0)) x = Math.sqrt(x + one);
        return x;
    }

    // What gives the unpolled shapes a poll? Try on the same class:
    //   -XX:+UseCountedLoopSafepoints     C2 keeps the poll (from 8u92)
    //   -XX:+UseG1GC (11+)                strip mining: a poll after each 1000 iterations (JDK-8186027)
    //   -XX:TieredStopAtLevel=1, -Xint    C1 and the interpreter do not count loops
    // and what does not: -XX:CompileCommand=dontinline,LoopShapes.root, except for callInlined. The other loops call
    // nothing that could be left to poll on return.
}
