// KillerTaskInChunks: the killer task, cured in its source.
// What strip mining does since JDK 10, done by hand: an inner loop that ends soon, and one around it that polls.
//
// QUESTION  How can a program stay stoppable on every JDK, without a flag?
// RUN       mkdir -p classes && javac -d classes KillerTaskInChunks.java
//           timeout -s KILL 9 java -XX:+UseSerialGC -cp classes KillerTaskInChunks 1000
// ARGUMENTS sleep in ms (5000), limit of both loops (Integer.MAX_VALUE), warm-up calls (100000), chunk (1000)
// NOTEBOOK  02-when-will-it-exit
// JDKS      8 11 17 21 25 28
// EXPECT    Exits on time on every JDK, under every collector. With a chunk of 1000000000 it is late by about half a
//           second where the killer task hangs: the chunk is the longest time to a poll.
//           = exited; /main returns/; no /odd numbers/
public class KillerTaskInChunks {
    public static void main(String[] args) throws InterruptedException {
        int sleepMs = args.length > 0 ? Integer.parseInt(args[0]) : 5000;
        int limit = args.length > 1 ? Integer.parseInt(args[1]) : Integer.MAX_VALUE;
        int warmups = args.length > 2 ? Integer.parseInt(args[2]) : 100_000;
        int chunk = args.length > 3 ? Integer.parseInt(args[3]) : 1000;

        // The same warm-up and the same last call as in the killer task: only the loop is another one.
        for (int call = 0; call < warmups; call++) {
            countOdds(10, chunk);
        }
        Thread killer = new Thread(() -> System.out.println(countOdds(limit, chunk) + " odd numbers"), "killer");
        killer.setDaemon(true);
        killer.start();
        Thread.sleep(sleepMs);
        System.out.println("main returns");
    }

    // Why is the middle loop not counted? Its step is computed again in each iteration, so C2 cannot know the number of
    // iterations beforehand. Such a loop keeps the poll at its back edge: one poll for each chunk.
    //
    // And the outer loop? It has an int index and a fixed step, so C2 may count it and take its poll. That does no harm
    // here: a thread in it meets the middle loop's poll after a chunk at the latest.
    //
    // Why is it cheap? The innermost loop is still a counted loop, unrolled and without polls. One poll in a thousand
    // iterations is little work, and a thousand iterations are over in a microsecond or so.
    static long countOdds(int limit, int chunk) {
        long odds = 0;
        for (int i = 0; i < limit; i++) {
            int from = 0;
            while (from < limit) {
                int to = from + Math.min(chunk, limit - from);
                for (int j = from; j < to; j++) {
                    if ((j & 1) == 1) {
                        odds++;
                    }
                }
                from = to;
            }
        }
        return odds;
    }
}
