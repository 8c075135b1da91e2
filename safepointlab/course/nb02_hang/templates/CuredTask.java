// Exercise 02-2. The killer task under another name: called 100,000 times with a small limit, then once with a huge one.
//
// Edit countOdds, and nothing else, so that the JVM exits as soon as main returns, on every JDK, with Serial and no other
// flag. It must still count the same numbers.
//
// You try it with        lab.java("CuredTask.java", 17, gc="Serial", args=[600], deadline=10)
// and have it judged by  lab.grade("02-2", "CuredTask.java")
public class CuredTask {
    public static void main(String[] args) throws InterruptedException {
        int sleepMs = args.length > 0 ? Integer.parseInt(args[0]) : 5000;
        int limit = args.length > 1 ? Integer.parseInt(args[1]) : Integer.MAX_VALUE;

        for (int call = 0; call < 100_000; call++) {
            countOdds(10);
        }
        Thread killer = new Thread(() -> System.out.println(countOdds(limit) + " odd numbers"), "killer");
        killer.setDaemon(true);
        killer.start();
        Thread.sleep(sleepMs);
        System.out.println("main returns");
    }

    // How many times is j odd, if both loops run up to the limit? Only this method is yours to change.
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
}
