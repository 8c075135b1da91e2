// BlockedFourWays: one thread waits for a lock, one in Object.wait(), one is parked, and one reads from an empty pipe.
// While all of them are blocked main asks for a collection, and only then lets them go.
//
// QUESTION  Does a safepoint wait for threads that are blocked, and so cannot come to a poll?
// RUN       mkdir -p classes && javac -d classes BlockedFourWays.java
//           java -XX:+UseSerialGC -Xlog:safepoint:stdout -cp classes BlockedFourWays
// ARGUMENTS rounds (5)
// NOTEBOOK  01-what-is-a-safepoint
// JDKS      8 11 17 21 25 28 (8: -XX:+PrintSafepointStatistics -XX:PrintSafepointStatisticsCount=1 for the log)
// EXPECT    It does not: each request is answered while all four are still blocked.
//           = exited; lock = 5; wait = 5; park = 5; read = 5

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

public class BlockedFourWays {
    interface Blocking {
        void run() throws Exception;
    }

    static final Object LOCK = new Object();
    static final Object CONDITION = new Object();
    static volatile boolean released;

    // What do the four have in common? On its way into each of these calls a thread leaves its stack in order and notes
    // that it is no longer in Java. That is all the VM thread looks at. Nobody has to wake it.
    static void lock() {
        synchronized (LOCK) {
            LOCK.notifyAll();
        }
    }

    static void await() throws InterruptedException {
        synchronized (CONDITION) {
            while (!released) {
                CONDITION.wait();
            }
        }
    }

    static void park() {
        while (!released) {
            LockSupport.park();
        }
    }

    static void read(Pipe pipe) throws IOException {
        pipe.source().read(ByteBuffer.allocateDirect(1));
    }

    // Are they really blocked? The first three say so themselves (Thread.getState). A thread in a system call is
    // RUNNABLE to Java; the kernel knows that it sleeps, and main gives it time enough to get there.
    static boolean blocked(Map<String, Thread> threads) {
        return threads.entrySet().stream().allMatch(entry -> entry.getKey().equals("read")
            ? entry.getValue().isAlive()
            : entry.getValue().getState() != Thread.State.RUNNABLE && entry.getValue().isAlive());
    }

    static Thread started(Blocking call, CountDownLatch about) {
        Thread thread = new Thread(() -> {
            try {
                about.countDown();
                call.run();
            } catch (Exception broken) {
                throw new IllegalStateException(broken);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    public static void main(String[] args) throws Exception {
        int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 5;
        Map<String, Integer> still = new LinkedHashMap<>();
        for (int round = 0; round < rounds; round++) {
            oneRound(still);
        }
        System.out.print("rounds=" + rounds + "\n");
        still.forEach((kind, times) -> System.out.print(kind + "=" + times + "\n"));
    }

    // What would we see if the VM waited for them? Nothing: main, which is to let them go, would wait for the
    // collection, and the collection for them.
    static void oneRound(Map<String, Integer> still) throws Exception {
        released = false;
        Pipe pipe = Pipe.open();
        CountDownLatch about = new CountDownLatch(4);
        Map<String, Thread> threads = new LinkedHashMap<>();
        synchronized (LOCK) {
            threads.put("lock", started(BlockedFourWays::lock, about));
            threads.put("wait", started(BlockedFourWays::await, about));
            threads.put("park", started(BlockedFourWays::park, about));
            threads.put("read", started(() -> read(pipe), about));
            about.await();
            do {
                Thread.sleep(30);
            } while (!blocked(threads));
            System.gc();
            threads.forEach((kind, thread) -> still.merge(kind, thread.isAlive() ? 1 : 0, Integer::sum));
        }
        released = true;
        synchronized (CONDITION) {
            CONDITION.notifyAll();
        }
        LockSupport.unpark(threads.get("park"));
        pipe.sink().write(ByteBuffer.allocate(1));
        for (Thread thread : threads.values()) {
            thread.join();
        }
    }
}
