// PageFaults: writes one byte into each page of a large mapping, in a loop without polls, twice: first while the kernel
// has still to find memory for every page, then while all of them are there. Main asks for a collection during each.
//
// QUESTION  Do page faults make a safepoint late?
// RUN       mkdir -p classes && javac -d classes PageFaults.java
//           java -XX:+UseSerialGC -Xlog:safepoint:stdout -cp classes PageFaults
// ARGUMENTS size of the mapping in MiB (192), pairs of walks (5)
// NOTEBOOK  01-what-is-a-safepoint
// JDKS      8 11 17 21 25 28 (8: -XX:+PrintSafepointStatistics -XX:PrintSafepointStatisticsCount=1 for the log)
// EXPECT    The loop and its iterations are the same. The walk that faults takes many times as long, and so does the
//           safepoint that waits for it. Each walk over absent pages has a fault for each page.
//           = exited; /^absent,/ 5 times; /^present,/ 5 times; /GenCollectFull/ 10 times

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;

public class PageFaults {
    static final int PAGE = 4096;
    static volatile boolean walking;
    static volatile long walkedNs;
    static volatile long faults;

    // Why a counted loop? It has no poll with Serial. A thread that meets a page fault stays "in Java": it cannot stop
    // before the kernel has found a page and the loop has come to its end.
    static void walk(MappedByteBuffer pages, int count) {
        for (int i = 0; i < count; i++) {
            pages.put(i * PAGE, (byte) 1);
        }
    }

    // How many faults has this thread had? The kernel counts them: the tenth field of its stat line. The thread's own
    // name there stands in parentheses and may hold blanks.
    static long faultsSoFar() throws IOException {
        String stat = new String(Files.readAllBytes(Paths.get("/proc/thread-self/stat")));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return Long.parseLong(fields[7]) + Long.parseLong(fields[9]);
    }

    static void walkNoted(MappedByteBuffer pages, int count) {
        try {
            long before = faultsSoFar();
            long began = System.nanoTime();
            walking = true;
            walk(pages, count);
            walkedNs = System.nanoTime() - began;
            faults = faultsSoFar() - before;
        } catch (IOException broken) {
            throw new IllegalStateException(broken);
        }
    }

    // Why the uptime? It is the one clock of which the log of each JDK has the same.
    static double uptimeS() {
        return ManagementFactory.getRuntimeMXBean().getUptime() / 1e3;
    }

    public static void main(String[] args) throws Exception {
        int mib = args.length > 0 ? Integer.parseInt(args[0]) : 192;
        int pairs = args.length > 1 ? Integer.parseInt(args[1]) : 5;
        int count = mib * (1 << 20) / PAGE;
        Path file = Files.createTempFile(Paths.get("."), "pages", ".bin");
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            // Why so many short walks first? They give walk() its standard version, without an entry in mid-loop.
            MappedByteBuffer few = channel.map(MapMode.PRIVATE, 0, 100 * PAGE);
            for (int i = 0; i < 20_000; i++) {
                walk(few, 100);
            }

            // Why private? A new private mapping has no page of its own: the first write into each is a fault, in
            // which the kernel copies the file's page. Nothing is ever written to the file, which has no content.
            System.out.print("pages,walk_ms,faults,asked_s,answered_s\n");
            for (int pair = 0; pair < pairs; pair++) {
                MappedByteBuffer pages = channel.map(MapMode.PRIVATE, 0, (long) count * PAGE);
                for (String what : new String[] {"absent", "present"}) {
                    request(what, pages, count);
                }
            }
        } finally {
            Files.delete(file);
        }
    }

    // Why does main spin? To ask at the beginning of the walk. The wait is then the rest of it.
    static void request(String what, MappedByteBuffer pages, int count) throws InterruptedException {
        walking = false;
        Thread walker = new Thread(() -> walkNoted(pages, count), "walker");
        walker.start();
        while (!walking) {
            Thread.yield();
        }
        double asked = uptimeS();
        System.gc();
        double answered = uptimeS();
        walker.join();
        System.out.print(what + "," + walkedNs / 1e6 + "," + faults + "," + asked + "," + answered + "\n");
        Thread.sleep(20);
    }
}
