// EnteredOnce: one loop, two versions of its code: entered once, it runs in the OSR version, entered often, in another.
// Both come from the same compiler and the same bytecode; one polls in mid-loop, the other does not.
//
// QUESTION  Why does it depend on a loop's past whether a safepoint request reaches it?
// RUN       mkdir -p classes && javac -d classes EnteredOnce.java
//           java -XX:+UseSerialGC -XX:+PrintCompilation -cp classes EnteredOnce once | grep -e EnteredOnce -e =
//           java -XX:+UseSerialGC -XX:+PrintCompilation -cp classes EnteredOnce often | grep -e EnteredOnce -e =
// ARGUMENTS once | often (once), odds | roots (odds), iterations of the long call (odds 1500000000, roots 150000000)
// NOTEBOOK  04-osr-vs-xcomp
// JDKS      8 11 17 21 25 28
// EXPECT    Serial or Parallel, a class by javac: once polled, within milliseconds; often unpolled, the gc waits for
//           the end of the loop. `once roots` is unpolled, unless you say -XX:-PartialPeelLoop.
//           -Xcomp -XX:-TieredCompilation: all unpolled. -XX:-UseOnStackReplacement: once polled, by the interpreter.
//           A class by ecj: all unpolled. G1 on 11 to 28: all polled.
//           = exited; heard = in_mid_loop; /% +4 +EnteredOnce::countOdds @/
//           = exited; heard = at_its_end; gc_ms > 2 * above.gc_ms; /^ +[0-9]+ +[0-9]+ +4 +EnteredOnce::countOdds \(/
public class EnteredOnce {
    static volatile boolean over;
    static volatile double result;

    public static void main(String[] args) throws InterruptedException {
        boolean often = args.length > 0 && args[0].equals("often");
        boolean roots = args.length > 1 && args[1].equals("roots");
        int turns = args.length > 2 ? Integer.parseInt(args[2]) : roots ? 150_000_000 : 1_500_000_000;

        // A past: 200,000 calls of 10 iterations each. The counter of calls passes its thresholds, and C1 and then C2
        // compile the method as a whole, to be entered at its top. (Why such short calls? Long ones reach the threshold
        // of jumps back first, and get their OSR version before the standard one.)
        for (int call = 0; often && call < 200_000; call++) {
            result = roots ? sumRoots(10) : countOdds(10);
        }
        // Made before the pause: to link its lambda keeps C1 busy, and a loop that finds C1 busy is profiled by the
        // interpreter and goes straight to C2, whose OSR version may then be another.
        Thread loop = new Thread(() -> {
            result = roots ? sumRoots(turns) : countOdds(turns);
            over = true;
        }, "loop");
        loop.setDaemon(true);
        Thread.sleep(200);
        loop.start();
        Thread.sleep(100);
        long asked = System.nanoTime();
        System.gc();
        long ms = (System.nanoTime() - asked) / 1_000_000;
        loop.join(100); // its thread may need a moment to say so
        System.out.println("gc_ms=" + ms);
        System.out.println("heard=" + (over ? "at_its_end" : "in_mid_loop"));
    }

    // Without a past, the long call starts in the interpreter. Nobody calls the method again, so a version to be
    // entered at its top is of no use to this thread. After some 60,000 jumps back it asks for one that starts at the
    // target of the jump, with the values that the variables have now: on-stack replacement. First from C1 (% and 3 in
    // the compilation log), which polls in every loop, then from C2 (% and 4).
    //
    // Why is there a poll in C2's OSR version, if C2 removes it from the standard one? A loop that C2 counts has its
    // test at the end: body, step, test, again. javac puts the test at the top. In a standard version C2 copies
    // the test to the end before it parses the method. Not so in the loop at which an OSR version is entered:
    // there the test is the entry, and stays (ciTypeFlow::clone_loop_heads says so). Not counted: polled.
    static long countOdds(int turns) {
        long odds = 0;
        for (int i = 0; i < turns; i++) {
            if ((i & 1) == 1) {
                odds++;
            }
        }
        return odds;
    }

    // Is that a rule? No, luck. A later pass of C2 may turn the loop around all the same, by peeling off its first
    // part (-XX:+PartialPeelLoop). It manages that with this body and does not with the one above. So never conclude
    // from one loop in an OSR version to another; look for the poll.
    static double sumRoots(int turns) {
        double sum = 1;
        for (int i = 0; i < turns; i++) {
            sum = Math.sqrt(sum + i);
        }
        return sum;
    }
}
