// PriceOfLooking: one thread works, many others sleep deep down in their stacks, and a profiler looks at them all.
// `all` takes every stack in one stop, `some` those of 20 threads in one stop, `each` the same 20 one after the other.
//
// QUESTION  What does it cost to look at all stacks ten times a second, and how does that grow with the threads?
// RUN       safepoint run blame/PriceOfLooking --jdk 17 --args "all 500 100 1000"
//           safepoint run blame/PriceOfLooking --jdk 17 --args "some 500 100 1000"
// ARGUMENTS all | some | each | capped (ten frames of each) | running (only who used the CPU) | turns (all, half of the
//           time) | none (all), threads that sleep (500), calls on the stack of each (100), ms (2000), ms from one look
//           to the next (100)
// NOTEBOOK  20-safepoint-bias
// JDKS      8 11 17 21 25 28
// EXPECT    all: look_ms grows with the threads and with the depth of their stacks. some: it stays the same, however
//           many threads there are.
//           = exited; look_ms > 0
//           = exited; 3 * look_ms < above.look_ms
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
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
    static final int SOME = 20;       // of so many threads the mode `some` takes the stacks, in one stop
    static final int CAP = 10;        // frames of each stack that the mode `capped` wants
    static final int BLOCK = 4;       // so many looks, and then as long without any, in the mode `turns`
    static volatile boolean running = true;
    static long passes;
    static int seen;

    // Why so deep? The frames of a web server's thread are many: each layer of a framework adds its calls. A dump has
    // to walk them all, whether the thread works or sleeps.
    static void sleepBelow(int frames, CountDownLatch there) {
        if (frames > 0) {
            sleepBelow(frames - 1, there);
        } else {
            there.countDown();
            LockSupport.park();
        }
    }

    // Who pays for the looks? This thread, which none of them is about. Its loop has a poll in each pass of `while`, so
    // that no stop waits long for it: what it loses is the operation itself.
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

    // One VM operation for all of them, ThreadDump: the VM thread walks one stack after the other, and nobody runs
    // until the last frame of the last thread has been walked. So a look grows with threads times frames.
    static void lookAtAll() {
        seen += Thread.getAllStackTraces().size();
    }

    // Must it be all of them each time? A profile is made of samples, so a few are enough if they are chosen at random
    // for each look: over many looks every thread gets its share. The VM operation is still a safepoint for all
    // threads, but it is as short as twenty stacks are.
    static void lookAtSome(List<Thread> threads, Random random) {
        long[] ids = new long[SOME];
        for (int i = 0; i < SOME; i++) {
            ids[i] = threads.get(random.nextInt(threads.size())).getId();
        }
        seen += ManagementFactory.getThreadMXBean().getThreadInfo(ids, Integer.MAX_VALUE).length;
    }

    // Are twenty small stops better than one? Up to 17 each of these calls is a safepoint of its own, and waits for the
    // last thread to stop, twenty times. From 21 on it is a handshake (JEP 312): only the thread in question stops.
    static void lookAtEach(List<Thread> threads, Random random) {
        for (int i = 0; i < SOME; i++) {
            seen += threads.get(random.nextInt(threads.size())).getStackTrace().length;
        }
    }

    // Or no more than ten frames of each? The VM walks only those.
    static void lookAtTheTop(List<Thread> threads) {
        long[] ids = threads.stream().mapToLong(Thread::getId).toArray();
        seen += ManagementFactory.getThreadMXBean().getThreadInfo(ids, CAP).length;
    }

    // Or only the threads that did something since the last look? To ask for a thread's CPU time stops nobody.
    static void lookAtRunning(List<Thread> threads, long[] before) {
        ThreadMXBean bean = ManagementFactory.getThreadMXBean();
        List<Long> busy = new ArrayList<>();
        for (int i = 0; i < before.length; i++) {
            long used = bean.getThreadCpuTime(threads.get(i).getId());
            if (used - before[i] > 1_000_000) {
                busy.add(threads.get(i).getId());
            }
            before[i] = used;
        }
        long[] ids = busy.stream().mapToLong(Long::longValue).toArray();
        seen += ids.length > 0 ? bean.getThreadInfo(ids, Integer.MAX_VALUE).length : 0;
    }

    // Are dumps wrong about sleepers, too? No: a running thread is seen at its next poll (blame/KnownAnswer), but a
    // sleeper stays where it is. So park() must be on the stack, right above the method that called it.
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
        int period = args.length > 4 ? Integer.parseInt(args[4]) : PERIOD_MS;

        // Why must no sleeper be waited for? Once parked it runs no Java code, and counts as stopped. So the way to the
        // safepoint is short, and the log shows the length of the looks.
        CountDownLatch there = new CountDownLatch(count);
        List<Thread> sleepers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            // What does a sleeping thread take? No CPU, and memory for its frames: the stack may grow to 1 MiB (1 <<
            // 20), but only what was used once is there.
            Thread sleeper = new Thread(null, () -> sleepBelow(depth, there), "sleeper-" + i, 1 << 20);
            sleeper.setDaemon(true);
            sleeper.start();
            sleepers.add(sleeper);
        }
        there.await();

        // Why wait once more? The last sleepers still have to park, and work() has to be compiled.
        Thread worker = new Thread(PriceOfLooking::work, "worker");
        worker.start();
        TimeUnit.MILLISECONDS.sleep(300);

        // Why a fixed rate? So that a look which takes longer leaves less time to work, as with a real profiler: the
        // rest of each tenth of a second is sleep.
        long[] took = new long[(int) (millis / period)];
        List<Thread> everybody = new ArrayList<>(sleepers);
        everybody.add(worker);
        long[] before = new long[everybody.size()];
        StringBuilder blocks = new StringBuilder(); // what was done in each ms of each block of looks
        Random random = new Random(42);
        long passesBefore = passes, begin = System.nanoTime(), blockPasses = passes, blockBegin = begin;
        for (int look = 0; look < took.length; look++) {
            boolean asked = !mode.equals("turns") || look / BLOCK % 2 == 0;
            long at = System.nanoTime();
            if (asked && (mode.equals("all") || mode.equals("turns"))) {
                lookAtAll();
            } else if (mode.equals("some")) {
                lookAtSome(sleepers, random);
            } else if (mode.equals("each")) {
                lookAtEach(sleepers, random);
            } else if (mode.equals("capped")) {
                lookAtTheTop(everybody);
            } else if (mode.equals("running")) {
                lookAtRunning(everybody, before);
            }
            took[look] = System.nanoTime() - at;
            TimeUnit.MILLISECONDS.sleep(period - Math.min(period - 1, took[look] / 1_000_000));
            if (look % BLOCK == BLOCK - 1) {
                long now = System.nanoTime(), done = passes;
                blocks.append(blocks.length() > 0 ? "," : "").append((done - blockPasses) * 1e6 / (now - blockBegin));
                blockPasses = done;
                blockBegin = now;
            }
        }

        // What do the numbers say together? share_of_time is what the asker spends in its looks. The worker loses less:
        // it stands still for the stops only, and the StackTraceElements are made after each stop, while all others run
        // again. Compare passes_per_ms with those of the mode `none`.
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
        System.out.println("blocks=" + blocks);
        System.out.println("seen=" + seen);
    }

    // What makes the looks cheaper? Fewer threads in each (some), or none that is not wanted: async-profiler and JFR
    // sample running threads one at a time, without a safepoint. What does not: polls in loops, whatever flag brings
    // them. The wait is for the operation.
}
