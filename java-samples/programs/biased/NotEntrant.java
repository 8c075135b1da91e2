// NotEntrant: a long call whose code is compiled by OSR while it runs, and is made not entrant when it ends. Then a
// call in the middle of which another thread makes the code not entrant: does that stop the one who is still inside?
//
// QUESTION  What becomes of a thread that runs in code which the compilation log calls "made not entrant"?
// RUN       mkdir -p classes && javac -d classes NotEntrant.java
//           java -XX:+PrintCompilation -cp classes NotEntrant 1000
// ARGUMENTS length of the first call in ms (4100)
// NOTEBOOK  06-biased-locking-pause
// JDKS      8 11 17 21 25 28
// EXPECT    once: compiled by OSR (%) as the call begins, made not entrant as it ends. shared: made not entrant in the
//           middle of a call that goes on, without a gap, to its end.
//           = exited; /%  +4 +NotEntrant::once/; /NotEntrant::shared .*made not entrant/; gap_ms < shared_ms / 3

import java.lang.management.ManagementFactory;
import java.util.Locale;

public class NotEntrant {
    static final byte[] BYTES = new byte[32 * 1024];

    // Why would code be thrown away at the end of a loop? What comes after it has not run when the code is compiled:
    // Total is not even loaded, so C2 does not know how to make one, and puts a trap there. The thread that runs into
    // the trap goes on in the interpreter, and the code is made not entrant: nobody may begin to run in it any more.
    static long once(byte[] bytes, int passes) {
        long sum = 0;
        for (int pass = 0; pass < passes; pass++) {
            for (int i = 0; i < bytes.length; i++) {
                sum += bytes[i];
            }
        }
        return new Total(sum).value;
    }

    static final class Total {
        final long value;

        Total(long value) {
            this.value = value;
        }
    }

    // How many passes take how long? A copy of the method tells: `once` must not have been called before.
    static long copy(byte[] bytes, int passes) {
        long sum = 0;
        for (int pass = 0; pass < passes; pass++) {
            for (int i = 0; i < bytes.length; i++) {
                sum += bytes[i];
            }
        }
        return sum;
    }

    static long sink;
    static volatile long gap;

    // And if another thread runs into a trap? `rare` was never true while this was compiled, so a trap stands there as
    // well. The thread that runs the long call notes the longest gap between two of its passes: had it to stop, or to
    // go on in the interpreter, it would show. (max() has no branch that could be a trap of its own.)
    static long shared(byte[] bytes, int passes, boolean rare) {
        long sum = 0;
        long longest = 0;
        long last = System.nanoTime();
        for (int pass = 0; pass < passes; pass++) {
            for (int i = 0; i < bytes.length; i++) {
                sum += bytes[i];
            }
            long now = System.nanoTime();
            longest = Math.max(longest, now - last);
            last = now;
        }
        if (rare) {
            sum = -sum;
        }
        gap = longest;
        return sum;
    }

    static double ms(long begin) {
        return (System.nanoTime() - begin) / 1e6;
    }

    static void say(String name, double value) {
        System.out.print(String.format(Locale.ROOT, "%s=%.3f\n", name, value));
    }

    static double uptimeMs() { // as the compilation log has it
        return ManagementFactory.getRuntimeMXBean().getUptime();
    }

    public static void main(String[] args) throws InterruptedException {
        uptimeMs(); // the first question loads classes
        double wanted = args.length > 0 ? Double.parseDouble(args[0]) : 4100;
        long begin = System.nanoTime();
        int passes = 0;
        for (; ms(begin) < 200 || passes < 20_000; passes += 100) {
            begin = passes == 10_000 ? System.nanoTime() : begin;
            sink += copy(BYTES, 100);
        }
        double perPass = ms(begin) / (passes - 10_000);
        begin = System.nanoTime();
        sink += once(BYTES, (int) (wanted / perPass));
        say("once_ms", ms(begin));

        // Many short calls make C2 compile `shared` as a whole. Then a long one, and in its middle the rare case.
        byte[] few = new byte[64];
        for (int call = 0; call < 50_000; call++) {
            sink += shared(few, 4, false);
        }
        begin = System.nanoTime();
        for (passes = 0; ms(begin) < 300; passes += 100) {
            sink += shared(BYTES, 100, false);
        }
        int many = (int) (600 * passes / ms(begin));
        double[] took = new double[1];
        double[] leftAt = new double[1];
        Thread inside = new Thread(() -> {
            long entered = System.nanoTime();
            sink += shared(BYTES, many, false);
            took[0] = ms(entered);
            leftAt[0] = uptimeMs();
        }, "inside");
        inside.start();
        Thread.sleep(200);
        double rareFrom = uptimeMs();
        sink += shared(BYTES, 1, true);
        inside.join();
        say("rare_from_ms", rareFrom);
        say("inside_to_ms", leftAt[0]);
        say("shared_ms", took[0]);
        say("gap_ms", gap / 1e6);
    }
}
