// InfiniteYetExits: a loop that can never end, and a JVM that exits all the same.
// The counterpart of the killer task: there a loop of finite length cannot be stopped, here an endless one can.
//
// QUESTION  i += 2 steps over Integer.MAX_VALUE: is this loop more dangerous than one that ends, or less?
// RUN       mkdir -p classes && javac -d classes InfiniteYetExits.java
//           java -XX:+UseSerialGC -cp classes InfiniteYetExits 500
// ARGUMENTS sleep in ms (2000), warm-up calls (20000)
// NOTEBOOK  05-counted-or-uncounted
// JDKS      8 11 17 21 25 28
// EXPECT    exits on time: on every JDK, under every collector, with -XX:-TieredCompilation -Xcomp as well.
public class InfiniteYetExits {
    public static void main(String[] args) throws InterruptedException {
        int sleepMs = args.length > 0 ? Integer.parseInt(args[0]) : 2000;
        int warmups = args.length > 1 ? Integer.parseInt(args[1]) : 20_000;

        // From an odd start the index meets MAX_VALUE, which is odd, and the loop ends: good for warming up.
        for (int call = 0; call < warmups; call++) {
            turnsFrom(Integer.MAX_VALUE - 200);
        }

        // From an even start it goes ..., MAX_VALUE - 1, then wraps around to MIN_VALUE + 0, and on, for ever.
        Thread endless = new Thread(() -> System.out.println(turnsFrom(0) + " turns: cannot be"), "endless");
        endless.setDaemon(true);
        endless.start();
        Thread.sleep(sleepMs);
        System.out.println("main returns");
    }

    // What does C2 ask before it counts a loop? How often will it turn; and it must be sure. With a step of 1 the index
    // cannot miss the limit. With a step of 2 and this limit it can, so the number of turns is unknown, the loop is
    // not counted, and its poll stays. What saves the program is that its author made a mistake which C2 can see.
    static long turnsFrom(int start) {
        long turns = 0;
        for (int i = start; i < Integer.MAX_VALUE; i += 2) {
            turns++;
        }
        return turns;
    }
}
