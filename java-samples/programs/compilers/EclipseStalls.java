// EclipseStalls: the program of 2016, in which Eclipse's class hung and javac's did not; today it is a stall.
// The loop test at the top (javac) or at the bottom (ecj) decides whether the first OSR version has a poll.
//
// QUESTION  What is left of the hang today?
// RUN       mkdir -p classes && javac -d classes EclipseStalls.java
//           java -jar ${ECJ:-ecj.jar} -source 8 -target 8 -d classes-ecj EclipseStalls.java
//           TIMEFORMAT=exited_after_s=%R; time java -XX:+UseSerialGC -cp classes EclipseStalls
//           TIMEFORMAT=exited_after_s=%R; time java -XX:+UseSerialGC -cp classes-ecj EclipseStalls
// ARGUMENTS sleep in ms (300)
// NOTEBOOK  03-eclipse-vs-javac
// JDKS      8 11 17 21 25 28
// EXPECT    Serial, Parallel, and all of 8: javac's class exits within 0.1 s of main, ecj's some 0.5 to 2 s later.
//           G1 on 11 to 28: both within 0.1 s. A sleep of 5000, as in the post, hides all of it.
//           = exited; /main returns/
//           = exited; /main returns/; exited_after_s > above.exited_after_s
public class EclipseStalls {
    public static void main(String[] args) throws InterruptedException {
        int sleepMs = args.length > 0 ? Integer.parseInt(args[0]) : 300;
        Thread counter = new Thread(() -> countOdds(), "counter");
        counter.setDaemon(true);
        counter.start();
        long asleep = System.nanoTime();
        Thread.sleep(sleepMs);

        // Was main itself held up? If a safepoint was already waiting for the counter, the sleeper could not wake.
        System.out.println("main returns after " + (System.nanoTime() - asleep) / 1_000_000 + " ms");
    }

    // What happens in the first second? After some 60,000 jumps back (Tier3BackEdgeThreshold) C1 is asked for an OSR
    // version (% 3), later C2 for another (% 4), and the thread is in it. What comes after the inner loop never ran,
    // so C2 leaves that out: it compiles the inner loop, and behind it a trap.
    //   javac's class: entered at the test, at the loop's top; not counted, so it keeps a poll
    //   ecj's class:   entered at the body, the test is at the bottom; counted, no poll
    // (compilers/EclipseHangs explains the difference.)
    //
    // Why no hang, then? After Integer.MAX_VALUE iterations, about a second, the inner loop ends and the thread falls
    // into the trap: "made not entrant", back to the interpreter, and to a safepoint. The next OSR version knows both
    // loops, and has a poll whichever compiler made the class. So main is late only if it returns in that first second.
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

    // What cures the stall? -XX:+UseCountedLoopSafepoints, or G1 from 10 on (JDK-8186027). What does not: a newer
    // Eclipse compiler. Its test is still at the bottom, and nothing is wrong with that: the language does not say
    // where it is.
}
