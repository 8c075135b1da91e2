// OnePass: copy, equals, fill and sum over 1,000 ints, each with an int index and once more with a long one. Each loop
// is a method of its own, so that the log of the machine code shows what C2 makes of it, and nothing else.
//
// QUESTION  What does one pass of the compiled loop do, and does it hold a poll?
// RUN       mkdir -p classes && javac -d classes OnePass.java
//           java -XX:+UseSerialGC -Xbatch -XX:CompileCommand=dontinline,OnePass::* -cp classes OnePass
// ARGUMENTS ints in an array (1000), calls a block (200), blocks (200)
// NOTEBOOK  13-polls-against-optimisation
// JDKS      8 11 17 21 25 28
// EXPECT    The shortest block's time of a call, ns, for each loop. Up to 25 copyLong takes a multiple of copyInt's.
//           = exited; copyInt_ns > 0
import java.util.Arrays;

public class OnePass {
    static final String[] NAMES = {
        "copyInt", "copyLong", "equalsInt", "equalsLong", "sumInt", "sumLong", "fillInt", "fillLong"
    };
    static int[] from, to, filled;
    static int calls, rounds;
    static volatile int seen;

    public static void main(String[] args) {
        from = new int[args.length > 0 ? Integer.parseInt(args[0]) : 1000];
        calls = args.length > 1 ? Integer.parseInt(args[1]) : 200;
        rounds = args.length > 2 ? Integer.parseInt(args[2]) : 200;
        Arrays.setAll(from, i -> i * 31);
        to = from.clone();
        filled = from.clone();
        long[] best = new long[NAMES.length];
        Arrays.fill(best, Long.MAX_VALUE);
        // Why by turns? What disturbs this machine for a moment then meets all loops alike. The shortest block of each
        // is one that C2's code had to itself.
        for (int round = 0; round < rounds; round++) {
            for (int loop = 0; loop < NAMES.length; loop++) {
                best[loop] = Math.min(best[loop], block(loop));
            }
        }
        for (int loop = 0; loop < NAMES.length; loop++) {
            System.out.println(NAMES[loop] + "_ns=" + best[loop] / calls);
        }
    }

    static long block(int loop) {
        long start = System.nanoTime();
        for (int call = 0; call < calls; call++) {
            seen = once(loop);
        }
        return System.nanoTime() - start;
    }

    static int once(int loop) {
        switch (loop) {
            case 0: return copyInt(from, to);
            case 1: return copyLong(from, to);
            case 2: return equalsInt(from, to);
            case 3: return equalsLong(from, to);
            case 4: return sumInt(from);
            case 5: return sumLong(from);
            case 6: return fillInt(filled, 42);
            default: return fillLong(filled, 42);
        }
    }

    // The four loops. The int index is one that C2 can count: it knows the number of iterations before the first one.
    static int copyInt(int[] from, int[] to) {
        for (int i = 0; i < from.length; i++) {
            to[i] = from[i];
        }
        return to[0];
    }

    // A long index is not counted up to 15; from 16 on C2 makes a nest of it, and its inner loop is counted
    // (JDK-8223051). Which of the four gets vectors by that?
    static int copyLong(int[] from, int[] to) {
        for (long i = 0; i < from.length; i++) {
            to[(int) i] = from[(int) i];
        }
        return to[0];
    }

    // A loop that may return in each iteration has to decide one before the next: can it be put on vectors?
    static int equalsInt(int[] from, int[] to) {
        for (int i = 0; i < from.length; i++) {
            if (from[i] != to[i]) {
                return 0;
            }
        }
        return 1;
    }

    static int equalsLong(int[] from, int[] to) {
        for (long i = 0; i < from.length; i++) {
            if (from[(int) i] != to[(int) i]) {
                return 0;
            }
        }
        return 1;
    }

    // Each addition needs the one before it. Does C2 add up in several registers at once?
    static int sumInt(int[] from) {
        int sum = 0;
        for (int i = 0; i < from.length; i++) {
            sum += from[i];
        }
        return sum;
    }

    static int sumLong(int[] from) {
        int sum = 0;
        for (long i = 0; i < from.length; i++) {
            sum += from[(int) i];
        }
        return sum;
    }

    // One value everywhere: where OptimizeFill is on, C2 calls a routine of the JVM in place of the whole loop.
    static int fillInt(int[] to, int value) {
        for (int i = 0; i < to.length; i++) {
            to[i] = value;
        }
        return to[0];
    }

    static int fillLong(int[] to, int value) {
        for (long i = 0; i < to.length; i++) {
            to[(int) i] = value;
        }
        return to[0];
    }
}
