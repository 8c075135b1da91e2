// Exercise 04-2. EnteredOnce under another name: countOdds is called once, so OSR enters its loop.
//
// Edit countOdds, and nothing else, so that the collection has to wait until the loop is over, although the thread runs
// in an OSR version: with Serial, without a flag. It must count the same numbers as before.
//
// You try it with        lab.java("NotSavedByOsr.java", 17, gc="Serial", log="compilation", deadline=30).values
// and have it judged by  lab.grade("04-2", "NotSavedByOsr.java")
public class NotSavedByOsr {
    static volatile boolean over;
    static volatile long result;

    public static void main(String[] args) throws InterruptedException {
        int limit = args.length > 0 ? Integer.parseInt(args[0]) : 1_500_000_000;
        Thread.sleep(200);
        Thread loop = new Thread(() -> {
            result = countOdds(limit);
            over = true;
        }, "loop");
        loop.start();
        Thread.sleep(100);
        long asked = System.nanoTime();
        System.gc();
        long ms = (System.nanoTime() - asked) / 1_000_000;
        loop.join(100); // its thread may need a moment to say so
        System.out.println("gc_ms=" + ms);
        System.out.println("heard=" + (over ? "at_its_end" : "in_mid_loop"));
        loop.join();
        System.out.println("odds=" + result);
    }

    // How many odd numbers are there below the limit? Only this method is yours to change.
    static long countOdds(int limit) {
        long odds = 0;
        for (int i = 0; i < limit; i++) {
            if ((i & 1) == 1) {
                odds++;
            }
        }
        return odds;
    }
}
