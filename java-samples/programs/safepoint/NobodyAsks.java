// NobodyAsks: one thread runs a long counted loop, over and over, main does ordinary work, and no code in here requests
// a safepoint. The log shows that safepoints come all the same.
//
// QUESTION  Is a loop without a poll harmless as long as the program requests no safepoint?
// RUN       mkdir -p classes && javac -d classes NobodyAsks.java
//           java -XX:+UseSerialGC -Xmx64m -Xlog:safepoint:stdout -cp classes NobodyAsks
// ARGUMENTS how long main works in ms (1500), iterations of the counted loop in millions (50)
// NOTEBOOK  01-what-is-a-safepoint
// JDKS      8 11 17 21 25 28 (8: -XX:+PrintSafepointStatistics -XX:PrintSafepointStatisticsCount=1 for the log)
// EXPECT    Several collections, because main makes garbage. With Serial or Parallel each waits for the end of the
//           loop, and main with it; with G1 from 11 on, or -XX:+UseCountedLoopSafepoints, they come at once.
//           = exited; /CollectForAllocation/ at least 2 times; longest_pause_ms > 0

public class NobodyAsks {
    static volatile boolean warm;
    static volatile boolean done;
    static volatile int result;
    static volatile byte[] garbage;

    // Whose fault is it? This loop's: C2 counts it, and leaves the poll out. But nobody notices before a safepoint is
    // requested, however long the loop is.
    static int counted(int turns) {
        int hash = 0;
        for (int i = 0; i < turns; i++) {
            hash = 31 * hash + i;
        }
        return hash;
    }

    // Why 5,000 short loops first? They give the method its standard version: see RunningStoppedRunning.
    static void loop(int turns) {
        for (int i = 0; i < 5000; i++) {
            result = counted(20_000);
        }
        warm = true;
        int passes = 0;
        long began = System.nanoTime();
        for (; !done; passes++) {
            result = counted(turns);
        }
        System.out.println("pass_ms=" + (System.nanoTime() - began) / 1e6 / passes);
    }

    public static void main(String[] args) throws InterruptedException {
        int ms = args.length > 0 ? Integer.parseInt(args[0]) : 1500;
        int turns = (args.length > 1 ? Integer.parseInt(args[1]) : 50) * 1_000_000;
        Thread loop = new Thread(() -> loop(turns), "loop");
        loop.start();
        while (!warm) {
            Thread.sleep(10);
        }

        // Who asks, then? The VM does: main's garbage fills the heap sooner or later. Loaded classes, biased locks and
        // code that has to go made it ask as well, and some JDKs stop all threads each second (page 14).
        long longest = 0;
        long end = System.nanoTime() + ms * 1_000_000L;
        for (long now = System.nanoTime(); now < end; ) {
            for (int i = 0; i < 16; i++) {
                garbage = new byte[64 << 10];
            }
            Thread.sleep(1);
            long before = now;
            now = System.nanoTime();
            longest = Math.max(longest, now - before);
        }
        System.out.println("longest_pause_ms=" + longest / 1e6);
        done = true;
    }
}
