// OnceASecond: a program that does next to nothing, but leaves the JVM something to tidy up: call sites that changed
// their mind, and monitors that nobody holds. No garbage collection, no other request: who stops its threads?
//
// QUESTION  Why does a JVM stop all threads once a second when nobody asked for it?
// RUN       mkdir -p classes && javac -d classes OnceASecond.java
//           java -Xlog:safepoint:stdout:u -cp classes OnceASecond
// ARGUMENTS seconds (6), call sites to change a second (10), monitors to leave behind a second (0), uptime at which to
//           ask for a collection in ms (0: never), turns of a counted loop beside it in millions (0: no such thread)
// NOTEBOOK  14-guaranteed-safepoints
// JDKS      8 11 17 21 25 28 (8: -XX:+PrintSafepointStatistics -XX:PrintSafepointStatisticsCount=1 for the log)
// EXPECT    8: `no vm operation`, 11 to 21: `Cleanup`, each second; none with 0 changes. From 23 on: none at all.

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToIntFunction;

public class OnceASecond {
    public interface Shape {
        int corners();
    }

    public static class Triangle implements Shape {
        public int corners() {
            return 3;
        }
    }

    public static class Square implements Shape {
        public int corners() {
            return 4;
        }
    }

    // Where does shape.corners() lead? Compiled code remembers, at each such call, the one class that it met there: an
    // inline cache. When a second class comes along, this memory is rewritten while other threads may be running over
    // it. Up to 22 the JVM put a little detour into a buffer and took it away at the next safepoint, whenever that is.
    public static class Site implements ToIntFunction<Shape> {
        public int applyAsInt(Shape shape) {
            return shape.corners();
        }
    }

    // A call site changes its mind only once. How to have many? Each loader makes a class of its own of the same bytes,
    // and each of these classes is compiled by itself.
    static class Copies extends ClassLoader {
        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            return name.equals(Site.class.getName()) ? copy(name) : super.loadClass(name, resolve);
        }

        Class<?> copy(String name) throws ClassNotFoundException {
            ByteArrayOutputStream code = new ByteArrayOutputStream();
            try (InputStream file = OnceASecond.class.getResourceAsStream(name + ".class")) {
                for (int b = file.read(); b >= 0; b = file.read()) {
                    code.write(b);
                }
            } catch (IOException broken) {
                throw new ClassNotFoundException(name, broken);
            }
            return defineClass(name, code.toByteArray(), 0, code.size());
        }
    }

    @SuppressWarnings("unchecked")
    static ToIntFunction<Shape> site() throws ReflectiveOperationException {
        return (ToIntFunction<Shape>) new Copies().loadClass(Site.class.getName()).getConstructor().newInstance();
    }

    static volatile int result;
    static volatile Object left;

    static void call(ToIntFunction<Shape> site, Shape shape, int times) {
        for (int i = 0; i < times; i++) {
            result += site.applyAsInt(shape);
        }
    }

    // What makes a monitor? A lock is a few bits in the object's header, until they do not suffice: 8 to 21 have no
    // room there for a lock and a hash code at once. Then the VM allocates a monitor, outside of the heap, and gets it
    // back when it looks at all monitors for idle ones: up to 14 at a safepoint, since then in a thread (JDK-8153224).
    static void leaveMonitors(int count) {
        for (int i = 0; i < count; i++) {
            Object lock = new Object();
            left = lock;
            synchronized (lock) {
                result += lock.hashCode();
            }
        }
    }

    // Who is late for a stop? A counted loop: see hang/KillerTask.
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
        // Why of several lengths? Lest the loops keep step with the stops, and each one falls on a loop's end.
        for (int pass = 0;; pass++) {
            result += counted(turns / 2 + turns / 10 * (pass % 6));
        }
    }

    static long residentKib() throws IOException {
        for (String line : Files.readAllLines(Paths.get("/proc/self/status"))) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("\\D", ""));
            }
        }
        return 0;
    }

    public static void main(String[] args) throws Exception {
        int[] chosen = {6, 10, 0, 0, 0};
        for (int i = 0; i < args.length; i++) {
            chosen[i] = Integer.parseInt(args[i]);
        }
        int ticks = chosen[0] * 10, changes = chosen[1], monitors = chosen[2], collectAt = chosen[3];
        Shape triangle = new Triangle(), square = new Square();
        List<ToIntFunction<Shape>> sites = new ArrayList<>();
        for (int i = 0; i < changes * chosen[0]; i++) {
            sites.add(site());
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

        leaveMonitors(1000);
        long before = residentKib();
        long start = System.nanoTime();
        for (int tick = 0, changed = 0; tick < ticks; tick++) {
            for (; changed < changes * (tick + 1) / 10; changed++) {
                call(sites.get(changed), square, 1);
            }
            leaveMonitors(monitors / 10);
            if (collectAt > 0 && ManagementFactory.getRuntimeMXBean().getUptime() >= collectAt) {
                System.gc();
                collectAt = 0;
            }
            Thread.sleep(Math.max(1, 100 * (tick + 1) - (System.nanoTime() - start) / 1_000_000));
        }
        System.out.println("grown_mib=" + (residentKib() - before) / 1024);
    }
}
