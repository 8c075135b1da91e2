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
        Thread loop = new Thread(() -> {
            result = countOdds(turns);
            over = true;
        }, "loop");
        loop.setDaemon(true);
        loop.start();
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
    // body, step, test, again: the very order in which C2 counts. It drops the poll.
    //
    // Eclipse's compiler writes every loop like this, a `for` too: that is all there is to compilers/EclipseStalls.
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
