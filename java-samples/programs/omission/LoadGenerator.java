// LoadGenerator: some threads put a load on a make-believe server; what each request took is kept in HdrHistograms,
// and on the way the JVM itself may be stopped: by a garbage collection that has to wait for a counted loop.
//
// QUESTION  How long did a request take, and when does that time begin?
// RUN       mkdir -p classes && javac -cp HdrHistogram-2.2.2.jar -d classes LoadGenerator.java
//           java -XX:+UseSerialGC -cp classes:HdrHistogram-2.2.2.jar LoadGenerator fixed 200 4 3 500 1500
// ARGUMENTS mode closed|limit|throttle|fixed (fixed), requests/s (200), threads (4), seconds (10), each stall in ms
//           (0), one stall in each so many ms (5000), service time of a read in us (1000; a write takes twice that),
//           how many requests the server works on at a time (0: as many as come)
// NOTEBOOK  22-coordinated-omission
// JDKS      8 11 17 21 25 28
// EXPECT    load.hlog: intervals tagged read-st, write-st; of a schedule (throttle, fixed) read-wt, read-rt, write-wt,
//           write-rt too. requests.csv: the first 10,000 requests, when each was sent and answered. marks.csv: when the
//           load began, when a collection was asked for and done. With Serial or Parallel (on 8 with G1, too) a stall
//           as long as asked for; with G1 from 11 on next to none, for its counted loops poll. Measured from when each
//           request was due, the responses take many times what the service took.
//           = exited; operations >= 590; responded_ns > 3 * served_ns

import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.RuntimeMXBean;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;
import org.HdrHistogram.Recorder;

public class LoadGenerator {
    static final AtomicLong next = new AtomicLong(), finished = new AtomicLong();
    static final AtomicLong waited = new AtomicLong(), served = new AtomicLong(), responded = new AtomicLong();
    static final AtomicLong worked = new AtomicLong();
    static final StringBuffer marks = new StringBuffer("thread,nanos,mark\n");
    static String mode;
    static double rate;
    static long service, begin, end, count, permit;
    static long[] free; // when each of the server's workers is done with what it has
    static boolean schedule;
    static String[] tags;
    static Recorder[] recorders; // one for each tag: the reads first, then the writes
    static Recorder summary;
    static String summarised;
    static final long[] notes = new long[2 * 10_000]; // sent and answered, of the first requests
    static volatile boolean done;
    static volatile boolean counting;
    static volatile int result;

    public static void main(String[] args) throws InterruptedException, IOException {
        mode = args.length > 0 ? args[0] : "fixed";
        rate = number(args, 1, 200);
        Thread[] team = new Thread[(int) number(args, 2, 4)];
        long span = (long) (1e9 * number(args, 3, 10));
        int limit = turns(number(args, 4, 0));
        long every = (long) (1e6 * number(args, 5, 5000));
        service = (long) (1e3 * number(args, 6, 1000));
        free = new long[(int) number(args, 7, 0)];
        mark("jvm", jvmStart(), "start");

        // How many clocks has a request? Only one of a schedule has three: its service time (st), its wait (wt) and its
        // response time (rt). For the other two modes nobody knows when a request should have begun.
        schedule = mode.equals("throttle") || mode.equals("fixed");
        tags = schedule ? new String[] {"read-st", "read-wt", "read-rt", "write-st", "write-wt", "write-rt"}
            : new String[] {"read-st", "write-st"};

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
            recorders = new Recorder[tags.length];
            for (int i = 0; i < tags.length; i++) {
                recorders[i] = new Recorder(3);
                recorders[i].recordValue(1); // loads the classes, and is forgotten
                recorders[i].reset();
            }
            // Which clock does the summary print as "latency"? Of three only `fixed` prints the response time. With
            // `throttle` it is recorded too, but the summary stays the one that people are used to.
            summary = new Recorder(3);
            summarised = mode.equals("fixed") ? "rt" : "st";

            begin = permit = System.nanoTime() + 50_000_000;
            end = begin + span;
            count = mode.equals("closed") ? Long.MAX_VALUE : Math.round(rate * span / 1e9);
            mark("load", begin, "begins");
            for (int i = 0; i < team.length; i++) {
                team[i] = new Thread(LoadGenerator::client, "client-" + i);
                team[i].start();
            }
            Thread stopper = new Thread(() -> stalls(limit, every), "stopper");
            stopper.setDaemon(true);
            if (limit > 0) {
                stopper.start();
            }
            Thread writer = new Thread(() -> write(log, 250), "writer");
            writer.start();
            for (Thread client : team) {
                client.join();
            }
            double took = (System.nanoTime() - begin) / 1e9;
            done = true;
            writer.join();
            System.out.printf(Locale.ROOT, "target=%.1f%nachieved=%.1f%noperations=%d%nseconds=%.3f%n", rate,
                finished.get() / took, finished.get(), took);
            System.out.printf(Locale.ROOT, "waited_ns=%d%nserved_ns=%d%nresponded_ns=%d%n", waited.get(), served.get(),
                responded.get());
            System.out.printf(Locale.ROOT, "worked_ns=%d%n", worked.get());
            Histogram all = summary.getIntervalHistogram();
            for (int percent : new int[] {50, 99}) {
                double nanos = all.getValueAtPercentile(percent);
                System.out.printf(Locale.ROOT, "latency_p%d_ms=%.3f%n", percent, nanos / 1e6);
            }
            System.out.println("latency=" + summarised);
        }
        Files.write(Paths.get("marks.csv"), marks.toString().getBytes("UTF-8"));
        writeRequests();
    }

    // Why keep single requests, when the histograms have them all? To check the histograms: from when a request was
    // sent and answered, and from the rate, anybody can work out how long it waited.
    static void writeRequests() throws IOException {
        try (PrintStream file = new PrintStream("requests.csv", "UTF-8")) {
            file.println("n,sent_ns,answered_ns");
            for (int n = 0; n < notes.length / 2 && notes[2 * n + 1] > 0; n++) {
                file.println(n + "," + notes[2 * n] + "," + notes[2 * n + 1]);
            }
        }
    }

    // What does a client do? It waits until a request may begin, sends it, waits for the answer, and takes the next
    // one. While it waits for an answer it sends nothing: if the server, or this JVM, stands still, so do all clients.
    static void client() {
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

    // Three ways to ask when a request may begin. Which of them still knows when it *should* have begun?
    static long intended(long n) {
        switch (mode) {
            case "fixed":
            case "throttle": // a schedule: request n is due at its time, whatever became of those before it
                return begin + (long) (n * 1e9 / rate);
            case "limit": // a limiter: the next permit, but none that is older than a second
                return permit();
            default: // closed loop: as soon as the one before is done
                return System.nanoTime();
        }
    }

    // Why does a limiter forget? After a long stop all permits of that time are overdue. Without the `max` the clients
    // would send the whole backlog as fast as they can; with it they skip what is older than a second. Either way no
    // clock is started at the time of the permit, so the delay is in no histogram.
    static synchronized long permit() {
        long mine = Math.max(permit, System.nanoTime() - 1_000_000_000);
        permit = mine + (long) (1e9 / rate);
        return mine;
    }

    // Where is the server? Elsewhere: this thread waits for its answer, so a request costs no CPU time here. The answer
    // comes after the service time, or later: a client that is stopped when its time is up notices after the stop. A
    // server with one worker answers one request after the other; then a client waits for those of the others, too.
    static void request(long n, long intended) {
        int operation = n % 4 == 3 ? 1 : 0;
        long work = service * (1 + operation);
        long start = System.nanoTime();
        sleepUntil(free.length == 0 ? start + work : answer(start, work));
        long answered = System.nanoTime();

        // Two clocks: one starts when the request is sent, the other when it was due. Only with a schedule is there a
        // second one. (A limiter's permits look like one, but they are forgotten when they are a second old.)
        int first = operation * recorders.length / 2;
        recorders[first].recordValue(answered - start);
        if (schedule) {
            recorders[first + 1].recordValue(start - intended);
            recorders[first + 2].recordValue(answered - intended);
            waited.addAndGet(start - intended);
            responded.addAndGet(answered - intended);
        }
        summary.recordValue(answered - (summarised.equals("rt") ? intended : start));
        served.addAndGet(answered - start);
        worked.addAndGet(work);
        finished.incrementAndGet();
        if (2 * n < notes.length) {
            notes[2 * (int) n] = start - begin;
            notes[2 * (int) n + 1] = answered - begin;
        }
    }

    // When is a busy server done? The first worker that is free takes the request, at once or when it is done with the
    // one before. With one worker and three clients it is never idle: that is a server at full load.
    static synchronized long answer(long sent, long work) {
        int first = 0;
        for (int worker = 1; worker < free.length; worker++) {
            first = free[worker] < free[first] ? worker : first;
        }
        return free[first] = Math.max(sent, free[first]) + work;
    }

    // Why not Thread.sleep? Up to 20 it sleeps for whole milliseconds (JDK-8305092), and a read is served in one.
    // parkNanos may also return early, for no reason, so ask the clock again.
    static void sleepUntil(long nanos) {
        for (long rest = nanos - System.nanoTime(); rest > 0; rest = nanos - System.nanoTime()) {
            LockSupport.parkNanos(rest);
        }
    }

    // One line for each interval and tag. Why are some intervals longer? The writer is stopped like all other threads:
    // an interval that a stop falls into ends after the stop, and the requests that it delayed are counted there or
    // later.
    static void write(HistogramLogWriter log, int everyMs) {
        Histogram[] last = new Histogram[tags.length];
        for (boolean finished = false; !finished; ) {
            finished = done;
            LockSupport.parkNanos(finished ? 0 : everyMs * 1_000_000L);
            for (int i = 0; i < tags.length; i++) {
                last[i] = recorders[i].getIntervalHistogram(last[i]);
                last[i].setTag(tags[i]);
                log.outputIntervalHistogram(last[i]);
            }
        }
    }

    // The disturbance: a thread enters a loop without a poll, and then a collection is requested. The collection takes
    // a few ms, and reaching its safepoint takes the rest of the loop: all Java threads wait for one. Why wait for 2 ms
    // before the request? `counting` is set on the way into the loop, and the thread shall be inside.
    static void stalls(int limit, long every) {
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

            // Why are both marks made afterwards? mark() takes a lock that main took first. On 11 that lock is biased
            // to main, taking it here revokes the bias at a safepoint, and that one would wait for the counter.
            long asks = System.nanoTime();
            System.gc();
            long answered = System.nanoTime();
            mark("stopper", asks, "asks");
            mark("stopper", answered, "answered");
        }
    }

    // A counted loop: with Serial and Parallel C2 leaves the poll out of it (G1, ZGC and Shenandoah keep one for each
    // strip of 1,000 iterations, JDK-8186027). Each iteration needs the result of the one before, so C2 can neither
    // replace the loop by a formula nor vectorise it: how long it takes is in proportion to its iterations.
    static int counted(int limit) {
        counting = true;
        int hash = 0;
        for (int i = 0; i < limit; i++) {
            hash = 31 * hash + i;
        }
        return hash;
    }

    // How many iterations take so many ms? The warm loop says so, by its best of ten, as the machine may be busy. Why
    // warm it by calls? The long call then enters C2's standard version at its top. A method that is called once gets
    // its code by OSR in mid-loop, and the OSR version of such a loop keeps its poll (notebook 04).
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

    // What time is it in the log? 8's safepoint log has the uptime only: this is when it was 0, by System.nanoTime().
    static long jvmStart() {
        RuntimeMXBean jvm = ManagementFactory.getRuntimeMXBean();
        for (long uptime = jvm.getUptime(); uptime == jvm.getUptime(); ) {
            Thread.yield();
        }
        return System.nanoTime() - jvm.getUptime() * 1_000_000;
    }

    static void mark(String thread, long nanos, String mark) {
        marks.append(thread + ',' + nanos + ',' + mark + '\n');
    }

    static double number(String[] args, int place, double otherwise) {
        return args.length > place ? Double.parseDouble(args[place]) : otherwise;
    }
}
