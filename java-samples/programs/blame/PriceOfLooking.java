// PriceOfLooking: one thread works, many others sleep deep down in their stacks, and a profiler looks at them all.
// `all` takes every stack in one stop, `some` those of 20 threads in one stop, `each` the same 20 one after the other.
//
// QUESTION  What does it cost to look at all stacks ten times a second, and what does the number of threads do to it?
// RUN       safepoint run blame/PriceOfLooking --jdk 17 --args "all 500 100 2000"
// NOTEBOOK  20-safepoint-bias
// JDKS      8 11 17 21 25 28
// EXPECT    all: the stops grow with threads and with depth. some: they stay the same, however many threads there are.
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

public class PriceOfLooking {
    static final int PERIOD_MS = 100; // ten looks a second, as profilers with a window to watch like to do
    static final int SOME = 20;
    static volatile boolean running = true;
    static long passes;
    static int seen;

    static void sleepBelow(int frames, CountDownLatch there) {
        if (frames > 0) {
            sleepBelow(frames - 1, there);
        } else {
            there.countDown();
            LockSupport.park();
        }
    }

    static void work() {
        int hash = 1;
        while (running) {
            for (int i = 0; i < 1_000; i++) {
                hash = 31 * hash + i;
            }
            passes++;
        }
        seen ^= hash;
    }

    // One VM operation for all of them: nobody runs until the last frame of the last thread has been walked.
    static void lookAtAll() {
        seen += Thread.getAllStackTraces().size();
    }

    // The cap: a few, chosen at random anew each time. Over many looks every thread still gets its share.
    static void lookAtSome(List<Thread> threads, Random random) {
        long[] ids = new long[SOME];
        for (int i = 0; i < SOME; i++) {
            ids[i] = threads.get(random.nextInt(threads.size())).getId();
        }
        seen += ManagementFactory.getThreadMXBean().getThreadInfo(ids, Integer.MAX_VALUE).length;
    }

    // Are small stops better than one large one? Up to 17 each of these stops everybody, from 21 on the thread it asks.
    static void lookAtEach(List<Thread> threads, Random random) {
        for (int i = 0; i < SOME; i++) {
            seen += threads.get(random.nextInt(threads.size())).getStackTrace().length;
        }
    }

    // Who waits can't be misjudged: a sleeper stays where it is. So is it park(), and below it the line that called it?
    static boolean sleepsWhereItShould(StackTraceElement[] stack, int depth) {
        for (int i = 1; i < stack.length; i++) {
            if (stack[i].getMethodName().equals("sleepBelow")) {
                return stack[i - 1].getMethodName().equals("park") && stack.length - i > depth;
            }
        }
        return false;
    }

    public static void main(String[] args) throws InterruptedException {
        String mode = args.length > 0 ? args[0] : "all"; // all, some, each, none
        int count = args.length > 1 ? Integer.parseInt(args[1]) : 500;
        int depth = args.length > 2 ? Integer.parseInt(args[2]) : 100;
        long millis = args.length > 3 ? Long.parseLong(args[3]) : 2_000;
        CountDownLatch there = new CountDownLatch(count);
        List<Thread> sleepers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Thread sleeper = new Thread(null, () -> sleepBelow(depth, there), "sleeper-" + i, 1 << 20);
            sleeper.setDaemon(true);
            sleeper.start();
            sleepers.add(sleeper);
        }
        there.await();
        Thread worker = new Thread(PriceOfLooking::work, "worker");
        worker.start();
        TimeUnit.MILLISECONDS.sleep(300);

        long[] took = new long[(int) (millis / PERIOD_MS)];
        Random random = new Random(42);
        long passesBefore = passes, begin = System.nanoTime();
        for (int look = 0; look < took.length; look++) {
            long at = System.nanoTime();
            if (mode.equals("all")) {
                lookAtAll();
            } else if (mode.equals("some")) {
                lookAtSome(sleepers, random);
            } else if (mode.equals("each")) {
                lookAtEach(sleepers, random);
            }
            took[look] = System.nanoTime() - at;
            TimeUnit.MILLISECONDS.sleep(PERIOD_MS - Math.min(PERIOD_MS - 1, took[look] / 1_000_000));
        }
        double wall = (System.nanoTime() - begin) / 1e6;
        long done = passes - passesBefore;
        running = false;
        worker.join();
        Map<Thread, StackTraceElement[]> last = Thread.getAllStackTraces();
        long right = sleepers.stream().filter(one -> sleepsWhereItShould(last.get(one), depth)).count();
        Arrays.sort(took);
        System.out.println("look_ms=" + took[took.length / 2] / 1e6);
        System.out.println("share_of_time=" + Arrays.stream(took).sum() / 1e6 / wall);
        System.out.println("passes_per_ms=" + done / wall);
        System.out.println("sleepers_right=" + (double) right / count);
        System.out.println("seen=" + seen);
    }
}
