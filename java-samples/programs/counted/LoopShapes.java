// LoopShapes: the same work in many shapes of loop; which of them does C2 count, and leave without a poll?
// Each shape runs in a thread of its own while main asks for a stop: the stop comes in mid-loop, or after the loop.
//
// QUESTION  Counted or uncounted? Guess before you run.
// RUN       mkdir -p classes && javac -d classes LoopShapes.java
//           java -XX:+UseSerialGC -cp classes LoopShapes intParameter longIndex
// ARGUMENTS iterations (100000000), if the first is a number; names of shapes (all)
// NOTEBOOK  05-counted-or-uncounted
// JDKS      8 11 17 21 25 28
// EXPECT    a line a shape: its name, how long System.gc() took in ms, and `polled` (the loop went on afterwards) or
//           `unpolled` (it was over). Serial, Parallel, and G1 on 8: most int loops are unpolled, from 17 on the long
//           one too. -XX:+UseCountedLoopSafepoints, the default with G1 from 11 on: all are polled.
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.DoubleUnaryOperator;

public class LoopShapes {
    // The work is a chain of square roots: each needs the one before, so that no shape can be turned into vectors or
    // into a formula, and its few nanoseconds a turn are the same for all. `turns` says how often.
    interface Shape {
        double run(int turns);
    }

    static final Map<String, Shape> SHAPES = new LinkedHashMap<>();
    static volatile boolean started;
    static volatile double result;
    static final byte[] FEW = new byte[100];
    static byte[] bytes;

    public static void main(String[] args) throws InterruptedException {
        boolean sized = args.length > 0 && Character.isDigit(args[0].charAt(0));
        int turns = sized ? Integer.parseInt(args[0]) : 100_000_000;
        bytes = new byte[turns];
        nameShapes();
        if (args.length > (sized ? 1 : 0)) {
            SHAPES.keySet().retainAll(Arrays.asList(args));
        }
        if (SHAPES.isEmpty()) {
            throw new IllegalArgumentException("no such shape: " + String.join(" ", args));
        }
        for (Map.Entry<String, Shape> named : SHAPES.entrySet()) {
            measure(named.getKey(), named.getValue(), turns);
        }
    }

    // Why 20,000 short calls first? They give the method its standard C2 version. A single long call would run in an
    // OSR version, entered in the middle of the loop, and that one is often polled where the standard one is not.
    static void measure(String name, Shape shape, int turns) throws InterruptedException {
        for (int call = 0; call < 20_000; call++) {
            result = shape.run(100);
        }
        Thread.sleep(100);
        started = false;
        Thread loop = new Thread(() -> {
            started = true;
            result = shape.run(turns);
        }, name);
        loop.setDaemon(true);
        loop.start();
        while (!started) {
            Thread.sleep(1);
        }
        Thread.sleep(20);

        // A stop asked for now is granted at the loop's next poll. Where there is none, it is granted when the method
        // returns. So compare two times: until the stop, and from there to the end of the loop.
        boolean tooShort = !loop.isAlive();
        long asked = System.nanoTime();
        System.gc();
        long granted = System.nanoTime();
        loop.join();
        long ended = System.nanoTime();
        String verdict = tooShort ? "too short" : ended - granted > granted - asked ? "polled" : "unpolled";
        System.out.printf("%-20s %5d ms  %s%n", name, (granted - asked) / 1_000_000, verdict);
    }

    static void nameShapes() {
        SHAPES.put("intConstant", LoopShapes::intConstant);
        SHAPES.put("intParameter", LoopShapes::intParameter);
        SHAPES.put("intField", LoopShapes::intField);
        SHAPES.put("intVolatileField", LoopShapes::intVolatileField);
        SHAPES.put("intToLongLimit", LoopShapes::intToLongLimit);
        SHAPES.put("longIndex", LoopShapes::longIndex);
        SHAPES.put("strideTwo", LoopShapes::strideTwo);
        SHAPES.put("strideVariable", LoopShapes::strideVariable);
        SHAPES.put("otherCounter", LoopShapes::otherCounter);
        SHAPES.put("decreasing", LoopShapes::decreasing);
        SHAPES.put("overflowing", LoopShapes::overflowing);
        SHAPES.put("notEqual", LoopShapes::notEqual);
        SHAPES.put("whileLoop", LoopShapes::whileLoop);
        SHAPES.put("whilePostfix", LoopShapes::whilePostfix);
        SHAPES.put("doWhile", LoopShapes::doWhile);
        SHAPES.put("twoIndexes", LoopShapes::twoIndexes);
        SHAPES.put("breakInside", LoopShapes::breakInside);
        SHAPES.put("callInlined", LoopShapes::callInlined);
        SHAPES.put("callNotInlined", LoopShapes::callNotInlined);
        SHAPES.put("nested", LoopShapes::nested);
        SHAPES.put("arrayWalk", LoopShapes::arrayWalk);
        SHAPES.put("iterator", LoopShapes::iterator);
    }

    // ---- Which limit? -----------------------------------------------------------------------------------------

    static final int CONSTANT = 1_000_000_000;

    // A limit written into the program.
    static double intConstant(int turns) {
        double x = 1;
        for (int i = CONSTANT - turns; i < CONSTANT; i++) x = Math.sqrt(x + i);
        return x;
    }

    // A limit that does not change while the loop runs: the number of turns is known before the first one.
    static double intParameter(int turns) {
        double x = 1;
        for (int i = 0; i < turns; i++) x = Math.sqrt(x + i);
        return x;
    }

    static int limit;

    // A limit in a field. Another thread may change it, but nobody has promised that this loop would notice.
    static double intField(int turns) {
        limit = turns;
        double x = 1;
        for (int i = 0; i < limit; i++) x = Math.sqrt(x + i);
        return x;
    }

    static volatile int volatileLimit;

    // Volatile is that promise: the limit is read again at each turn, and the number of turns is not known.
    static double intVolatileField(int turns) {
        volatileLimit = turns;
        double x = 1;
        for (int i = 0; i < volatileLimit; i++) x = Math.sqrt(x + i);
        return x;
    }

    static long longLimit;

    // An int compared with a long. If the limit lies beyond the ints, the index wraps around and the loop never ends.
    static double intToLongLimit(int turns) {
        longLimit = turns;
        double x = 1;
        for (int i = 0; i < longLimit; i++) x = Math.sqrt(x + i);
        return x;
    }

    // ---- Which index, which step? -----------------------------------------------------------------------------

    // The cure of 2015. Uncounted until 15; since 16 a nest, whose inner loop is counted (JDK-8223051).
    static double longIndex(int turns) {
        longLimit = turns;
        double x = 1;
        for (long i = 0; i < longLimit; i++) x = Math.sqrt(x + i);
        return x;
    }

    static double strideTwo(int turns) {
        double x = 1;
        for (int i = 0; i < 2 * turns; i += 2) x = Math.sqrt(x + i);
        return x;
    }

    static int stride = 1;

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

    static double decreasing(int turns) {
        double x = 1;
        for (int i = turns; i > 0; i--) x = Math.sqrt(x + i);
        return x;
    }

    // From an odd start this loop ends. From an even one it would step over MAX_VALUE, wrap around, and never end
    // (counted/InfiniteYetExits). C2 must respect both, so it cannot compute the number of turns beforehand.
    static double overflowing(int turns) {
        double x = 1;
        for (int i = Integer.MAX_VALUE - 2 * turns; i < Integer.MAX_VALUE; i += 2) x = Math.sqrt(x + i);
        return x;
    }

    // ---- Which test, and where? -------------------------------------------------------------------------------

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

    // The step is part of the test, and the test looks at the value before the step.
    static double whilePostfix(int turns) {
        double x = 1;
        int i = 0;
        while (i++ < turns) x = Math.sqrt(x + i);
        return x;
    }

    static double doWhile(int turns) {
        double x = 1;
        int i = 0;
        do {
            x = Math.sqrt(x + i);
            i++;
        } while (i < turns);
        return x;
    }

    // Two indexes that walk towards each other: the limit of one is the other.
    static double twoIndexes(int turns) {
        double x = 1;
        for (int i = 0, j = 2 * turns; i < j; i++, j--) x = Math.sqrt(x + i);
        return x;
    }

    // ---- What is inside? --------------------------------------------------------------------------------------

    // A second way out. The loop may end earlier than counted, but not later.
    static double breakInside(int turns) {
        double x = 1;
        for (int i = 0; i < turns; i++) {
            x = Math.sqrt(x + i);
            if (x < 0) {
                break;
            }
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

    static final DoubleUnaryOperator[] ROOTS = {Math::sqrt, x -> Math.sqrt(x), x -> root(x), LoopShapes::root};

    // Four classes behind one call: too many for C2 to inline. A call that remains polls when it returns.
    static double callNotInlined(int turns) {
        double x = 1;
        for (int i = 0; i < turns; i++) x = ROOTS[i & 3].applyAsDouble(x + i);
        return x;
    }

    // The inner loop is short and counted. And the outer one?
    static double nested(int turns) {
        double x = 1;
        for (int i = 0; i < turns / 50; i++) {
            for (int j = 0; j < 50; j++) {
                x = Math.sqrt(x + j);
            }
        }
        return x;
    }

    // for-each over an array hides an int index that runs up to the array's length.
    static double arrayWalk(int turns) {
        double x = 1;
        for (byte b : turns == bytes.length ? bytes : FEW) x = Math.sqrt(x + b);
        return x;
    }

    // for-each over a collection asks hasNext() and next(); when all is inlined, an int compared with != is left.
    static double iterator(int turns) {
        double x = 1;
        for (Double one : Collections.nCopies(turns, 1.0)) x = Math.sqrt(x + one);
        return x;
    }
}
