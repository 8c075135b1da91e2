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
// EXPECT    From fullCollection to heapDump safepoints on all, threadPrint three (from 21 on two). stackOfOne to 17,
//           loadClass and revokeBias to 11 safepoints, later handshakes (JEP 312) or nothing. The last three: nothing.
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
        // Which calls stop everybody? Those that need the whole heap, or all stacks, as they are at one moment. Each is
        // a VM operation: the caller hands it to the VM thread, which brings all threads to a safepoint, runs it, and
        // lets them go. The log has a line for each, with the operation's name, which differs by JDK and collector.
        CALLS.put("fullCollection", Executors.callable(System::gc));
        CALLS.put("findDeadlocks", THREADS::findDeadlockedThreads);
        CALLS.put("infoOfAll", () -> THREADS.dumpAllThreads(true, true));
        CALLS.put("stacksOfAll", Thread::getAllStackTraces);

        // And a question about one thread? Thread.getStackTrace once stopped all for it. Since virtual threads (JEP
        // 425, JDK 19) it is a handshake with that one. The management interface still stops all: to it, a dump of one
        // thread is a thread dump (jmm_GetThreadInfo). An agent that looks at one thread ten times a second stops the
        // JVM ten times a second.
        CALLS.put("infoOfOneWithStack", () -> THREADS.getThreadInfo(OTHER.getId(), 100));
        CALLS.put("threadPrint", () -> diagnose("threadPrint"));
        CALLS.put("classHistogram", () -> diagnose("gcClassHistogram"));
        CALLS.put("heapDump", WhoCallsWhichOperation::heapDump);
        CALLS.put("stackOfOne", OTHER::getStackTrace);

        // What else became a handshake (JEP 312, JDK 10)? What needs each thread to stop once, but not all together.
        // Each thread does the operation at its own poll and goes on at once; a thread that is late delays nobody but
        // the asker.
        CALLS.put("loadClass", () -> Class.forName("WhoCallsWhichOperation$Square"));
        CALLS.put("revokeBias", WhoCallsWhichOperation::revokeBias);

        // And what costs nothing? A thread's own stack, which does not change while the thread walks it. The state of
        // another thread without its stack, for which nobody has to stop. An interrupt: a flag to set, and a wake-up.
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

    // Why would loading a class stop anyone? While Circle is the only Shape that is loaded, C1 and C2 take area() for
    // Circle's and inline it: class hierarchy analysis. Square makes that code wrong. It is made not entrant, and a
    // thread that is just inside must leave it: deoptimisation, a safepoint on 8 and 11 and a handshake since
    // (JDK-8221734).
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

    // And taking a lock? With biased locking (the default on 8 and 11) a lock is biased to the first thread that takes
    // it: that thread needs no atomic operation to take it again. When another thread wants it, the owner has to stop
    // while the lock is rewritten: a safepoint up to 11, a handshake since (JDK-8191890). 18 and later have no biased
    // locks (off since JEP 374, JDK 15).
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
            // Why the pause? An operation of the JVM's own, or the rest of the last call, should not fall into this
            // one.
            Thread.sleep(100);
            long begin = System.nanoTime();
            CALLS.get(name).call();
            long end = System.nanoTime();
            System.out.print(String.join(",", name, "" + begin, "" + end,
                "" + (begin - jvmStart) / 1e9, "" + (end - jvmStart) / 1e9) + "\n");
        }
    }
}
