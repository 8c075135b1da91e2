// Exercise 20-2. A hot loop, a method that does next to nothing, and a profiler that takes thread dumps.
//
// Edit innocent(), and nothing else, so that most dumps of the thread blame it with Serial, although it takes less than
// a tenth of the time. What you write into it may be of no use at all, as long as C2 does not remove it.
//
// You try it with        lab.java("Scapegoat.java", 17, gc="Serial").output
// and have it judged by  lab.grade("20-2", "Scapegoat.java")
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

public class Scapegoat {
    static volatile boolean running;
    static volatile int result;
    static byte[] data;
    static int some = 123_456_789;

    static void innocent(int value) {
        result = value; // only this method is yours to change
    }

    // The hot loop. It is counted, so C2 leaves out its poll. Nearly all of a call's time goes into it.
    static int hot(byte[] data) {
        int hash = 0;
        for (int i = 0; i < data.length; i++) {
            hash = 31 * hash + data[i];
        }
        return hash;
    }

    static void call() {
        innocent(hot(data));
    }

    static void alone() {
        innocent(some);
    }

    static void drive(Runnable task) {
        while (running) {
            task.run();
            calls++;
        }
    }

    static long calls;

    // Runs a task for some time in a thread of its own, and returns how many ns a call took.
    static double run(Runnable task, int size, int millis, String name) throws InterruptedException {
        data = new byte[size];
        Arrays.fill(data, (byte) 7);
        running = true;
        calls = 0;
        Thread worker = new Thread(() -> drive(task), name);
        long begin = System.nanoTime();
        worker.start();
        Thread.sleep(millis);
        running = false;
        worker.join();
        return (double) (System.nanoTime() - begin) / calls;
    }

    static void look(Map<String, Integer> seen) {
        try {
            while (true) {
                Thread.sleep(10);
                Thread.getAllStackTraces().forEach((thread, stack) -> {
                    if (thread.getName().equals("worker") && stack.length > 0) {
                        seen.merge(stack[0].getMethodName(), 1, Integer::sum);
                    }
                });
            }
        } catch (InterruptedException end) {
            seen.forEach((method, times) -> System.out.println("blamed " + method + " " + times));
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Runnable[] tasks = { Scapegoat::call, Scapegoat::alone, () -> { }, () -> result++ };
        for (int round = 0; round < 3; round++) {
            for (Runnable task : tasks) {
                run(task, 2_000, 60, "warm-up");
            }
        }
        double alone = run(tasks[1], 50_000, 100, "alone");
        Thread sampler = new Thread(() -> look(new TreeMap<>()), "sampler");
        sampler.start();
        double both = run(tasks[0], 50_000, 400, "worker");
        sampler.interrupt();
        sampler.join();
        System.out.println("innocent_share=" + alone / both);
    }
}
