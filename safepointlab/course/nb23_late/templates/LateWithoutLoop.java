// Exercise 23-2. A thread that calls a method over and over, while stops are requested.
//
// Edit work(), and nothing else, so that the thread `worker` is late by 10 ms or more for at least a fifth of the stops.
// Write no loop (no for, while, do, stream or recursion): the JDK's own methods will do.
//
// You try it with        lab.late("java -XX:+UseSerialGC -Xmx1g LateWithoutLoop.java", jdk=17, after=10, every=50)
// and have it judged by  lab.grade("23-2", "LateWithoutLoop.java")
public class LateWithoutLoop {
    static final byte[] data = new byte[500_000_000];
    static volatile long result;

    static void work() {
        result++; // only this method is yours to change
    }

    // The worker: it calls work() for three seconds. This loop is not counted, so it polls in each iteration.
    public static void main(String[] args) throws InterruptedException {
        Thread worker = new Thread(() -> {
            long end = System.nanoTime() + 3_000_000_000L;
            while (System.nanoTime() < end) {
                work();
            }
        }, "worker");
        worker.start();
        worker.join();
        System.out.println(result);
    }
}
