// Exercise 00-2. One thread works without a pause, and main requests something three times.
//
// Edit ask(), and nothing else, so that the JVM stops all threads each time, but not for a garbage collection. (What
// could the JVM want to look at while no thread moves?)
//
// You try it with        lab.java("AnotherReason.java", 17, gc="Serial", log="safepoint", deadline=10).safepoints
// and have it judged by  lab.grade("00-2", "AnotherReason.java")
public class AnotherReason {

    // What could need a stop of all threads? Only this method is yours to change.
    static void ask() {
        System.gc();
    }

    // The rest stays as it is.
    static volatile long iterations;

    public static void main(String[] args) throws InterruptedException {
        Thread worker = new Thread(AnotherReason::work, "worker");
        worker.setDaemon(true);
        worker.start();
        for (int request = 1; request <= 3; request++) {
            Thread.sleep(100);
            ask();
            System.out.println("request " + request + ", iteration " + iterations);
        }
    }

    static void work() {
        while (true) {
            iterations = iterations + 1;
        }
    }
}
