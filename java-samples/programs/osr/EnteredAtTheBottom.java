// EnteredAtTheBottom: EnteredOnce with its loop the other way round, the test at its bottom. One method, called once.
// An entry in the middle of the loop does not help if the loop behind it looks counted.
//
// QUESTION  Does a loop that was entered by OSR always poll?
// RUN       mkdir -p classes && javac -d classes EnteredAtTheBottom.java
//           java -XX:+UseSerialGC -cp classes EnteredAtTheBottom
//           java -XX:+UseG1GC -cp classes EnteredAtTheBottom
// ARGUMENTS iterations of the one call (1500000000)
// NOTEBOOK  04-osr-vs-xcomp (the solution of an exercise; do it before you read on)
// JDKS      8 11 17 21 25 28
// EXPECT    Serial or Parallel: gc_ms is the rest of the loop, heard=at_its_end. G1 on 11 to 28: heard=in_mid_loop.
//           = exited; heard = at_its_end
//           = exited; heard = in_mid_loop
public class EnteredAtTheBottom {
    static volatile boolean over;
    static volatile long result;

    public static void main(String[] args) throws InterruptedException {
        int turns = args.length > 0 ? Integer.parseInt(args[0]) : 1_500_000_000;
        Thread.sleep(200);

        // Why is there no warm-up? This thread calls the method once and never again. So it begins in the interpreter
        // and gets compiled code by OSR only, in mid-loop, as `EnteredOnce once` does.
        Thread loop = new Thread(() -> {
            result = countOdds(turns);
            over = true;
        }, "loop");
        loop.setDaemon(true);
        loop.start();

        // Why wait before the request? Within 100 ms the loop is in C2's code. The interpreter polls at every jump
        // back, and C1's code polls in every loop: a request in that time would be answered at once, and would show
        // nothing.
        Thread.sleep(100);
        long asked = System.nanoTime();
        System.gc();
        long ms = (System.nanoTime() - asked) / 1_000_000;
        loop.join(100); // its thread may need a moment to say so
        System.out.println("gc_ms=" + ms);
        System.out.println("heard=" + (over ? "at_its_end" : "in_mid_loop"));
    }

    // What changed? javac puts the test where you put it. Of a `for` it makes a test at the top, of this a test at the
    // bottom, and the jump back goes to the body. So the OSR version starts at the body, and what it sees from there is
    // body, step, test, again: the order that a counted loop has. C2 counts it and drops the poll.
    //
    // Who writes such loops? Eclipse's compiler makes a `for` into this shape too: that is all there is to
    // compilers/EclipseStalls. So one source has a poll with javac's class and none with Eclipse's.
    //
    // What cures it? -XX:+UseCountedLoopSafepoints, or G1 from 11 on (strip mining, JDK-8186027). Without them it is
    // luck whether OSR code polls: the shape of the bytecode decides, and nobody chose that shape for its polls.
    static long countOdds(int turns) {
        long odds = 0;
        int i = 0;
        do {
            if ((i & 1) == 1) {
                odds++;
            }
            i++;
        } while (i < turns);
        return odds;
    }
}
