// VirtualStacks: asks in six ways for the stacks of a hundred parked virtual threads and of a running one. It prints when
// each call began and ended, and how many of the parked threads the call found.
//
// QUESTION  Who has to stop when you ask for the stack of a virtual thread?
// RUN       # with JDK 21:
//           mkdir -p classes && javac -d classes VirtualStacks.java
//           java -Xlog:safepoint,handshake:stdout:tn,tags -cp classes VirtualStacks
// ARGUMENTS parked virtual threads (100)
// NOTEBOOK  16-which-calls-stop-the-world
// LANGUAGE  21
// JDKS      21 25 27 28
// EXPECT    A dump of all threads stops all threads and finds no parked one; a dump to a file finds each of them, by
//           handshakes. The stack of a parked thread stops no thread, but the management interface stops them all.
//           = exited; found_parkedStack = 1; found_stacksOfAll = 0; found_dumpToFile = 100; /Safepoint "ThreadDump"/

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.HotSpotDiagnosticMXBean.ThreadDumpFormat;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import javax.management.ObjectName;

public class VirtualStacks {
    static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    static volatile boolean done;
    static volatile int sum;

    // Where is the stack of a virtual thread? While it runs, on the platform thread that carries it. While it is
    // parked, in the heap, as an object; nobody has to stop for another thread to read that.
    static void waitHere() {
        while (!done) {
            LockSupport.park();
        }
    }

    static void runHere() {
        while (!done) {
            sum++;
        }
    }

    static Path dumpToFile() throws Exception {
        Path file = Path.of(System.nanoTime() + ".txt").toAbsolutePath();
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
            .dumpThreads(file.toString(), ThreadDumpFormat.TEXT_PLAIN);
        return file;
    }

    static Object threadPrint() throws Exception {
        return ManagementFactory.getPlatformMBeanServer().invoke(
            new ObjectName("com.sun.management:type=DiagnosticCommand"), "threadPrint",
            new Object[] {new String[0]}, new String[] {String[].class.getName()});
    }

    // How many parked threads does an answer show? As many as it has frames of waitHere.
    static long found(Object answer) throws Exception {
        String text = answer instanceof Path file ? Files.readString(file)
            : answer instanceof StackTraceElement[] stack ? Arrays.toString(stack)
            : answer instanceof Map<?, ?> all ? Arrays.deepToString(all.values().toArray())
            : String.valueOf(answer);
        if (answer instanceof Path file) {
            Files.delete(file);
        }
        return text.split("VirtualStacks\\.waitHere", -1).length - 1;
    }

    public static void main(String[] args) throws Exception {
        int count = args.length > 0 ? Integer.parseInt(args[0]) : 100;
        Thread parked = null;
        for (int i = 0; i < count; i++) {
            parked = Thread.ofVirtual().name("parked-" + i).start(VirtualStacks::waitHere);
        }
        Thread running = Thread.ofVirtual().name("running").start(VirtualStacks::runHere);
        Thread another = parked;
        Map<String, Callable<?>> calls = new LinkedHashMap<>();
        calls.put("parkedStack", another::getStackTrace);
        calls.put("runningStack", running::getStackTrace);
        calls.put("infoOfVirtual", () -> THREADS.getThreadInfo(another.threadId(), 100));
        calls.put("stacksOfAll", Thread::getAllStackTraces);
        calls.put("threadPrint", VirtualStacks::threadPrint);
        calls.put("dumpToFile", VirtualStacks::dumpToFile);
        dumpToFile(); // the first of them loads classes
        Thread.sleep(300);
        long now = System.nanoTime();
        long jvmStart = now - ManagementFactory.getRuntimeMXBean().getUptime() * 1_000_000;
        System.out.print("call,begin_nanos,end_nanos,begin_s,end_s\n");
        for (Map.Entry<String, Callable<?>> each : calls.entrySet()) {
            Thread.sleep(100);
            long begin = System.nanoTime();
            Object answer = each.getValue().call();
            long end = System.nanoTime();
            System.out.print(String.join(",", each.getKey(), "" + begin, "" + end,
                "" + (begin - jvmStart) / 1e9, "" + (end - jvmStart) / 1e9) + "\n");
            System.out.print("found_" + each.getKey() + "=" + found(answer) + "\n");
        }
        done = true;
    }
}
