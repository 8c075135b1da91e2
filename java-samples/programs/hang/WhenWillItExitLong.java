// WhenWillItExitLong: the same program with one word changed, int to long.
// The advice of 2015: a long index makes the loop uncounted, so it keeps its poll. True on 8 and 11; then C2 learned.
//
// QUESTION  Is a long index a cure for the loop that never stops?
// RUN       mkdir -p classes && javac -d classes WhenWillItExitLong.java
//           timeout -s KILL 30 java -XX:+UseSerialGC -XX:-TieredCompilation -Xcomp -cp classes WhenWillItExitLong 600
// ARGUMENTS sleep in ms (5000), limit of both loops (Long.MAX_VALUE)
// NOTEBOOK  02-when-will-it-exit
// JDKS      8 11 17 21 25 28
// EXPECT    Never HUNG. 8 and 11, and G1 on all: on time. 17 to 28 with Serial or Parallel: late by up to the time of
//           2^31 iterations, about a second, with these flags, and without them if the class is made by ecj.
//           = exited; /main returns/; no /odd numbers/
public class WhenWillItExitLong {
    public static void main(String[] args) throws InterruptedException {
        int sleepMs = args.length > 0 ? Integer.parseInt(args[0]) : 5000;
        long limit = args.length > 1 ? Long.parseLong(args[1]) : Long.MAX_VALUE;
        Thread counter = new Thread(() -> countOddsBelow(limit), "counter");
        counter.setDaemon(true);
        counter.start();
        Thread.sleep(sleepMs);
        System.out.println("main returns");
    }

    // Why did a long index help? C2's counted loop has an int index; all that it does to such a loop (unrolling,
    // vectors, leaving out the poll) it did not do to a loop with a long one. Slow, but stoppable.
    //
    // What changed? Since 16 (JDK-8223051) C2 makes a nest of a long loop: an outer loop with a long index and a poll,
    // an inner one with an int index that runs nearly 2^31 iterations at a time, and is counted. With strip mining
    // (G1) the inner one is cut again; with Serial and Parallel it runs to its end before anyone can stop it. It does
    // end, so this is a stall and not a hang. hang/LongIndexStalls measures how long.
    static void countOddsBelow(long limit) {
        long odds = 0;
        for (long i = 0; i < limit; i++) {
            for (long j = 0; j < limit; j++) {
                if ((j & 1) == 1) {
                    odds++;
                }
            }
        }
        System.out.println(odds + " odd numbers");
    }
}
