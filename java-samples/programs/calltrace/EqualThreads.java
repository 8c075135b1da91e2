// EqualThreads: some threads that do the same work for the same time, and how much CPU each of them had.
// A fair profiler has as many samples of a thread as it had CPU time. Who sends the signals decides that.
//
// QUESTION  One timer for the whole process, or one for each thread: who gets the signals?
// RUN       mkdir -p classes && javac -d classes EqualThreads.java
//           java -cp classes EqualThreads 4 1000
// ARGUMENTS threads (4), ms (1000)
// NOTEBOOK  21-async-get-call-trace
// JDKS      8 11 17 21 25 28
// EXPECT    By itself it says how long each thread had a core. Under async-profiler event=itimer is one timer for the
//           process, as honest-profiler had it: the kernel chooses a thread for each signal. event=ctimer is a timer
//           for each thread: its signals go to the thread whose time is up.
//           = exited; cpu_ms_0 > 0; cpu_ms_3 > 0
import java.lang.management.ManagementFactory;

public class EqualThreads {
    static volatile long passes;

    // No lock, no memory that they share but one counter: nothing makes one of them slower than another.
    static void work(int number, int ms) {
        long sum = 0, until = System.nanoTime() + ms * 1_000_000L;
        while (System.nanoTime() < until) {
            for (int i = 0; i < 100_000; i++) {
                sum = 31 * sum + i;
            }
        }
        passes += sum & 1;
        long used = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        System.out.println("cpu_ms_" + number + "=" + used / 1e6);
    }

    public static void main(String[] args) throws InterruptedException {
        int count = args.length > 0 ? Integer.parseInt(args[0]) : 4;
        int ms = args.length > 1 ? Integer.parseInt(args[1]) : 1_000;
        Thread[] threads = new Thread[count];
        for (int i = 0; i < count; i++) {
            int number = i;
            threads[i] = new Thread(() -> work(number, ms), "equal-" + i);
            threads[i].start();
        }
        // Why does main wait? It has no CPU time of its own, so a signal that is sent to it is a wrong one.
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
