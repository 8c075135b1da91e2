// KillerTask: the most robust hang there is.
// A method, warmed up into fully optimised code, is called with a huge limit: no safepoint request reaches it.
//
// QUESTION  main sleeps and returns, the worker is a daemon: why does the JVM stay?
// RUN       mkdir -p classes && javac -d classes KillerTask.java
//           timeout -s KILL 5 java -XX:+UseSerialGC -cp classes KillerTask 1000
//           timeout -s KILL 9 java -XX:+UseG1GC -cp classes KillerTask 1000
// ARGUMENTS sleep in ms (5000), limit of both loops (Integer.MAX_VALUE), warm-up calls (100000)
// NOTEBOOK  02-when-will-it-exit (and 04-osr-vs-xcomp: why only the warmed method hangs)
// JDKS      8 11 17 21 25 28
// EXPECT    8, and 11 to 28 with Serial or Parallel: HUNG, whatever compiler made the class.
//           11 to 28 with G1: exits some 10 to 100 ms after main's last line.
//           = hung; no /odd numbers/
//           = exited; /main returns/; no /odd numbers/
public class KillerTask {
    public static void main(String[] args) throws InterruptedException {
        int sleepMs = args.length > 0 ? Integer.parseInt(args[0]) : 5000;
        int limit = args.length > 1 ? Integer.parseInt(args[1]) : Integer.MAX_VALUE;
        int warmups = args.length > 2 ? Integer.parseInt(args[2]) : 100_000;

        // Why warm up? The JVM counts calls and loop iterations. Many calls of a short loop give the method its
        // standard C2 version, entered at the top. Without them the one long call would be rescued inside the loop by
        // OSR (on-stack replacement), and that code is another story: see osr/EnteredOnce.
        for (int call = 0; call < warmups; call++) {
            countOdds(10);
        }

        // Why a daemon? The JVM does not wait for daemon threads to end: when main returns it may leave. To leave, it
        // makes one last safepoint: every thread that runs Java code must stop once, daemons too.
        Thread killer = new Thread(() -> System.out.println(countOdds(limit) + " odd numbers"), "killer");
        killer.setDaemon(true);
        killer.start();
        Thread.sleep(sleepMs);
        System.out.println("main returns");

        // Not printed? Up to 22 the JVM looks once a second whether a safepoint for housekeeping is due
        // (GuaranteedSafepointInterval=1000; 0 since 23, JDK-8325872). A main that sleeps longer than that wakes up
        // while this stop is waiting for the killer, and waits as well: the JVM hangs before main has returned.
    }

    // Where could this thread notice the request? A HotSpot thread is not interrupted, it looks: compiled code polls
    // at loop back edges and on return. Both loops below are counted loops to C2 (int index, fixed step, a limit that
    // does not change), and C2 takes the poll out of a counted loop: "it will end soon". This one ends in decades.
    //
    // Why does G1 escape? Since JDK 10 (JDK-8186027, loop strip mining) a counted loop is cut into strips of
    // LoopStripMiningIter=1000 iterations with a poll between them, but only where the collector asks for it:
    // G1, ZGC and Shenandoah do, Serial and Parallel keep -XX:-UseCountedLoopSafepoints.
    static long countOdds(int limit) {
        long odds = 0;
        for (int i = 0; i < limit; i++) {
            for (int j = 0; j < limit; j++) {
                if ((j & 1) == 1) {
                    odds++;
                }
            }
        }
        return odds;
    }

    // What cures it? Try each on the same class:
    //   -Xint                                               the interpreter polls at every jump back
    //   -XX:CompileCommand=exclude,KillerTask.countOdds     the same, for this method only
    //   -XX:TieredStopAtLevel=1                             C1 keeps the poll of every loop
    //   -XX:+UseCountedLoopSafepoints                       C2 keeps it too (from 8u92)
    //   -XX:+UseG1GC (11+)                                  strip mining
    // and what does not: -XX:CompileCommand=dontinline,KillerTask.countOdds. There is no call inside the loops that
    // could have kept its poll on return; hang/KillerTaskInnerCall has one.
}
