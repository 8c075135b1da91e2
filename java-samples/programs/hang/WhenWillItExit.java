// WhenWillItExit: a daemon thread counts, main sleeps and returns.
// Everybody's first guess is "after the sleep"; in 2015 the answer was "never", today it is "after the sleep, mostly".
//
// QUESTION  When will this program exit?
// RUN       mkdir -p classes && javac -d classes WhenWillItExit.java
//           timeout -s KILL 5 java -XX:+UseSerialGC -XX:-TieredCompilation -Xcomp -cp classes WhenWillItExit run 600
//           timeout -s KILL 9 java -XX:+UseSerialGC -cp classes WhenWillItExit run 600
// ARGUMENTS where the loop stands: run | static | parameter (run), sleep in ms (5000)
// NOTEBOOK  02-when-will-it-exit (and 03-eclipse-vs-javac)
// JDKS      8 11 17 21 25 28
// EXPECT    Default flags: exits after the sleep. Cut the sleep to 300 and, without G1's strip mining, an Eclipse-made
//           class is late by the rest of the first pass of the inner loop, about a second.
//           -XX:-TieredCompilation -Xcomp: HUNG, all three, on 8, and on 11 to 28 with Serial or Parallel; G1 exits.
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

    static Runnable taskNamed(String where) {
        switch (where) {
            case "run": return new WhenWillItExit();
            case "static": return () -> countOdds();
            case "parameter": return () -> countOddsBelow(Integer.MAX_VALUE);
            default: throw new IllegalArgumentException("where should be run, static or parameter, not " + where);
        }
    }

    // To exit, the JVM makes a last safepoint: each thread in Java code must reach a poll. Are there polls in here?
    // The interpreter has them, C1's code has them, C2's has none in a counted loop. So it depends on who is running
    // the loop when main returns.
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

    // And with -XX:-TieredCompilation -Xcomp? Then each method is compiled by C2 before its first call, and the loop
    // is entered from the top, in a version that has never seen it run. No poll, no exit.
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
