// LoadGenerator: some threads put a load on a make-believe server; what each request took is kept in HdrHistograms,
// and on the way the JVM itself may be stopped: by a garbage collection that has to wait for a counted loop.
//
// QUESTION  How long did a request take, and when does that time begin?
// RUN       mkdir -p classes && javac -cp HdrHistogram-2.2.2.jar -d classes LoadGenerator.java
//           java -XX:+UseSerialGC -cp classes:HdrHistogram-2.2.2.jar LoadGenerator fixed 200 4 3 500 1500
// ARGUMENTS mode closed|throttled|fixed (fixed), requests/s (200), threads (4), seconds (10), each stall in ms (0),
//           one stall in each so many ms (5000), service time of a read in us (1000; a write takes twice that)
// NOTEBOOK  22-coordinated-omission
// JDKS      8 11 17 21 25 28
// EXPECT    load.hlog: intervals tagged read-st, write-st; of a fixed schedule read-wt, read-rt, write-wt, write-rt
//           too. marks.csv: when the load began, when a collection was asked for and done. With Serial or Parallel (on
//           8 with G1, too) a stall as long as asked for; with G1 from 11 on next to none, for its counted loops poll.
//           Measured from when each request was due, the responses take many times what the service took.
//           = exited; operations >= 590; responded_ns > 3 * served_ns

import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.RuntimeMXBean;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;
import org.HdrHistogram.Recorder;

public class LoadGenerator {
    static final String[] OPERATIONS = {"read", "write"};
    static final AtomicLong next = new AtomicLong();
    static final AtomicLong waited = new AtomicLong(), served = new AtomicLong(), responded = new AtomicLong();
    static final StringBuilder marks = new StringBuilder("thread,nanos,mark\n");
    static volatile boolean done;
    static volatile boolean counting;
    static volatile int result;

    public static void main(String[] args) throws InterruptedException, IOException {
        String mode = args.length > 0 ? args[0] : "fixed";
        double rate = number(args, 1, 200);
        int threads = (int) number(args, 2, 4);
        double seconds = number(args, 3, 10);
        int limit = turns(number(args, 4, 0));
        long every = (long) (1e6 * number(args, 5, 5000));
        long service = (long) (1e3 * number(args, 6, 1000));
        String[] measures = mode.equals("fixed") ? new String[] {"st", "wt", "rt"} : new String[] {"st"};
        mark("jvm", jvmStart(), "start");

        // Why is the base time taken first? An interval begins when its Recorder is made. One that begins before the
        // log's base time has a negative start, and common readers drop it without a word.
        try (PrintStream file = new PrintStream("load.hlog", "UTF-8")) {
            HistogramLogWriter log = new HistogramLogWriter(file);
            long base = System.currentTimeMillis();
            mark("load", System.nanoTime(), "start");
            log.outputLogFormatVersion();
            log.outputBaseTime(base);
            log.setBaseTime(base);
            log.outputStartTime(base);
            log.outputLegend();
            Recorder[][] recorders = new Recorder[OPERATIONS.length][measures.length];
            for (Recorder[] row : recorders) {
                for (int i = 0; i < row.length; i++) {
                    row[i] = new Recorder(3);
                    row[i].recordValue(1); // loads the classes, and is forgotten
                    row[i].reset();
                }
            }

            long begin = System.nanoTime() + 50_000_000;
            mark("load", begin, "begins");
            long count = mode.equals("closed") ? Long.MAX_VALUE : Math.round(rate * seconds);
            Clients clients = new Clients(mode, rate, begin, count, begin + (long) (1e9 * seconds), service, recorders);
            Thread[] team = new Thread[threads];
            for (int i = 0; i < threads; i++) {
                team[i] = new Thread(clients, "client-" + i);
                team[i].start();
            }
            Thread stopper = new Thread(() -> stalls(limit, begin, begin + (long) (1e9 * seconds), every), "stopper");
            stopper.setDaemon(true);
            if (limit > 0) {
                stopper.start();
            }
            Thread writer = new Thread(() -> write(log, recorders, measures, 250), "writer");
            writer.start();
            for (Thread client : team) {
                client.join();
            }
            double took = (System.nanoTime() - begin) / 1e9;
            done = true;
            writer.join();
            System.out.printf(Locale.ROOT, "target=%.1f%nachieved=%.1f%noperations=%d%nseconds=%.3f%n", rate,
                clients.finished.get() / took, clients.finished.get(), took);
            System.out.printf(Locale.ROOT, "waited_ns=%d%nserved_ns=%d%nresponded_ns=%d%n", waited.get(), served.get(),
                responded.get());
        }
        try (PrintStream file = new PrintStream("marks.csv", "UTF-8")) {
            synchronized (marks) {
                file.print(marks);
            }
        }
    }

    static class Clients implements Runnable {
        final String mode;
        final double rate;
        final long begin;
        final long count;
        final long end;
        final long service;
        final Recorder[][] recorders;
        final AtomicLong finished = new AtomicLong();
        private long permit;

        Clients(String mode, double rate, long begin, long count, long end, long service, Recorder[][] recorders) {
            this.mode = mode;
            this.rate = rate;
            this.begin = begin;
            this.count = count;
            this.end = end;
            this.service = service;
            this.recorders = recorders;
            this.permit = begin;
        }

        // Three ways to ask when a request may begin. Which of them still knows when it *should* have begun?
        public void run() {
            sleepUntil(begin);
            for (long n = next.getAndIncrement(); n < count; n = next.getAndIncrement()) {
                long intended = intended(n);
                if (mode.equals("closed") && System.nanoTime() >= end) {
                    return;
                }
                sleepUntil(intended);
                request(n, intended);
            }
        }

        long intended(long n) {
            switch (mode) {
                case "fixed": // a schedule: request n is due at its time, whatever became of those before it
                    return begin + (long) (n * 1e9 / rate);
                case "throttled": // a limiter: the next permit, but none that is older than a second
                    return permit();
                default: // closed loop: as soon as the one before is done
                    return System.nanoTime();
            }
        }

        synchronized long permit() {
            long mine = Math.max(permit, System.nanoTime() - 1_000_000_000);
            permit = mine + (long) (1e9 / rate);
            return mine;
        }

        // The server. It is elsewhere and this thread waits for its answer, so a request costs no CPU time here.
        void request(long n, long intended) {
            int operation = n % 4 == 3 ? 1 : 0;
            long start = System.nanoTime();
            sleepUntil(start + service * (1 + operation));
            long answered = System.nanoTime();

            // Two clocks: one starts when the request is sent, the other when it was due. Only with a schedule is there
            // a second one. (A limiter's permits look like one, but they are forgotten when they are a second old.)
            Recorder[] mine = recorders[operation];
            mine[0].recordValue(answered - start);
            if (mine.length > 1) {
                mine[1].recordValue(start - intended);
                mine[2].recordValue(answered - intended);
                waited.addAndGet(start - intended);
                responded.addAndGet(answered - intended);
            }
            served.addAndGet(answered - start);
            finished.incrementAndGet();
        }
    }

    static void sleepUntil(long nanos) {
        for (long rest = nanos - System.nanoTime(); rest > 0; rest = nanos - System.nanoTime()) {
            LockSupport.parkNanos(rest);
        }
    }

    // One line an interval and measure. The writer is stopped like all others, so that an interval can become long.
    static void write(HistogramLogWriter log, Recorder[][] recorders, String[] measures, int everyMs) {
        Histogram[][] last = new Histogram[recorders.length][measures.length];
        for (boolean finished = false; !finished; ) {
            finished = done;
            LockSupport.parkNanos(finished ? 0 : everyMs * 1_000_000L);
            for (int i = 0; i < recorders.length; i++) {
                for (int j = 0; j < measures.length; j++) {
                    last[i][j] = recorders[i][j].getIntervalHistogram(last[i][j]);
                    last[i][j].setTag(OPERATIONS[i] + "-" + measures[j]);
                    log.outputIntervalHistogram(last[i][j]);
                }
            }
        }
    }

    // The disturbance: a thread enters a loop that never asks whether it should stop, and then a collection is asked
    // for. The collection takes a few ms, the way to it as long as the loop: everybody waits for one thread.
    static void stalls(int limit, long begin, long end, long every) {
        for (long at = begin + every / 2; !done && at < end; at += every) {
            sleepUntil(at);
            counting = false;
            Thread counter = new Thread(() -> result = counted(limit), "counter");
            counter.setDaemon(true);
            counter.start();
            while (!counting) {
                Thread.yield();
            }
            LockSupport.parkNanos(2_000_000);
            mark("stopper", System.nanoTime(), "asks");
            System.gc();
            mark("stopper", System.nanoTime(), "answered");
        }
    }

    // A counted loop: C2 leaves the poll out of it. Each turn needs the result of the one before, so it can't be
    // shortened, nor done four turns at a time.
    static int counted(int limit) {
        counting = true;
        int hash = 0;
        for (int i = 0; i < limit; i++) {
            hash = 31 * hash + i;
        }
        return hash;
    }

    // How many turns are so many ms? Asked of the warm loop, and of its best of ten, as the machine may be busy. Warmed
    // by calls, so that the long call enters C2's standard version at its top: OSR would give it a loop with a poll.
    static int turns(double ms) throws InterruptedException {
        for (int call = 0; ms > 0 && call < 6000; call++) {
            result += counted(20_000);
        }
        long best = Long.MAX_VALUE;
        for (int round = 0; ms > 0 && round < 10; round++) {
            Thread.sleep(20);
            long begin = System.nanoTime();
            result += counted(5_000_000);
            best = Math.min(best, System.nanoTime() - begin);
        }
        return (int) Math.min(Integer.MAX_VALUE, ms * 1e6 / best * 5_000_000);
    }

    // 8's safepoint log has the uptime only: this is when it was 0, by System.nanoTime().
    static long jvmStart() {
        RuntimeMXBean jvm = ManagementFactory.getRuntimeMXBean();
        for (long uptime = jvm.getUptime(); uptime == jvm.getUptime(); ) {
            Thread.yield();
        }
        return System.nanoTime() - jvm.getUptime() * 1_000_000;
    }

    static void mark(String thread, long nanos, String mark) {
        synchronized (marks) {
            marks.append(thread).append(',').append(nanos).append(',').append(mark).append('\n');
        }
    }

    static double number(String[] args, int place, double otherwise) {
        return args.length > place ? Double.parseDouble(args[place]) : otherwise;
    }
}
