// EclipseHangs: one source, two compilers, two fates.
// javac's class exits, Eclipse's class hangs: the hang of 2016 is alive, on every JDK with Serial.
//
// QUESTION  How can the choice of the Java compiler decide whether a JVM exits?
// RUN       mkdir -p classes && javac -d classes EclipseHangs.java
//           java -jar ${ECJ:-ecj.jar} -source 8 -target 8 -d classes-ecj EclipseHangs.java
//           java -XX:+UseSerialGC -cp classes EclipseHangs
//           timeout -s KILL 5 java -XX:+UseSerialGC -cp classes-ecj EclipseHangs
// ARGUMENTS sleep in ms (1500), limit of the outer loop (Integer.MAX_VALUE), iterations of the inner loop (1000)
// NOTEBOOK  03-eclipse-vs-javac
// JDKS      8 11 17 21 25 28
// EXPECT    8, and 11 to 28 with Serial or Parallel: javac's class exits on time, ecj's HUNG (the loop takes twenty
//           minutes). G1 on 11 to 28, or -XX:+UseCountedLoopSafepoints: both exit on time.
//           = exited; /main returns/; no /odd numbers/
//           = hung; no /odd numbers/
public class EclipseHangs {
    public static void main(String[] args) throws InterruptedException {
        int sleepMs = args.length > 0 ? Integer.parseInt(args[0]) : 1500;
        int limit = args.length > 1 ? Integer.parseInt(args[1]) : Integer.MAX_VALUE;
        int inner = args.length > 2 ? Integer.parseInt(args[2]) : 1000;
        Thread counter = new Thread(() -> System.out.println(outer(limit, inner) + " odd numbers"), "counter");
        counter.setDaemon(true); // so the JVM may leave when main returns, if all threads reach one last safepoint
        counter.start();
        Thread.sleep(sleepMs);
        System.out.println("main returns");
    }

    // Called once, so the only way out of the interpreter is OSR: a version that is entered in the middle of the loop,
    // at the target of the jump back. Which place is that? The two compilers disagree (javap -c shows it):
    //   javac                                         ecj
    //      5: i < limit?  no: goto 24    <- entry         5: goto 18
    //         body, i++                                   8: body, i++                  <- entry
    //     21: goto 5                                     18: i < limit?  yes: goto 8
    //     24: return                                     24: return
    // ecj's loop ends with its test: body, step, test, again. That is the shape of a counted loop, so C2 counts it and
    // takes its poll away. javac's begins with the test. C2 would copy it to the end of the loop, but not in the loop
    // at which an OSR version is entered (ciTypeFlow::clone_loop_heads). A later pass could still turn the loop around
    // (PartialPeelLoop), but it leaves alone a loop that has another one inside (IdealLoopTree::iteration_split). So
    // this one is not counted, and polls.
    static long outer(int limit, int inner) {
        long odds = 0;
        for (int i = 0; i < limit; i++) {
            odds += countOdds(inner);
        }
        return odds;
    }

    // Why a second method? If both loops stood in one, the innermost would get hot first, and OSR would enter there:
    // that is compilers/EclipseStalls. This one is inlined, and its loop with it: counted, short, unpolled in either
    // class. The poll on return is gone with the call. So the outer loop's poll decides.
    static long countOdds(int limit) {
        long odds = 0;
        for (int j = 0; j < limit; j++) {
            if ((j & 1) == 1) {
                odds++;
            }
        }
        return odds;
    }
}
