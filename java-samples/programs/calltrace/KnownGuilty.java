// KnownGuilty: a program that knows where its time goes, and asks the VM's own thread dump, which does not.
// One thread loops in `guilty`, then calls `innocent`. Another one takes its stack trace again and again and counts.
//
// QUESTION  Who is on top of the stack: in a thread dump, and when a signal interrupts the loop?
// RUN       mkdir -p classes && javac -d classes KnownGuilty.java
//           java -XX:+UseSerialGC -cp classes KnownGuilty 1000
// ARGUMENTS ms (1000), ms between two dumps (5)
// NOTEBOOK  21-async-get-call-trace (and 20-safepoint-bias: the whole story of dumps)
// JDKS      8 11 17 21 25 28
// EXPECT    With Serial hardly a dump shows `guilty`: its loop has no poll, so the dump waits until the loop has ended.
//           AsyncGetCallTrace does not wait for the thread, and names `guilty` in nearly all samples.
//           = exited; dump_elsewhere > 3 * dump_guilty
public class KnownGuilty {
    static volatile boolean over;
    static int sum;

    public static void main(String[] args) throws InterruptedException {
        int ms = args.length > 0 ? Integer.parseInt(args[0]) : 1000;
        int period = args.length > 1 ? Integer.parseInt(args[1]) : 5;
        Thread worker = new Thread("worker") {
            @Override
            public void run() {
                work();
            }
        };
        worker.start();

        // How does a thread dump see another thread? The thread has to stop first, at a poll: up to 17 getStackTrace is
        // a safepoint, from 21 on a handshake with the worker alone. Either way the sample is taken where the worker
        // stopped, and not where it was when the sample was requested. That difference is safepoint bias.
        int guilty = 0;
        int elsewhere = 0;
        for (long until = System.nanoTime() + ms * 1_000_000L; System.nanoTime() < until; ) {
            Thread.sleep(period);
            StackTraceElement[] stack = worker.getStackTrace();
            if (stack.length > 0 && stack[0].getMethodName().equals("guilty")) {
                guilty++;
            } else if (stack.length > 0) {
                elsewhere++;
            }
        }
        // Is an average over more samples any better? No: the bias is in each of them, and more samples only give a
        // wrong answer with a smaller error bar.
        over = true;
        worker.join();
        System.out.println("dump_guilty=" + guilty);
        System.out.println("dump_elsewhere=" + elsewhere);
    }

    // The known answer: guilty reads 100,000 cells in a call, innocent writes one. Any profiler that is right says so.
    static void work() {
        int[] cells = new int[100_000];
        while (!over) {
            guilty(cells);
            innocent(cells);
        }
    }

    // A counted loop: C2 leaves the poll out (with Serial and Parallel; with G1 since 10 it polls once in a thousand
    // iterations, JDK-8186027, and then dumps do show this method). A signal interrupts the thread at any instruction.
    static void guilty(int[] cells) {
        int sum = 1;
        for (int i = 0; i < cells.length; i++) {
            sum = 31 * sum + cells[i];
        }
        KnownGuilty.sum = sum;
    }

    // It does next to nothing. But it comes next, and the first poll after the loop is in here or on the way out. Why
    // is it blamed even when C2 has inlined it? The poll's debug information says which method, inlined or not, it
    // belongs to.
    static void innocent(int[] cells) {
        cells[sum & 1023]++;
    }
}
