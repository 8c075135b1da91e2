// KillerTaskInnerCall: the killer task with its inner loop in a method of its own.
// Two methods, one hang: inlining melts them into one loop nest, and the poll on return melts away with the call.
//
// QUESTION  Why does forbidding the JVM to inline one small method bring the exit back?
// RUN       mkdir -p classes && javac -d classes KillerTaskInnerCall.java
//           timeout -s KILL 5 java -XX:+UseSerialGC -cp classes KillerTaskInnerCall 1000
//           timeout -s KILL 9 java -XX:+UseSerialGC -XX:CompileCommand=dontinline,*.isOdd -cp classes \
//           KillerTaskInnerCall 1000
// ARGUMENTS sleep in ms (5000), limit of both loops (Integer.MAX_VALUE), warm-up calls (100000)
// NOTEBOOK  02-when-will-it-exit
// JDKS      8 11 17 21 25 28
// EXPECT    As the killer task: HUNG on 8, and with Serial or Parallel on 11 to 28.
//           With dontinline of isOdd: exits on time on every JDK, under every collector.
//           With dontinline of countOdds: HUNG as before.
//           = hung; no /odd numbers/
//           = exited; /main returns/; no /odd numbers/
public class KillerTaskInnerCall {
    public static void main(String[] args) throws InterruptedException {
        int sleepMs = args.length > 0 ? Integer.parseInt(args[0]) : 5000;
        int limit = args.length > 1 ? Integer.parseInt(args[1]) : Integer.MAX_VALUE;
        int warmups = args.length > 2 ? Integer.parseInt(args[2]) : 100_000;

        // Many short calls: countOdds and isOdd get hot, and C2 compiles countOdds with isOdd inlined into it.
        for (int call = 0; call < warmups; call++) {
            countOdds(10);
        }
        Thread killer = new Thread(() -> System.out.println(countOdds(limit) + " odd numbers"), "killer");
        killer.setDaemon(true);
        killer.start();
        Thread.sleep(sleepMs);
        System.out.println("main returns");
    }

    // Where would this code poll, if nothing were optimised? At the back edge of each loop, and in isOdd, on return.
    // The back edges lose their polls because both loops are counted. And isOdd?
    static long countOdds(int limit) {
        long odds = 0;
        for (int i = 0; i < limit; i++) {
            for (int j = 0; j < limit; j++) {
                if (isOdd(j)) {
                    odds++;
                }
            }
        }
        return odds;
    }

    // A compiled method polls just before it returns. But 13 bytes of bytecode are below the inlining limits
    // (MaxInlineSize=35), so C2 puts the body in the place of the call; where there is no call there is no return, and
    // no poll. -XX:CompileCommand=dontinline,*.isOdd keeps the call, hence one poll an iteration.
    //
    // So is dontinline a cure? Only where the loop without polls calls something. Name the method that holds the loop
    // (countOdds) instead, and nothing changes: its poll on return stands behind a loop that does not end.
    static boolean isOdd(int number) {
        return (number & 1) == 1;
    }
}
