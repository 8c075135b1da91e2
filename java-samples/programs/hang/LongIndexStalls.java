// LongIndexStalls: how long does a stop take when the loop has a long index?
// One warmed loop, one thread in it, and main asks for a collection three times: each waits for the loop's next poll.
//
// QUESTION  On which JDKs is "use a long index" still a cure?
// RUN       mkdir -p classes && javac -d classes LongIndexStalls.java
//           java -XX:+UseSerialGC -cp classes LongIndexStalls 1 5000000000
//           java -XX:+UseG1GC -cp classes LongIndexStalls 1 5000000000
// ARGUMENTS requests (3), iterations (20000000000), sleep before each request in ms (200),
//           iterations of the last warm-up call (100)
// NOTEBOOK  02-when-will-it-exit (and 05-counted-or-uncounted)
// JDKS      8 11 17 21 25 28
// EXPECT    ms a request. 8 and 11: a few. 17, 21, 25 with Serial or Parallel: a second or more, the time of 2^31
//           iterations. 28: a few with javac's class, a second or more with ecj's; add `3 20000000000 200 3000000000`
//           and javac's class stalls as well. G1 on 11 to 28: a few.
//           = exited; request_1 > 0
//           = exited; 3 * request_1 < above.request_1
public class LongIndexStalls {
    public static void main(String[] args) throws InterruptedException {
        int requests = args.length > 0 ? Integer.parseInt(args[0]) : 3;
        long iterations = args.length > 1 ? Long.parseLong(args[1]) : 20_000_000_000L;
        int sleepMs = args.length > 2 ? Integer.parseInt(args[2]) : 200;
        long lastWarmup = args.length > 3 ? Long.parseLong(args[3]) : 100;

        // Warmed by calls, so that the long call runs the standard C2 version and not one made by OSR.
        for (int call = 0; call < 20_000; call++) {
            countOddsBelow(100);
        }
        countOddsBelow(lastWarmup);
        Thread.sleep(100);
        Thread counter = new Thread(() -> System.out.println(countOddsBelow(iterations) + " odd numbers"), "counter");
        counter.setDaemon(true);
        counter.start();

        // What does System.gc() wait for? First for every thread to stop (time to safepoint), then for the collection
        // itself; the heap is empty, so that part is a few milliseconds. What remains is the distance to the next poll.
        for (int request = 1; request <= requests; request++) {
            Thread.sleep(sleepMs);
            long asked = System.nanoTime();
            System.gc();
            System.out.println("request " + request + ": " + (System.nanoTime() - asked) / 1_000_000 + " ms");
        }
        // And the exit? It is a stop like the others, and as late.
    }

    // How far is it to the next poll?
    //   8, 11      one iteration: a loop with a long index is not a counted loop
    //   17 to 28   nearly 2^31 iterations: C2 turns the loop into a nest (JDK-8223051, 16). The outer loop has a poll;
    //              the inner one has an int index, is counted, and loses its poll like any other counted loop
    // What is it good for? The inner loop can be unrolled and its range checks hoisted. Stop time is the price, and
    // strip mining (G1) pays it back.
    //
    // Why does 28 look cured? Since JDK-8342692 C2 makes no nest for a loop that the profile has only seen short
    // (-XX:+ShortRunningLongLoop, diagnostic). The long call breaks that promise, is thrown back to the interpreter
    // (`made not entrant: uncommon trap`), and caught there by the OSR version of the warm-up: javac's has a poll,
    // ecj's has none (compilers/EclipseHangs says why). But a promise is broken only once. After one warm-up call of
    // more than 2^31 iterations C2 knows better, makes the nest, and 28 is as late as 17.
    static long countOddsBelow(long limit) {
        long odds = 0;
        for (long i = 0; i < limit; i++) {
            if ((i & 1) == 1) {
                odds++;
            }
        }
        return odds;
    }
}
