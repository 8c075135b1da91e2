// PingPong: two threads pass a number to and fro as fast as they can, and time each round trip. What a stop of the JVM
// costs them is in there; so is all that the operating system does to them.
//
// QUESTION  Does a latency measurement notice a stop of a tenth of a millisecond?
// RUN       mkdir -p classes && javac -cp HdrHistogram-2.2.2.jar -d classes PingPong.java
//           java -Xlog:safepoint:stdout:u,tn -cp classes:HdrHistogram-2.2.2.jar PingPong 2
// ARGUMENTS seconds (4), call sites to change a second (40), iterations of a counted loop beside it in millions (0:
//           none), how to wait for the other, park or spin (park). Writes histogram.csv: all round trips; slow.csv:
//           those of 20 us and more, and when they began
// NOTEBOOK  14-guaranteed-safepoints
// JDKS      8 11 17 21 25 28 (8: -XX:+PrintSafepointStatistics -XX:PrintSafepointStatisticsCount=1 for the log)
// EXPECT    Around each `no vm operation` (8) or `Cleanup` (11 to 21) of the log there is a round trip at least as long
//           as the stop. Which one is the longest of all, the operating system decides; but not with a counted loop.
//           = exited; /"Cleanup"/; round_trips > slow; slow > 0; 1000 * longest_us > min(At_safepoint)

import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.lang.management.RuntimeMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntUnaryOperator;
import java.util.function.ToIntFunction;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

public class PingPong {
    static final long SLOW_NANOS = 20_000;

    // Each number is written by one thread and read by the other. Without volatile neither would have to notice.
    static volatile long ping;
    static volatile long pong;
    static volatile boolean done;
    static volatile int result;

    // Who is at the other end? A thread that does nothing but answer. How do the two wait? Spinning is faster, since
    // nobody has to be woken; but a thread that spins needs a CPU of its own, or it only keeps the other one waiting.
    // Both ways can be stopped: these loops are not counted, so they poll, and a parked thread counts as stopped.
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
    // are few, it also notes when they began, so that they can be laid beside the JVM's log. Both are made before the
    // game, so that next to nothing is allocated in it: a garbage collection would be a stop of another kind.
    //
    // Why does the maximum prove so little? Each stop makes one round trip longer, and so does the operating system
    // each time it takes a CPU away. The longest one only tells which of them had the worst moment.
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

    // What gives the JVM a reason to stop them? Call sites that change, as in guaranteed/OnceASecond, in a third
    // thread. Each copy of this class has a call site of its own, with an inline cache that remembers one class.
    public static class Site implements ToIntFunction<IntUnaryOperator> {
        public int applyAsInt(IntUnaryOperator operator) {
            return operator.applyAsInt(1);
        }
    }

    // Each loader makes a class of its own of the same bytes, which is compiled by itself.
    static class Copies extends ClassLoader {
        @SuppressWarnings("unchecked")
        ToIntFunction<IntUnaryOperator> site() throws Exception {
            Path file = Paths.get(PingPong.class.getResource(Site.class.getName() + ".class").toURI());
            byte[] code = Files.readAllBytes(file);
            Class<?> copy = defineClass(Site.class.getName(), code, 0, code.length);
            return (ToIntFunction<IntUnaryOperator>) copy.getConstructor().newInstance();
        }
    }

    // Who keeps a stop waiting, and everybody with it? A counted loop, as in hang/KillerTask. Beside it the maximum is
    // a good witness: now the stop is longer than what the operating system takes away, as a rule.
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
        for (int pass = 0; !done; pass++) {
            result += counted(turns / 2 + turns / 10 * (pass % 6));
        }
    }

    static void call(ToIntFunction<IntUnaryOperator> site, IntUnaryOperator operator, int times) {
        for (int i = 0; i < times; i++) {
            result += site.applyAsInt(operator);
        }
    }

    // Why a thousand calls, and a pause? Only compiled code has inline caches. After the pause each site meets the same
    // class again, and remembers it.
    static List<ToIntFunction<IntUnaryOperator>> sites(int count, IntUnaryOperator first) throws Exception {
        List<ToIntFunction<IntUnaryOperator>> sites = new ArrayList<>();
        while (sites.size() < count) {
            sites.add(new Copies().site());
            call(sites.get(sites.size() - 1), first, 1000);
        }
        Thread.sleep(200);
        sites.forEach(site -> call(site, first, 10));
        return sites;
    }

    // One call with another class, and the site has changed: something to tidy up, and once in each interval a stop.
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

    // What time is it in the log? From 11 on nanoTime, as here; 8 prints the uptime. When was that 0? The uptime comes
    // in whole milliseconds: wait until it ticks, then count back.
    static long jvmStart() {
        RuntimeMXBean jvm = ManagementFactory.getRuntimeMXBean();
        for (long uptime = jvm.getUptime(); uptime == jvm.getUptime(); ) {
            Thread.yield();
        }
        return System.nanoTime() - jvm.getUptime() * 1_000_000;
    }

    // Why daemons? The partner may stay parked when the game is over, and the JVM does not wait for daemons.
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

        // How many sites? One for each change: a site that has met two classes stays as it is. With 40 changes a second
        // there is something to tidy up at each stop, also if the interval is set to 50 ms.
        IntUnaryOperator same = value -> value, next = value -> value + 1;
        List<ToIntFunction<IntUnaryOperator>> sites = sites(aSecond * seconds, same);
        Thread player = Thread.currentThread();
        Thread partner = start("pong", () -> answer(player, park));
        long[] slow = new long[1 << 19]; // begin and length of a quarter of a million; more are counted, but not noted
        if (turns > 0) {
            start("counted", () -> countForever(turns));
        }

        // Why play twice? In the first game the code is compiled, which makes round trips slow as well. Its results are
        // thrown away.
        play(partner, park, new Histogram(3), slow, System.nanoTime() + 500_000_000);
        start("changing", () -> change(sites, next, aSecond));
        Histogram roundTrips = new Histogram(3);
        int count = play(partner, park, roundTrips, slow, System.nanoTime() + seconds * 1_000_000_000L);
        done = true;

        // What to do with the files? Lay slow.csv beside the log: the longest round trip that touches a stop against
        // the longest one half an interval later. That comparison holds where maxima do not.
        try (PrintWriter all = new PrintWriter("histogram.csv"); PrintWriter late = new PrintWriter("slow.csv")) {
            all.println("value,count");
            for (HistogramIterationValue step : roundTrips.recordedValues()) {
                all.println(step.getValueIteratedTo() + "," + step.getCountAddedInThisIterationStep());
            }
            late.println("begin_ns,length_ns");
            for (int i = 0; i < count; i += 2) {
                late.println(slow[i] + "," + slow[i + 1]);
            }
        }
        System.out.println("round_trips=" + roundTrips.getTotalCount());
        System.out.println("slow=" + count / 2);
        System.out.println("longest_us=" + roundTrips.getMaxValue() / 1000);
        System.out.println("start_ns=" + jvmStart());
    }

    // What takes the stops out of the measurement? -XX:+UnlockDiagnosticVMOptions -XX:GuaranteedSafepointInterval=0, or
    // 300000 for the first five minutes; JDK 23 and later, where call sites leave nothing to tidy up (JDK-8322630) and
    // nobody looks for it (JDK-8325872). What does not: a larger heap. No collection is needed for these stops.
}
