// WhoCallsWhichOperation: makes one call after the other, with a pause between, and writes down when each began and
// ended. What the safepoint log shows between the two is what the call has cost all other threads.
//
// QUESTION  Which Java call stops the whole JVM, which stops one thread only, and which nobody?
// RUN       mkdir -p classes && javac -d classes WhoCallsWhichOperation.java
//           java -Xlog:safepoint,handshake:stdout:tn,tags -cp classes WhoCallsWhichOperation
// ARGUMENTS names of calls (all, in the order of the source)
// NOTEBOOK  01-what-is-a-safepoint
// JDKS      8 11 17 21 25 28 (8: -XX:+PrintSafepointStatistics -XX:PrintSafepointStatisticsCount=1 for the log).
//           revokeBias wants -XX:BiasedLockingStartupDelay=0 on 8 and -XX:+UseBiasedLocking on 17
// EXPECT    From fullCollection to heapDump safepoints on all, threadPrint even three. stackOfOne to 17, loadClass and
//           revokeBias to 11 safepoints, later handshakes (JEP 312) or nothing. The last three cost nobody anything.
//           = exited; /Safepoint "ThreadDump"/ 4 times; /Safepoint "PrintThreads"/; /Safepoint "HeapDumper"/; \
//             /^interrupt,/

import com.sun.management.HotSpotDiagnosticMXBean;
import java.io.File;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import javax.management.ObjectName;

public class WhoCallsWhichOperation {
    static final Map<String, Callable<?>> CALLS = new LinkedHashMap<>();
    static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    static final Thread OTHER = new Thread(WhoCallsWhichOperation::work, "other");
    static volatile Shape shape = new Circle();
    static volatile int sum;

    static {
        // Who asks for the whole heap, or for all threads as they are at one moment, gets the whole JVM stopped.
        CALLS.put("fullCollection", Executors.callable(System::gc));
        CALLS.put("findDeadlocks", THREADS::findDeadlockedThreads);
        CALLS.put("infoOfAll", () -> THREADS.dumpAllThreads(true, true));
        CALLS.put("stacksOfAll", Thread::getAllStackTraces);

        // And who asks for one thread? Thread.getStackTrace once stopped all for it; the management interface still
        // does: to it, a dump of one thread is a thread dump.
        CALLS.put("infoOfOneWithStack", () -> THREADS.getThreadInfo(OTHER.getId(), 100));
        CALLS.put("threadPrint", () -> diagnose("threadPrint"));
        CALLS.put("classHistogram", () -> diagnose("gcClassHistogram"));
        CALLS.put("heapDump", WhoCallsWhichOperation::heapDump);
        CALLS.put("stackOfOne", OTHER::getStackTrace);

        // What else became a handshake? What needs each thread to stand still once, but not all of them together.
        CALLS.put("loadClass", () -> Class.forName("WhoCallsWhichOperation$Square"));
        CALLS.put("revokeBias", WhoCallsWhichOperation::revokeBias);

        // And what costs nothing? One's own stack; a thread's state without its stack; a wake-up call.
        CALLS.put("stackOfMine", () -> Thread.currentThread().getStackTrace());
        CALLS.put("infoOfOne", () -> THREADS.getThreadInfo(OTHER.getId()));
        CALLS.put("interrupt", Executors.callable(OTHER::interrupt));
    }

    static Object diagnose(String command) throws Exception {
        return ManagementFactory.getPlatformMBeanServer().invoke(
            new ObjectName("com.sun.management:type=DiagnosticCommand"), command,
            new Object[] {new String[0]}, new String[] {String[].class.getName()});
    }

    static Object heapDump() throws Exception {
        File file = new File(System.nanoTime() + ".hprof");
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class).dumpHeap(file.getPath(), true);
        return file.delete();
    }

    // Why would loading a class stop anyone? While Circle is the only Shape, area() is taken for Circle's and compiled
    // into the caller. Square makes that code wrong, also where a thread is just inside: it is deoptimised.
    abstract static class Shape {
        abstract int area();
    }

    static class Circle extends Shape {
        @Override
        int area() {
            return 3;
        }
    }

    static class Square extends Shape {
        @Override
        int area() {
            return 4;
        }
    }

    static void work() {
        while (true) {
            sum += shape.area();
        }
    }

    // And taking a lock? A lock that only one thread ever took is biased to it (no atomic operation on 8 and 11). When
    // another one wants it, the owner has to stand still while the lock is rewritten. 18 and later have no biased
    // locks.
    static Object revokeBias() throws InterruptedException {
        Object lock = new Object();
        Runnable take = () -> {
            synchronized (lock) {
                sum++;
            }
        };
        take.run();
        Thread another = new Thread(take);
        another.start();
        another.join();
        return lock;
    }

    public static void main(String[] args) throws Exception {
        OTHER.setDaemon(true);
        OTHER.start();
        long now = System.nanoTime();
        long jvmStart = now - ManagementFactory.getRuntimeMXBean().getUptime() * 1_000_000;
        System.out.print("call,begin_nanos,end_nanos,begin_s,end_s\n");
        for (String name : args.length > 0 ? Arrays.asList(args) : CALLS.keySet()) {
            Thread.sleep(100);
            long begin = System.nanoTime();
            CALLS.get(name).call();
            long end = System.nanoTime();
            System.out.print(String.join(",", name, "" + begin, "" + end,
                "" + (begin - jvmStart) / 1e9, "" + (end - jvmStart) / 1e9) + "\n");
        }
    }
}
