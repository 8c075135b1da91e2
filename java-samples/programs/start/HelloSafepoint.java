// HelloSafepoint: the smallest program with something to see.
// One thread works without a pause, main asks for a collection now and then, and each time the worker has to stop.
//
// QUESTION  Who stops a thread that never asks to be stopped?
// RUN       mkdir -p classes && javac -d classes HelloSafepoint.java
//           java -cp classes HelloSafepoint
// ARGUMENTS collections (5), sleep before each in ms (100)
// NOTEBOOK  00-start-here
// JDKS      8 11 17 21 25 28
// EXPECT    Five lines, then the exit, all within a second. In the safepoint log (-Xlog:safepoint from 11 on, on 8
//           -XX:+PrintSafepointStatistics -XX:PrintSafepointStatisticsCount=1): one row for each System.gc(). 8 and 11
//           log the exit as well, and 11 two short stops for biased locking.
//           = exited; /^collection \d: \d+ us, worker at turn [1-9]\d*$/ 5 times
public class HelloSafepoint {
    static volatile long turns;

    public static void main(String[] args) throws InterruptedException {
        int collections = args.length > 0 ? Integer.parseInt(args[0]) : 5;
        int sleepMs = args.length > 1 ? Integer.parseInt(args[1]) : 100;
        Thread worker = new Thread(HelloSafepoint::work, "worker");
        worker.setDaemon(true);
        worker.start();

        // Why does System.gc() stop the worker? The serial collector moves objects, and no thread may use them
        // meanwhile: the JVM brings all threads that run Java code to a safepoint, does its operation, and lets them
        // go. The log has a duration for reaching the safepoint, for being at it, and (JDK-8350313) for leaving it.
        for (int collection = 1; collection <= collections; collection++) {
            Thread.sleep(sleepMs);
            long asked = System.nanoTime();
            System.gc();
            long took = System.nanoTime() - asked;
            System.out.println("collection " + collection + ": " + took / 1000 + " us, worker at turn " + turns);
        }
    }

    // Nothing in here waits, sleeps or asks. So how does the worker stop? The JVM puts a poll into this loop, at the
    // jump back: a few instructions that look whether a stop was asked for. This loop has no known end, and such a
    // loop always keeps its poll. Which loops lose it is what the rest of this lab is about.
    static void work() {
        while (true) {
            turns = turns + 1;
        }
    }
}
