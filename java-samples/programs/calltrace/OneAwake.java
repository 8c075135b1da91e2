// OneAwake: many threads, of which one works and all others wait.
// A CPU profiler and a wall-clock profiler look at the same program, and each sees what the other cannot.
//
// QUESTION  How many threads does a sample show, and which ones?
// RUN       mkdir -p classes && javac -d classes OneAwake.java
//           java -cp classes OneAwake 20 1000
// ARGUMENTS threads that sleep (20), ms (1000), percent of the time in which the one thread works (100)
// NOTEBOOK  21-async-get-call-trace
// JDKS      8 11 17 21 25 28
// EXPECT    By itself it says only how often its one busy thread went round. A profiler by CPU time has hardly a sample
//           of a sleeper; by the wall clock every thread has as many samples as any other.
//           = exited; turns > 0
public class OneAwake {
    static volatile long turns;

    public static void main(String[] args) throws InterruptedException {
        int sleepers = args.length > 0 ? Integer.parseInt(args[0]) : 20;
        int ms = args.length > 1 ? Integer.parseInt(args[1]) : 1000;
        int percent = args.length > 2 ? Integer.parseInt(args[2]) : 100;
        for (int i = 0; i < sleepers; i++) {
            start("sleeper-" + i, () -> nap(ms));
        }
        Thread worker = start("worker", () -> work(ms, percent));
        worker.join();
        System.out.println("turns=" + turns);
    }

    // Would a timer of CPU time ever expire here? No: the thread is off the CPU, and its CPU clock stands still.
    // Nothing is wrong with that, unless the question was "why does my request take a second?". For that take a
    // wall-clock profiler: it interrupts each thread in turn, running or not, and finds this one in Thread.sleep every
    // time.
    static void nap(int ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        }
    }

    // And this thread? By CPU time it has all samples. By the clock it has as many as each sleeper, and with 20 of them
    // one in 21: the busy method drowns unless the profiler says for each sample whether the thread was running.
    //
    // And if it sleeps for most of the time as well? Then a CPU profiler has hardly a sample of the whole program. Only
    // who knows how many there should have been sees that: one for each interval of a thread that never leaves the CPU.
    static void work(int ms, int percent) {
        long sum = 0, begin = System.nanoTime();
        for (long until = begin + ms * 1_000_000L, now = begin; now < until; turns++, now = System.nanoTime()) {
            for (int i = 0; i < 100_000; i++) {
                sum = 31 * sum + i;
            }
            if ((now - begin) / 1_000_000 % 100 >= percent) { // it works in the first part of each 100 ms
                nap(5);
            }
        }
        turns += sum & 1;
    }

    // Why names? A sample belongs to a thread. Where threads have names, a profile can be split by them.
    static Thread start(String name, Runnable what) {
        Thread thread = new Thread(what, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }
}
