// Exercise 03-2. EclipseHangs under another name: main sleeps and returns, a daemon counts in outer, which is called once.
//
// Edit outer, and nothing else, so that Eclipse's class exits as soon as main returns: with Serial, without a flag, on
// every JDK. It must count the same numbers as before, and still call countOdds(inner) for each i.
//
// You try it with        lab.java("EclipseExits.java", 17, compiler="ecj-4.6.1", gc="Serial", args=[800], deadline=10)
// and have it judged by  lab.grade("03-2", "EclipseExits.java")
public class EclipseExits {
    public static void main(String[] args) throws InterruptedException {
        int sleepMs = args.length > 0 ? Integer.parseInt(args[0]) : 1500;
        int limit = args.length > 1 ? Integer.parseInt(args[1]) : Integer.MAX_VALUE;
        int inner = args.length > 2 ? Integer.parseInt(args[2]) : 1000;
        Thread counter = new Thread(() -> System.out.println(outer(limit, inner) + " odd numbers"), "counter");
        counter.setDaemon(true);
        counter.start();
        Thread.sleep(sleepMs);
        System.out.println("main returns");
    }

    // How many odd numbers are there, if countOdds(inner) is asked once for each i below the limit? This method is yours.
    static long outer(int limit, int inner) {
        long odds = 0;
        for (int i = 0; i < limit; i++) {
            odds += countOdds(inner);
        }
        return odds;
    }

    static long countOdds(int limit) {
        long odds = 0;
        for (int j = 0; j < limit; j++) {
            if ((j & 1) == 1) {
                odds++;
            }
        }
        return odds;
    }
}
