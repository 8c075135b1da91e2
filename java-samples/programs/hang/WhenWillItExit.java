// WhenWillItExit: a daemon thread counts, main sleeps and returns.
// Everybody's first guess is "after the sleep"; in 2015 the answer was "never", today it is "after the sleep, mostly".
//
// QUESTION  When will this program exit?
// RUN       mkdir -p classes && javac -d classes WhenWillItExit.java
//           timeout -s KILL 5 java -XX:+UseSerialGC -XX:-TieredCompilation -Xcomp -cp classes WhenWillItExit run 600
//           timeout -s KILL 9 java -XX:+UseSerialGC -cp classes WhenWillItExit run 600
// ARGUMENTS where the loop stands: run | lambda | static | parameter (run), sleep in ms (5000)
// NOTEBOOK  02-when-will-it-exit (and 03-eclipse-vs-javac)
// JDKS      8 11 17 21 25 28
// EXPECT    Default flags: exits after the sleep. Cut the sleep to 300 and, without G1's strip mining, an Eclipse-made
//           class is late by the rest of the first pass of the inner loop, about a second.
//           -XX:-TieredCompilation -Xcomp: HUNG, all four, on 8, and on 11 to 28 with Serial or Parallel; G1 exits.
//           = hung; no /odd numbers/
//           = exited; /main returns/; no /odd numbers/
public class WhenWillItExit implements Runnable {
    public static void main(String[] args) throws InterruptedException {
        String where = args.length > 0 ? args[0] : "run";
        int sleepMs = args.length > 1 ? Integer.parseInt(args[1]) : 5000;
        Thread counter = new Thread(taskNamed(where), "counter");
        counter.setDaemon(true);
        counter.start();
        Thread.sleep(sleepMs);
        System.out.println("main returns");
    }

    // Why four places for one loop? The post began with a lambda, moved the loop to a method, then made its limit a
    // parameter; run() is the lambda by another name. None of this decides about the exit: what decides is how the
    // thread got into the loop, from the top or in its middle.
    static Runnable taskNamed(String where) {
        switch (where) {
            case "run": return new WhenWillItExit();
            case "lambda": return inLambda();
            case "static": return () -> countOdds();
            case "parameter": return () -> countOddsBelow(Integer.MAX_VALUE);
            default: throw new IllegalArgumentException("where should be run, lambda, static or parameter, not " +
                where);
        }
    }

    static Runnable inLambda() {
        return () -> {
            long odds = 0;
            for (int i = 0; i < Integer.MAX_VALUE; i++) {
                for (int j = 0; j < Integer.MAX_VALUE; j++) {
                    if ((j & 1) == 1) {
                        odds++;
                    }
                }
            }
            System.out.println(odds + " odd numbers");
        };
    }

    // To exit, the JVM makes a last safepoint: each thread in Java code must reach a poll. Are there polls in here? The
    // interpreter polls at every jump back, C1's code in every loop. C2's code has none in a counted loop: an int
    // index, a fixed step, a limit that does not change. Both loops are counted, so it depends on which code the thread
    // is in when main returns.
    @Override
    public void run() {
        long odds = 0;
        for (int i = 0; i < Integer.MAX_VALUE; i++) {
            for (int j = 0; j < Integer.MAX_VALUE; j++) {
                if ((j & 1) == 1) {
                    odds++;
                }
            }
        }
        System.out.println(odds + " odd numbers");
    }

    // The method is entered once and never returns: nobody will ever call its compiled version. How does it get out of
    // the interpreter? By OSR (on-stack replacement): when the back edge has been taken often enough, the JVM compiles
    // a version that starts in the middle of the loop and jumps into it. Look for the % in -XX:+PrintCompilation.
    //
    // Why does the program exit today, then? The first OSR version has the inner loop only, since the outer one had not
    // been through an iteration. When the inner loop ends after 2^31 iterations the thread falls out of that code
    // (deoptimisation), and the next OSR version has both loops. javac's class keeps polls in these versions.
    static void countOdds() {
        long odds = 0;
        for (int i = 0; i < Integer.MAX_VALUE; i++) {
            for (int j = 0; j < Integer.MAX_VALUE; j++) {
                if ((j & 1) == 1) {
                    odds++;
                }
            }
        }
        System.out.println(odds + " odd numbers");
    }

    // And with -XX:-TieredCompilation -Xcomp? Then each method is compiled by C2 before its first call, and the loop is
    // entered from the top, in the standard version: no poll, no exit. With G1 on 11 and later strip mining keeps a
    // poll (JDK-8186027), so it exits. Who sets such flags? Nobody, but many calls have the same effect: see
    // hang/KillerTask.
    static void countOddsBelow(int limit) {
        long odds = 0;
        for (int i = 0; i < limit; i++) {
            for (int j = 0; j < limit; j++) {
                if ((j & 1) == 1) {
                    odds++;
                }
            }
        }
        System.out.println(odds + " odd numbers");
    }
}
