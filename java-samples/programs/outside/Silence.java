// Silence: something makes a program fall silent for a while. Two clocks inside the JVM and one in a process outside of it
// note how long they were silent, and that process also notes what the kernel says of the JVM's threads.
//
// QUESTION  The log shows a long wait, or a long gap. Which thread was late, if it was one?
// RUN       # with JDK 25:
//           mkdir -p classes && javac -d classes Silence.java
//           java -XX:+UseSerialGC -Xmx1g -Xlog:safepoint:stdout -cp classes Silence log 'gc*'
//           java -XX:+UseSerialGC -Xmx1g -Xlog:safepoint:stdout -cp classes Silence freeze
// ARGUMENTS what happens: log SELECTION; file copy, file pieces or file pages; freeze, or freeze waiting; loop; virtual; or
//           suspect 1 to 5, in an order that only the source knows
// NOTEBOOK  24-not-the-jvm
// LANGUAGE  17
// JDKS      17 21 25 27 28 (virtual: from 21 on)
// EXPECT    Until the log is read, the VM thread waits in a write to a pipe; frozen by a signal, the JVM falls silent as a
//           whole, and the clock outside goes on. Either way no stop waited for a thread.
//           = exited; call_ms > 1000; writing_ms > 1000; inside_ms > 1000; outside_ms < 1000; /Safepoint "FindDeadlocks"/
//           = exited; inside_ms > 1000; outside_ms < 1000; /Safepoint "FindDeadlocks"/

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import javax.management.ObjectName;

public class Silence {
    static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    static final int LENGTH_MS = 2000;
    static final int FILE_BYTES = 256 << 20;
    static final Path FILE = Path.of("/var/tmp", "cold-" + ProcessHandle.current().pid() + ".bin");
    static volatile boolean done;
    static volatile long sum;
    static long begunNs; // when it happened: the clocks and the log are read from here on
    static long fetchedBefore;

    // Who writes a line of the log? The thread that logs it: here mostly the VM thread.
    static void log(String selection) throws Exception {
        Process reader = fillPipe();
        reply("vmLog", "output=file=log.pipe", "what=" + selection);
        begin(0);
        System.out.println("call_ms=" + longestCollection());
        reply("vmLog", "output=file=log.pipe", "what=all=off");
        Thread.sleep(100);
        reader.destroy();
        System.out.println("lost_lines=" + lostLines());
    }

    // A log needs a while to fill a pipe, so this pipe is full from the start. Its reader comes after two seconds.
    static Process fillPipe() throws Exception {
        reply("vmVersion"); // its classes are loaded now
        run("mkfifo", "log.pipe");
        Process reader = new ProcessBuilder("sh", "-c", "exec 3<>log.pipe; "
            + "dd if=/dev/zero of=log.pipe oflag=nonblock bs=4096 2>dd.txt; echo full; "
            + "sleep " + LENGTH_MS / 1000 + "; exec cat <&3 >read.txt").start();
        new BufferedReader(new InputStreamReader(reader.getInputStream())).readLine();
        return reader;
    }

    static double longestCollection() throws InterruptedException {
        double longest = 0;
        while (ms(System.nanoTime() - begunNs) < LENGTH_MS + 500) {
            long begin = System.nanoTime();
            System.gc();
            longest = Math.max(longest, ms(System.nanoTime() - begin));
            Thread.sleep(20);
        }
        return longest;
    }

    static long lostLines() throws IOException {
        long dropped = 0;
        for (String line : Files.readAllLines(Path.of("read.txt"))) {
            int words = line.indexOf(" messages dropped");
            dropped += words < 0 ? 0 : Long.parseLong(line.substring(line.lastIndexOf(']', words) + 1, words).trim());
        }
        return dropped;
    }

    // Three ways to read a mapped file: as one array, for which the JVM has a stub; piece by piece, by the same stub; and
    // one byte of each page. The last two are counted loops.
    static void copy(MappedByteBuffer file, byte[] to) {
        file.position(0);
        file.get(to);
    }

    static void pieces(MappedByteBuffer file, byte[] to) {
        for (int i = 0; i < to.length; i += 4096) {
            file.get(i, to, i, 4096);
        }
    }

    static void pages(MappedByteBuffer file, byte[] to) {
        long bytes = 0;
        for (int i = 0; i < to.length; i += 4096) {
            bytes += file.get(i);
        }
        sum = bytes;
    }

    static void read(String how, MappedByteBuffer file, byte[] to) {
        switch (how) {
            case "copy" -> copy(file, to);
            case "pieces" -> pieces(file, to);
            default -> pages(file, to);
        }
    }

    // Cold means that the kernel has to fetch the file's pages from the disk. Any user may ask it to forget a file's pages,
    // as long as no process has them mapped.
    static void file(String how, int rounds) throws Exception {
        byte[] to = new byte[FILE_BYTES];
        new Random(1).nextBytes(to);
        Files.write(FILE, to);
        run("sync", FILE.toString());
        try (FileChannel channel = FileChannel.open(FILE)) {
            byte[] few = new byte[1 << 16];
            MappedByteBuffer start = channel.map(FileChannel.MapMode.READ_ONLY, 0, few.length);
            for (int i = 0; i < 20_000; i++) {
                read(how, start, few);
            }
            start = null;
            begin(0);
            double[] warm = new double[rounds];
            double[] cold = new double[rounds];
            for (int round = 0; round < rounds; round++) {
                warm[round] = longestStop(how, channel, to, true);
                cold[round] = longestStop(how, channel, to, false);
            }
            Arrays.sort(warm);
            Arrays.sort(cold);
            System.out.println("warm_ms=" + warm[rounds / 2]);
            System.out.println("cold_ms=" + cold[rounds / 2]);
            if (how.equals("pages")) {
                System.out.println("slowest_page_ms=" + slowestPage(channel));
            }
        } finally {
            Files.delete(FILE);
        }
    }

    static MappedByteBuffer map(FileChannel channel, boolean warm) throws Exception {
        System.gc();
        Thread.sleep(100); // the last mapping is undone
        if (!warm) {
            run("dd", "if=" + FILE, "iflag=nocache", "count=0", "status=none");
        }
        return channel.map(FileChannel.MapMode.READ_ONLY, 0, FILE_BYTES);
    }

    static double longestStop(String how, FileChannel channel, byte[] to, boolean warm) throws Exception {
        MappedByteBuffer file = map(channel, warm);
        long fetched = fetchedBytes();
        Thread reader = start("worker", () -> read(how, file, to));
        double worst = 0;
        while (reader.isAlive()) {
            long begin = System.nanoTime();
            THREADS.findDeadlockedThreads();
            worst = Math.max(worst, ms(System.nanoTime() - begin));
            Thread.sleep(1);
        }
        System.out.println((warm ? "warm" : "cold") + "_mib=" + (fetchedBytes() - fetched >> 20));
        return worst;
    }

    // Is each page as slow as the others? The kernel reads ahead, so most of them are there when they are touched.
    static double slowestPage(FileChannel channel) throws Exception {
        MappedByteBuffer file = map(channel, false);
        long slowest = 0;
        for (int i = 0; i < FILE_BYTES; i += 4096) {
            long begin = System.nanoTime();
            sum += file.get(i);
            slowest = Math.max(slowest, System.nanoTime() - begin);
        }
        return ms(slowest);
    }

    // What Ctrl-Z, a debugger, docker pause or the move of a virtual machine do to a process: none of its threads runs.
    static void freeze() throws Exception {
        requestStops(500);
        begin(0);
        signal(0).waitFor();
        requestStops(500);
    }

    // The same signal, while a stop is waiting for a loop.
    static void freezeWaiting() throws Exception {
        requestStops(500);
        int some = iterations(600);
        begin(300);
        Process shell = signal(300);
        Thread worker = start("worker", () -> sum += countTo(some));
        start("requester", THREADS::findDeadlockedThreads);
        shell.waitFor();
        worker.join();
        requestStops(500);
    }

    static Process signal(int afterMs) throws IOException {
        long self = ProcessHandle.current().pid();
        return new ProcessBuilder("sh", "-c", "sleep " + afterMs / 1000.0 + "; kill -STOP " + self
            + "; sleep " + LENGTH_MS / 1000 + "; kill -CONT " + self).inheritIO().start();
    }

    static int countTo(int limit) {
        int x = 1;
        for (int i = 0; i < limit; i++) {
            x = x * 31 ^ x >>> 7;
        }
        return x;
    }

    // How far countTo counts in so many milliseconds, once it's compiled.
    static int iterations(int ms) {
        for (int i = 0; i < 20_000; i++) {
            sum += countTo(1000);
        }
        int some = 50_000_000;
        long fastest = Long.MAX_VALUE;
        for (int i = 0; i < 6; i++) {
            long begin = System.nanoTime();
            sum += countTo(some);
            fastest = Math.min(fastest, System.nanoTime() - begin);
        }
        return (int) Math.min(ms * 1_000_000L * some / fastest, Integer.MAX_VALUE);
    }

    static void loop() throws Exception {
        int some = iterations(LENGTH_MS);
        begin(0);
        Thread worker = start("worker", () -> sum += countTo(some));
        requestStops(LENGTH_MS + 500);
        worker.join();
    }

    // Each turn of this loop polls. There are as many such threads as carriers.
    static void burn() {
        long end = System.nanoTime() + LENGTH_MS * 1_000_000L;
        while (System.nanoTime() < end) {
            sum++;
        }
    }

    static void virtual() throws Exception {
        begin(0);
        startVirtual(Silence::burn);
        startVirtual(Silence::burn);
        requestStops(LENGTH_MS + 500);
    }

    static void startVirtual(Runnable task) throws Exception {
        Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, task);
    }

    static void happen(String[] args) throws Exception {
        switch (args[0]) {
            case "log" -> log(args[1]);
            case "file" -> file(args[1], 3);
            case "freeze" -> {
                if (args.length == 1) {
                    freeze();
                } else {
                    freezeWaiting();
                }
            }
            case "loop" -> loop();
            case "virtual" -> virtual();
            case "suspect" -> {
                switch (Integer.parseInt(args[1])) {
                    case 1 -> virtual();
                    case 2 -> log("safepoint=debug");
                    case 3 -> freeze();
                    case 4 -> file("copy", 1);
                    default -> loop();
                }
            }
            default -> throw new IllegalArgumentException(args[0]);
        }
    }

    // It happens in so many milliseconds.
    static void begin(int afterMs) throws IOException {
        fetchedBefore = fetchedBytes();
        begunNs = System.nanoTime() + afterMs * 1_000_000L;
    }

    static Thread start(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.start();
        return thread;
    }

    static void requestStops(long ms) throws InterruptedException {
        long end = System.nanoTime() + ms * 1_000_000;
        while (System.nanoTime() < end) {
            THREADS.findDeadlockedThreads();
            Thread.sleep(20);
        }
    }

    static void run(String... command) throws Exception {
        int status = new ProcessBuilder(command).inheritIO().start().waitFor();
        if (status != 0) {
            throw new IOException(String.join(" ", command) + ": exit status " + status);
        }
    }

    // What jcmd does, from inside.
    static void reply(String command, String... args) throws Exception {
        Object words = ManagementFactory.getPlatformMBeanServer().invoke(
            new ObjectName("com.sun.management:type=DiagnosticCommand"), command,
            new Object[] {args}, new String[] {String[].class.getName()});
        if (command.equals("vmLog") && !words.toString().isBlank()) {
            throw new IOException(command + ": " + words);
        }
    }

    static double ms(long ns) {
        return ns / 10_000 / 100.0;
    }

    // A clock beats every 5 ms and notes each silence of 50 ms or more: when it began, by System.nanoTime, and its length.
    static final class Clock implements Runnable {
        final String name;
        final List<String> silences = new ArrayList<>();
        long last = System.nanoTime();

        Clock(String name) {
            this.name = name;
        }

        @Override
        public void run() {
            while (!done) {
                beat();
            }
        }

        void beat() {
            try {
                Thread.sleep(5);
            } catch (InterruptedException end) {
                throw new IllegalStateException(end);
            }
            beat(System.nanoTime());
        }

        void beat(long now) {
            if (now - last >= 50_000_000) {
                silences.add(name + "," + last + "," + ms(now - last));
            }
            last = now;
        }
    }

    // The process outside the JVM. Its own clock beats, and at each beat it reads what the kernel says of the threads. The
    // other clock, "writing", is silent while the VM thread waits in a write to a pipe.
    static void outside(String pid) throws IOException {
        Clock clock = new Clock("outside");
        Clock writing = new Clock("writing");
        Map<String, Long> did = new TreeMap<>();
        while (System.in.available() == 0 && Files.exists(Path.of("/proc", pid))) {
            long before = clock.last;
            clock.beat();
            boolean writes = false;
            for (File task : new File("/proc/" + pid + "/task").listFiles()) {
                String doing = doing(task.toPath());
                writes |= doing.matches("VM Thread,.*pipe_write");
                if (!doing.isEmpty()) {
                    did.merge(doing, clock.last - before, Long::sum);
                }
            }
            if (!writes) {
                writing.beat(clock.last);
            }
        }
        try (PrintStream threads = new PrintStream("threads.csv")) {
            threads.println("thread,state,wchan,ms");
            did.forEach((doing, ns) -> threads.println(doing + "," + ms(ns)));
        }
        clock.silences.forEach(System.out::println);
        writing.silences.forEach(System.out::println);
    }

    // The name of a thread; its state (R: runs or could, S: sleeps, D: waits for a disk, T: is stopped by a signal); and, if
    // it waits, the function of the kernel that it waits in.
    static String doing(Path task) {
        try {
            String stat = Files.readString(task.resolve("stat"));
            String name = stat.substring(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
            if (!name.matches("VM Thread|worker|inside|ForkJoinPool.*")) {
                return "";
            }
            char state = stat.charAt(stat.lastIndexOf(')') + 2);
            return name + "," + state + "," + (state == 'R' ? "" : Files.readString(task.resolve("wchan")));
        } catch (IOException gone) {
            return "";
        }
    }

    // What the kernel fetched for this process from a disk.
    static long fetchedBytes() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/io"))) {
            if (line.startsWith("read_bytes: ")) {
                return Long.parseLong(line.substring(12));
            }
        }
        throw new IOException("/proc/self/io has no read_bytes");
    }

    public static void main(String[] args) throws Exception {
        if (args[0].equals("outside")) {
            outside(args[1]);
            return;
        }
        System.setProperty("jdk.virtualThreadScheduler.parallelism", "2");
        System.setProperty("jdk.virtualThreadScheduler.maxPoolSize", "2");
        Process outside = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-XX:+UseSerialGC", "-Xmx32m",
            "-cp", System.getProperty("java.class.path"), "Silence", "outside", "" + ProcessHandle.current().pid())
            .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        List<Clock> clocks = new ArrayList<>(List.of(new Clock("inside")));
        Thread inside = new Thread(clocks.get(0), "inside");
        inside.setDaemon(true);
        inside.start();
        if (Runtime.version().feature() >= 21) {
            clocks.add(new Clock("virtual"));
            startVirtual(clocks.get(1));
        }
        requestStops(1000); // starting is not what this is about
        happen(args);
        requestStops(200); // each clock beats once more
        done = true;
        List<String> silences = new ArrayList<>();
        clocks.forEach(clock -> silences.addAll(clock.silences));
        try (OutputStream end = outside.getOutputStream()) {
            end.write('\n');
        }
        silences.addAll(List.of(new String(outside.getInputStream().readAllBytes()).split("\n")));
        outside.waitFor();
        Map<String, Double> longest = new TreeMap<>(Map.of("inside", 0.0, "outside", 0.0, "writing", 0.0));
        try (PrintStream csv = new PrintStream("silences.csv")) {
            csv.println("clock,begin_s,ms");
            for (String silence : silences) {
                String[] words = silence.split(",");
                double begin = words.length == 3 ? (Long.parseLong(words[1]) - begunNs) / 1e9 : 0;
                if (words.length == 3 && begin + Double.parseDouble(words[2]) / 1000 > 0) {
                    csv.println(words[0] + "," + begin + "," + words[2]);
                    longest.merge(words[0], Double.valueOf(words[2]), Math::max);
                }
            }
        }
        longest.forEach((clock, ms) -> System.out.println(clock + "_ms=" + ms));
        System.out.println("fetched_mib=" + (fetchedBytes() - fetchedBefore >> 20));
        System.out.println("begun_ns=" + begunNs);
    }
}
