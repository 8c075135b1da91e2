// PingPong: two threads pass a number to and fro as fast as they can, and time each round trip. What a stop of the JVM
// costs them is in there; so is all that the operating system does to them.
//
// QUESTION  Does a latency measurement notice a stop of a tenth of a millisecond?
// RUN       javac -cp HdrHistogram-2.2.2.jar -d classes PingPong.java
//           java -Xlog:safepoint:stdout:utn -cp classes:HdrHistogram-2.2.2.jar PingPong
// ARGUMENTS seconds (4), call sites to change a second (40), turns of a counted loop beside it in millions (0: none),
//           how to wait for the other, park or spin (park). Writes histogram.csv: all round trips; slow.csv: those of
//           20 us and more, and when they began
// NOTEBOOK  14-guaranteed-safepoints
// JDKS      8 11 17 21 25 28
// EXPECT    around each `no vm operation` (8) or `Cleanup` (11 to 21) of the log there is a round trip at least as long as
//           the stop. Which one is the longest of all, the operating system decides; but not with a counted loop.

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.lang.management.RuntimeMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntUnaryOperator;
import java.util.function.ToIntFunction;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

public class PingPong {
    static final long SLOW_NANOS = 20_000;
    static volatile long ping;
    static volatile long pong;
    static volatile boolean done;
    static volatile int result;

    // Who is at the other end? A thread that does nothing but answer. How do the two wait? Spinning is faster, since
    // nobody has to be woken; but a thread that spins needs a CPU of its own, or it only keeps the other one waiting.
    static void answer(Thread player, boolean park) {
        for (long seen = 0; !done; ) {
            if (ping != seen) {
                seen = ping;
                pong = seen;
                if (park) {
                    LockSupport.unpark(player);
                }
            } else if (park) {
                LockSupport.park();
            }
        }
    }

    // How to keep millions of durations without disturbing them? A histogram only counts them. Of the slow ones, which
    // are few, it also notes when they began, so that they can be laid beside the JVM's log.
    static int play(Thread partner, boolean park, Histogram roundTrips, long[] slow, long until) {
        int count = 0;
        for (long n = ping + 1, before = System.nanoTime(); before < until; n++) {
            ping = n;
            if (park) {
                LockSupport.unpark(partner);
            }
            while (pong != n) {
                if (park) {
                    LockSupport.park();
                }
            }
            long after = System.nanoTime();
            roundTrips.recordValue(after - before);
            if (after - before >= SLOW_NANOS && count + 1 < slow.length) {
                slow[count++] = before;
                slow[count++] = after - before;
            }
            before = after;
        }
        return count;
    }

    // What gives the JVM a reason to stop them? Call sites that change, as in OnceASecond, by a third thread.
    public static class Site implements ToIntFunction<IntUnaryOperator> {
        public int applyAsInt(IntUnaryOperator operator) {
            return operator.applyAsInt(1);
        }
    }

    static class Copies extends ClassLoader {
        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            return name.equals(Site.class.getName()) ? copy(name) : super.loadClass(name, resolve);
        }

        Class<?> copy(String name) throws ClassNotFoundException {
            ByteArrayOutputStream code = new ByteArrayOutputStream();
            try (InputStream file = PingPong.class.getResourceAsStream(name + ".class")) {
                for (int b = file.read(); b >= 0; b = file.read()) {
                    code.write(b);
                }
            } catch (IOException broken) {
                throw new ClassNotFoundException(name, broken);
            }
            return defineClass(name, code.toByteArray(), 0, code.size());
        }
    }

    // Who keeps a stop waiting, and everybody with it? A counted loop, as in hang/KillerTask.
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
        for (int pass = 0; !done; pass++) {
            result += counted(turns / 2 + turns / 10 * (pass % 6));
        }
    }

    static void call(ToIntFunction<IntUnaryOperator> site, IntUnaryOperator operator, int times) {
        for (int i = 0; i < times; i++) {
            result += site.applyAsInt(operator);
        }
    }

    @SuppressWarnings("unchecked")
    static List<ToIntFunction<IntUnaryOperator>> sites(int count, IntUnaryOperator first) throws Exception {
        List<ToIntFunction<IntUnaryOperator>> sites = new ArrayList<>();
        while (sites.size() < count) {
            Class<?> copy = new Copies().loadClass(Site.class.getName());
            sites.add((ToIntFunction<IntUnaryOperator>) copy.getConstructor().newInstance());
            call(sites.get(sites.size() - 1), first, 1000);
        }
        Thread.sleep(200);
        sites.forEach(site -> call(site, first, 10));
        return sites;
    }

    static void change(List<ToIntFunction<IntUnaryOperator>> sites, IntUnaryOperator second, int aSecond) {
        try {
            for (ToIntFunction<IntUnaryOperator> site : sites) {
                call(site, second, 1);
                Thread.sleep(1000 / aSecond);
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    // What time is it in the log? From 11 on nanoTime, as here; 8 prints the uptime. When was that 0?
    static long jvmStart() {
        RuntimeMXBean jvm = ManagementFactory.getRuntimeMXBean();
        for (long uptime = jvm.getUptime(); uptime == jvm.getUptime(); ) {
            Thread.yield();
        }
        return System.nanoTime() - jvm.getUptime() * 1_000_000;
    }

    static Thread start(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    public static void main(String[] args) throws Exception {
        int seconds = args.length > 0 ? Integer.parseInt(args[0]) : 4;
        int aSecond = args.length > 1 ? Integer.parseInt(args[1]) : 40;
        int turns = args.length > 2 ? Integer.parseInt(args[2]) * 1_000_000 : 0;
        boolean park = args.length <= 3 || args[3].equals("park");
        IntUnaryOperator same = value -> value, next = value -> value + 1;
        List<ToIntFunction<IntUnaryOperator>> sites = sites(aSecond * seconds, same);
        Thread player = Thread.currentThread();
        Thread partner = start("pong", () -> answer(player, park));
        long[] slow = new long[1 << 19];
        if (turns > 0) {
            start("counted", () -> countForever(turns));
        }
        play(partner, park, new Histogram(3), slow, System.nanoTime() + 500_000_000); // to have it compiled
        start("changing", () -> change(sites, next, aSecond));
        Histogram roundTrips = new Histogram(3);
        int count = play(partner, park, roundTrips, slow, System.nanoTime() + seconds * 1_000_000_000L);
        done = true;

        try (PrintWriter csv = new PrintWriter("histogram.csv")) {
            csv.println("value,count");
            for (HistogramIterationValue step : roundTrips.recordedValues()) {
                csv.println(step.getValueIteratedTo() + "," + step.getCountAddedInThisIterationStep());
            }
        }
        try (PrintWriter csv = new PrintWriter("slow.csv")) {
            csv.println("begin_ns,length_ns");
            for (int i = 0; i < count; i += 2) {
                csv.println(slow[i] + "," + slow[i + 1]);
            }
        }
        System.out.println("round_trips=" + roundTrips.getTotalCount());
        System.out.println("slow=" + count / 2);
        System.out.println("longest_us=" + roundTrips.getMaxValue() / 1000);
        System.out.println("start_ns=" + jvmStart());
    }
}
