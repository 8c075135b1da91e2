// Exercise 12-2. A sampler looks at idle threads, 40 times, and each look stops everybody until all stacks are walked.
//
// Edit look, and nothing else, so that the stops are a fifth as long or shorter. Over the 40 looks the sampler must
// still see 200 different threads or more, with all calls on their stacks.
//
// You try it with        lab.java("FewerStacks.java", 17, args=[1000, 256], log="safepoint")
// and have it judged by  lab.grade("12-2", "FewerStacks.java")
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

public class FewerStacks {
    static final int LOOKS = 40;

    public static void main(String[] args) throws InterruptedException {
        int threads = args.length > 0 ? Integer.parseInt(args[0]) : 1000;
        int depth = args.length > 1 ? Integer.parseInt(args[1]) : 256;
        long[] ids = start(threads, depth);
        ThreadMXBean management = ManagementFactory.getThreadMXBean();
        Set<Long> seen = new HashSet<>();
        for (int number = 0; number < LOOKS; number++) {
            for (ThreadInfo info : look(management, ids, number)) {
                if (info != null && info.getStackTrace().length >= depth) {
                    seen.add(info.getThreadId());
                }
            }
            Thread.sleep(10);
        }
        System.out.println("seen=" + seen.size());
    }

    // Which threads does look number 0, 1, 2, ... see? `ids` are the idle ones. Only this method is yours to change.
    static ThreadInfo[] look(ThreadMXBean management, long[] ids, int number) {
        return management.dumpAllThreads(false, false);
    }

    static long[] start(int threads, int depth) throws InterruptedException {
        CountDownLatch ready = new CountDownLatch(threads);
        long[] ids = new long[threads];
        for (int n = 0; n < threads; n++) {
            Thread idle = new Thread(() -> descend(depth, ready), "idle-" + n);
            idle.setDaemon(true);
            idle.start();
            ids[n] = idle.getId();
        }
        ready.await();
        return ids;
    }

    static void descend(int calls, CountDownLatch ready) {
        if (calls > 1) {
            descend(calls - 1, ready);
            return;
        }
        ready.countDown();
        while (true) {
            LockSupport.park();
        }
    }
}
