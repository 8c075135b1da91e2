// OnceASecond: a program that does next to nothing, but leaves the JVM something to clean up: call sites that changed
// their target, and monitors that nobody holds. No garbage collection, no other request: who stops its threads?
//
// QUESTION  Why does a JVM stop all threads once a second when nobody asked for it?
// RUN       mkdir -p classes && javac -d classes OnceASecond.java
//           java -Xlog:safepoint:stdout:u -cp classes OnceASecond 3
//           java -Xlog:safepoint:stdout:u -XX:+UnlockDiagnosticVMOptions -XX:GuaranteedSafepointInterval=0 \
//           -cp classes OnceASecond 3
// ARGUMENTS seconds (6), call sites to change a second (10), monitors to leave behind a second (0), uptime at which to
//           ask for a collection in ms (0: never), iterations of a counted loop beside it in millions (0: none),
//           seconds between two bursts of changes (0: spread evenly)
// NOTEBOOK  14-guaranteed-safepoints
// JDKS      8 11 17 21 25 28 (8: -XX:+PrintSafepointStatistics -XX:PrintSafepointStatisticsCount=1 for the log)
// EXPECT    8: `no vm operation`, 11 to 21: `Cleanup`, each second; none with 0 changes, and none with an interval of
//           0. From 23 on: none at all.
//           = exited; /Safepoint "Cleanup"/ at least 2 times
//           = exited; no /Safepoint "Cleanup"/

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToIntFunction;

public class OnceASecond {
    public interface Shape {
        int corners();
    }

    public static class Triangle implements Shape {
        public int corners() { return 3; }
    }

    public static class Square implements Shape {
        public int corners() { return 4; }
    }

    // Where does shape.corners() lead? Compiled code remembers, at each such call, the one class that it met there: an
    // inline cache. When a second class comes along, this memory is rewritten while other threads may be running over
    // it. It consists of two things, class and address, which cannot be written at once. Up to 22 the JVM made the call
    // jump to a little detour in a buffer and took it away at the next safepoint, when no thread is in between. Since
    // 23 a call changes without a detour (JDK-8322630), and leaves nothing to tidy up.
    public static class Site implements ToIntFunction<Shape> {
        public int applyAsInt(Shape shape) {
            return shape.corners();
        }
    }

    // A call site changes its mind only once: from one class to many. How to have many sites? Each loader makes a class
    // of its own of the same bytes, and each of these classes is compiled by itself.
    static class Copies extends ClassLoader {
        @SuppressWarnings("unchecked")
        ToIntFunction<Shape> site() throws Exception {
            Path file = Paths.get(OnceASecond.class.getResource(Site.class.getName() + ".class").toURI());
            byte[] code = Files.readAllBytes(file);
            Class<?> copy = defineClass(Site.class.getName(), code, 0, code.length);
            return (ToIntFunction<Shape>) copy.getConstructor().newInstance();
        }
    }

    static volatile int result;
    static volatile Object left;

    static void call(ToIntFunction<Shape> site, Shape shape, int times) {
        for (int i = 0; i < times; i++) {
            result += site.applyAsInt(shape);
        }
    }

    // What makes a monitor, on every JDK? A lock is a few bits in the object's header, and these have no room for the
    // queue of the threads in wait(). Then the VM allocates a monitor, outside of the heap, even if an interrupt that
    // came before ends the wait at once. It gets the monitor back when it looks at all monitors for idle ones: up to 14
    // at a safepoint, since then in a thread (JDK-8153224).
    //
    // Why not by a hash code? Up to 22 a lock and a hash code at once take a monitor as well, but not since 23
    // (JDK-8319251).
    //
    // Do monitors alone bring the stop about? Not on 8, which looks only for detours; on 11 they do, when more than
    // nine tenths of all monitors are in use (MonitorUsedDeflationThreshold=90).
    static void leaveMonitors(int count) {
        for (int i = 0; i < count; i++) {
            Object lock = new Object();
            left = lock;
            synchronized (lock) {
                Thread.currentThread().interrupt();
                try {
                    lock.wait();
                } catch (InterruptedException expected) {
                    result++;
                }
            }
        }
    }

    // Who is late for a stop? A counted loop: see hang/KillerTask. Then a stop that does next to nothing is as long as
    // what is left of the loop, for all threads.
    static int counted(int turns) {
        int hash = 0;
        for (int i = 0; i < turns; i++) {
            hash = 31 * hash + i;
        }
        return hash;
    }

    static void countForever(int turns) {
        for (int i = 0; i < 20_000; i++) {
            result += counted(1000);
        }

        // Why of several lengths? So that the loops do not keep step with the stops: each stop would fall on a loop's
        // end.
        for (int pass = 0;; pass++) {
            result += counted(turns / 2 + turns / 10 * (pass % 6));
        }
    }

    // What does the process take from the system? VmRSS, in KiB: heap, and what the VM allocates beside it.
    static long residentKib() throws IOException {
        for (String line : Files.readAllLines(Paths.get("/proc/self/status"))) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("\\D", ""));
            }
        }
        return 0;
    }

    public static void main(String[] args) throws Exception {
        int[] chosen = {6, 10, 0, 0, 0, 0};
        for (int i = 0; i < args.length; i++) {
            chosen[i] = Integer.parseInt(args[i]);
        }
        int ticks = chosen[0] * 10, changes = chosen[1], monitors = chosen[2], collectAt = chosen[3];

        // Why a thousand calls? Only compiled code has inline caches, and a method is compiled when it was called
        // often.
        Shape triangle = new Triangle(), square = new Square();
        List<ToIntFunction<Shape>> sites = new ArrayList<>();
        for (int i = 0; i < changes * chosen[0]; i++) {
            sites.add(new Copies().site());
            call(sites.get(i), triangle, 1000);
        }

        // Why wait? So that all of them are compiled. Then each meets a triangle again: now its cache says so.
        Thread.sleep(200);
        sites.forEach(site -> call(site, triangle, 10));
        if (chosen[4] > 0) {
            Thread busy = new Thread(() -> countForever(chosen[4] * 1_000_000), "counted");
            busy.setDaemon(true);
            busy.start();
        }

        // Who stops this thread now? It asks for nothing. The VM thread, which performs all operations, waits for a
        // request for GuaranteedSafepointInterval=1000 ms at most. Then it looks whether there is something to tidy up,
        // and if so, makes a safepoint of its own. Since 23 the interval is 0, and it does not look (JDK-8325872).
        leaveMonitors(1000);
        long before = residentKib();
        long start = System.nanoTime();
        for (int tick = 0, changed = 0; tick < ticks; tick++) {
            // A stop each second? Only while there is something to tidy up. With bursts of changes, two seconds apart,
            // every other time the VM thread looks and finds nothing.
            boolean now = chosen[5] == 0 || tick % (10 * chosen[5]) == 0;
            for (; now && changed < changes * (tick + 1) / 10; changed++) {
                call(sites.get(changed), square, 1);
            }
            leaveMonitors(monitors / 10);

            // And if there is a request? It is a safepoint as well, which tidies up, and the second is counted from
            // there.
            if (collectAt > 0 && ManagementFactory.getRuntimeMXBean().getUptime() >= collectAt) {
                System.gc();
                collectAt = 0;
            }
            Thread.sleep(Math.max(1, 100 * (tick + 1) - (System.nanoTime() - start) / 1_000_000));
        }
        System.out.println("grown_mib=" + (residentKib() - before) / 1024);
    }

    // How to be rid of the stops? -XX:+UnlockDiagnosticVMOptions -XX:GuaranteedSafepointInterval=0. What does it cost?
    // Up to 14 idle monitors stay allocated until there is a safepoint for another reason. And a late thread (counted)
    // is not cured: the next request waits for it.
}
