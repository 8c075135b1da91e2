// InfiniteYetExits: a loop that can never end, and a JVM that exits all the same.
// The counterpart of the killer task: there a loop of finite length cannot be stopped, here an endless one can.
//
// QUESTION  i += 2 steps over Integer.MAX_VALUE: is this loop more dangerous than one that ends, or less?
// RUN       mkdir -p classes && javac -d classes InfiniteYetExits.java
//           java -XX:+UseSerialGC -cp classes InfiniteYetExits 500
// ARGUMENTS sleep in ms (2000), warm-up calls (20000)
// NOTEBOOK  05-counted-or-uncounted
// JDKS      8 11 17 21 25 28
// EXPECT    It exits on time: on every JDK, under every collector, with -XX:-TieredCompilation -Xcomp as well.
//           = exited; /main returns/; no /cannot be/
public class InfiniteYetExits {
    public static void main(String[] args) throws InterruptedException {
        int sleepMs = args.length > 0 ? Integer.parseInt(args[0]) : 2000;
        int warmups = args.length > 1 ? Integer.parseInt(args[1]) : 20_000;

        // How to warm up a loop that never ends? From an odd start the index meets MAX_VALUE, which is odd, and the
        // loop ends. Many short calls give the method its standard C2 version, as in hang/KillerTask.
        for (int call = 0; call < warmups; call++) {
            turnsFrom(Integer.MAX_VALUE - 200);
        }

        // From an even start it goes ..., MAX_VALUE - 1, then wraps around to MIN_VALUE + 0, and on, for ever.
        Thread endless = new Thread(() -> System.out.println(turnsFrom(0) + " turns: cannot be"), "endless");
        endless.setDaemon(true);
        endless.start();
        Thread.sleep(sleepMs);

        // Why does the JVM get away now? To exit it makes one last safepoint, and the endless loop reaches its poll at
        // once. hang/KillerTask differs in one point: its loop does end, in decades, and so it has no poll.
        System.out.println("main returns");
    }

    // What does C2 ask before it counts a loop? How many iterations it has; and it must be sure. With a step of 1 the
    // index cannot miss the limit. With a step of 2 it can, if the limit is MAX_VALUE. If C2 did not know the limit, it
    // would check it once, before the loop, and count (counted/LoopShapes: strideTwo). This limit is a constant, the
    // check would fail for certain, so the loop is not counted, and its poll stays. What saves the program is that its
    // author made a mistake which C2 can see.
    static long turnsFrom(int start) {
        long turns = 0;
        for (int i = start; i < Integer.MAX_VALUE; i += 2) {
            turns++;
        }
        return turns;
    }

    // And with i++? Two billion iterations, counted, without a poll, and over in a second at most: an exit within that
    // time waits for the end (try a sleep of 100). hang/KillerTask puts two such loops inside each other, and that
    // makes decades of a second.
}
