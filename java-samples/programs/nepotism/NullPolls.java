// NullPolls: some threads offer to a queue, and one polls. It knows how many elements are in for certain: a thread counts
// its element when offer() has returned. Does poll() ever return null while one of them is there?
//
// QUESTION  Is a queue empty when poll() says null?
// RUN       mkdir -p classes && javac -d classes NullPolls.java
//           java -cp classes NullPolls
//           java -cp classes:agrona-1.22.0.jar NullPolls org.agrona.concurrent.ManyToOneConcurrentLinkedQueue
// ARGUMENTS queue class (java.util.concurrent.ConcurrentLinkedQueue), time to go on in ms (1000), threads that offer
//           (twice as many as there are cores)
// NOTEBOOK  07-nepotism
// JDKS      8 11 17 21 25 28
// EXPECT    java.util.Queue: poll() returns null "if this queue is empty". ConcurrentLinkedQueue keeps to it. Agrona's
//           queue does not: a thread that is stopped in the middle of its offer hides what others offer after it.
//           = exited; wrong_nulls = 0
//           = exited; wrong_nulls > 0

import java.util.Queue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

public class NullPolls {
    static volatile boolean done;
    static final AtomicLong offered = new AtomicLong();

    @SuppressWarnings("unchecked")
    static Queue<Object> make(String name) throws ReflectiveOperationException {
        return (Queue<Object>) Class.forName(name).getConstructor().newInstance();
    }

    public static void main(String[] args) throws ReflectiveOperationException, InterruptedException {
        Queue<Object> queue = make(args.length > 0 ? args[0] : "java.util.concurrent.ConcurrentLinkedQueue");
        long span = (args.length > 1 ? Long.parseLong(args[1]) : 1000) * 1_000_000;
        int twice = 2 * Runtime.getRuntime().availableProcessors();
        Thread[] team = new Thread[args.length > 2 ? Integer.parseInt(args[2]) : twice];
        for (int i = 0; i < team.length; i++) {
            team[i] = new Thread(() -> {
                while (!done) {
                    queue.offer(queue);
                    offered.incrementAndGet();
                    while (offered.get() - polled > 2_000 && !done) {
                        LockSupport.parkNanos(100_000);
                    }
                }
            }, "offers-" + i);
            team[i].start();
        }

        // What is a wrong null? `there` is read before the poll: so many offers are over. If fewer elements have been
        // polled until now, one of them is in the queue, and nobody else takes it out.
        long wrong = 0;
        long nulls = 0;
        for (long begin = System.nanoTime(); System.nanoTime() - begin < span;) {
            long there = offered.get();
            if (queue.poll() != null) {
                polled++;
            } else {
                nulls++;
                wrong += polled < there ? 1 : 0;
                Thread.yield();
            }
        }
        done = true;
        for (Thread thread : team) {
            thread.join();
        }
        System.out.printf("polled=%d%nnulls=%d%nwrong_nulls=%d%n", polled, nulls, wrong);
    }

    // How many are out? The thread that polls counts them, and the others wait when the queue gets long.
    static volatile long polled;
}
