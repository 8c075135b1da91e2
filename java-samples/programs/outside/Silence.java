// Silence: something makes a program fall silent for a while. Two clocks inside the JVM and one in a process beside it
// note who heard nothing for how long, and that process also notes what the kernel says of the JVM's threads.
//
// QUESTION  The log shows a long wait, or a long gap. Which thread was late, if it was one?
// RUN       # with JDK 25:
//           mkdir -p classes && javac -d classes Silence.java
//           java -XX:+UseSerialGC -Xmx1g -Xlog:safepoint:stdout -cp classes Silence log 'gc*'
//           java -XX:+UseSerialGC -Xmx1g -Xlog:safepoint:stdout -cp classes Silence freeze
// ARGUMENTS what happens: log SELECTION, file copy, file pages, freeze, loop, virtual; or suspect 1 to 5, in an order that
//           only the source knows
// NOTEBOOK  24-not-the-jvm
// LANGUAGE  17
// JDKS      17 21 25 27 28 (virtual: from 21 on)
// EXPECT    While nobody reads the log, the VM thread stands in the write to a pipe; frozen by a signal, the JVM falls
//           silent as a whole, and the clock beside it goes on. Either way no stop waited for a thread.
//           = exited; call_ms > 1000; inside_ms > 1000; beside_ms < 1000; /Safepoint "FindDeadlocks"/
//           = exited; inside_ms > 1000; beside_ms < 1000; /Safepoint "FindDeadlocks"/

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

    // Who writes a line of the log? The thread that logs it: here mostly the VM thread. The pipe is full from the start, so
    // that nobody has to wait until the log has filled it; after two seconds a reader comes.
    static void log(String selection) throws Exception {
        reply("vmVersion"); // its classes are loaded now
        run("mkfifo", "log.pipe");
        Process reader = new ProcessBuilder("sh", "-c", "exec 3<>log.pipe; "
            + "dd if=/dev/zero of=log.pipe oflag=nonblock bs=4096 2>dd.txt; echo full; "
            + "sleep " + LENGTH_MS / 1000 + "; exec cat <&3 >read.txt").start();
        new BufferedReader(new InputStreamReader(reader.getInputStream())).readLine();
        reply("vmLog", "output=file=log.pipe", "what=" + selection);
        long begin = System.nanoTime();
        System.gc();
        long end = System.nanoTime();
        System.out.println("call_ms=" + ms(end - begin));
        for (; end - begin < (LENGTH_MS + 500) * 1_000_000L; end = System.nanoTime()) {
            Thread.sleep(20);
            System.gc();
        }
        reply("vmLog", "output=file=log.pipe", "what=all=off");
        Thread.sleep(100);
        reader.destroy();
        System.out.println("lost_lines=" + lostLines());
    }

    static long lostLines() throws IOException {
        long dropped = 0;
        for (String line : Files.readAllLines(Path.of("read.txt"))) {
            int words = line.indexOf(" messages dropped");
            dropped += words < 0 ? 0 : Long.parseLong(line.substring(line.lastIndexOf(']', words) + 1, words).trim());
        }
        return dropped;
    }

    // Two ways to read a mapped file: as one array, for which the JVM has a stub, and page by page, in a counted loop.
    static void copy(MappedByteBuffer file, byte[] to) {
        file.position(0);
        file.get(to);
    }

    static void pages(MappedByteBuffer file, byte[] to) {
        long bytes = 0;
        for (int i = 0; i < to.length; i += 4096) {
            bytes += file.get(i);
        }
        sum = bytes;
    }

    static void read(String how, MappedByteBuffer file, byte[] to) {
        if (how.equals("copy")) {
            copy(file, to);
        } else {
            pages(file, to);
        }
    }

    // Cold means that the kernel has to fetch the file's pages from the disk. Any user may ask it to forget a file's pages,
    // as long as nobody has them mapped.
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
        } finally {
            Files.delete(FILE);
        }
    }

    static double longestStop(String how, FileChannel channel, byte[] to, boolean warm) throws Exception {
        System.gc();
        Thread.sleep(100); // the last mapping is undone
        if (!warm) {
            run("dd", "if=" + FILE, "iflag=nocache", "count=0", "status=none");
        }
        MappedByteBuffer file = channel.map(FileChannel.MapMode.READ_ONLY, 0, to.length);
        long fetched = fetchedBytes();
        Thread reader = new Thread(() -> read(how, file, to), "worker");
        reader.start();
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

    // What Ctrl-Z, a debugger, docker pause or the move of a virtual machine do to a process: none of its threads runs.
    static void freeze() throws Exception {
        long self = ProcessHandle.current().pid();
        requestStops(500);
        run("sh", "-c", "kill -STOP " + self + "; sleep " + LENGTH_MS / 1000 + "; kill -CONT " + self);
        requestStops(500);
    }

    static int countTo(int limit) {
        int x = 1;
        for (int i = 0; i < limit; i++) {
            x = x * 31 ^ x >>> 7;
        }
        return x;
    }

    static void loop() throws Exception {
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
        long limit = LENGTH_MS * 1_000_000L * some / fastest;
        Thread worker = new Thread(() -> sum += countTo((int) Math.min(limit, Integer.MAX_VALUE)), "worker");
        worker.start();
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
            case "freeze" -> freeze();
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
            long now = System.nanoTime();
            if (now - last >= 50_000_000) {
                silences.add(name + "," + last + "," + ms(now - last));
            }
            last = now;
        }
    }

    // The process beside the JVM. Its own clock beats, and at each beat it looks what the threads are doing.
    static void beside(String pid) throws IOException {
        Clock clock = new Clock("beside");
        Map<String, Long> did = new TreeMap<>();
        while (System.in.available() == 0 && Files.exists(Path.of("/proc", pid))) {
            long before = clock.last;
            clock.beat();
            for (File task : new File("/proc/" + pid + "/task").listFiles()) {
                String doing = doing(task.toPath());
                if (!doing.isEmpty()) {
                    did.merge(doing, clock.last - before, Long::sum);
                }
            }
        }
        try (PrintStream threads = new PrintStream("threads.csv")) {
            threads.println("thread,doing,ms");
            did.forEach((doing, ns) -> threads.println(doing + "," + ms(ns)));
        }
        clock.silences.forEach(System.out::println);
    }

    static String doing(Path task) {
        try {
            String stat = Files.readString(task.resolve("stat"));
            String name = stat.substring(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
            if (!name.matches("VM Thread|worker|inside|ForkJoinPool.*")) {
                return "";
            }
            char state = stat.charAt(stat.lastIndexOf(')') + 2);
            String waits = state == 'S' ? Files.readString(task.resolve("wchan")) : "";
            return name + "," + switch (state) {
                case 'R' -> "runs";
                case 'D' -> "waits for a disk";
                case 'T' -> "is stopped";
                default -> waits.contains("pipe") ? "waits for a pipe" : "waits";
            };
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
        if (args[0].equals("beside")) {
            beside(args[1]);
            return;
        }
        System.setProperty("jdk.virtualThreadScheduler.parallelism", "2");
        System.setProperty("jdk.virtualThreadScheduler.maxPoolSize", "2");
        Process beside = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-XX:+UseSerialGC", "-Xmx32m",
            "-cp", System.getProperty("java.class.path"), "Silence", "beside", "" + ProcessHandle.current().pid())
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
        long fetched = fetchedBytes();
        long begun = System.nanoTime();
        happen(args);
        requestStops(200); // each clock beats once more
        done = true;
        List<String> silences = new ArrayList<>();
        clocks.forEach(clock -> silences.addAll(clock.silences));
        try (OutputStream end = beside.getOutputStream()) {
            end.write('\n');
        }
        silences.addAll(List.of(new String(beside.getInputStream().readAllBytes()).split("\n")));
        beside.waitFor();
        Map<String, Double> longest = new TreeMap<>(Map.of("inside", 0.0, "beside", 0.0));
        try (PrintStream csv = new PrintStream("silences.csv")) {
            csv.println("clock,begin_s,ms");
            for (String silence : silences) {
                String[] words = silence.split(",");
                double begin = words.length == 3 ? (Long.parseLong(words[1]) - begun) / 1e9 : -1e9;
                if (begin > -0.02) { // the clock's last beat may have been before
                    csv.println(words[0] + "," + begin + "," + words[2]);
                    longest.merge(words[0], Double.valueOf(words[2]), Math::max);
                }
            }
        }
        longest.forEach((clock, ms) -> System.out.println(clock + "_ms=" + ms));
        System.out.println("fetched_mib=" + (fetchedBytes() - fetched >> 20));
        System.out.println("begun_ns=" + begun);
    }
}
