// Descheduled: a thread that polls in each iteration, but which the kernel seldom gives a core, as native code of the
// same process keeps the only one busy. Main asks for collections, without that competitor and with it.
//
// QUESTION  A thread was taken off its core by the kernel in the middle of Java code. Does a safepoint wait for it?
// RUN       mkdir -p classes && javac -d classes Descheduled.java
//           taskset -c 0 java -XX:+UseSerialGC -Xlog:safepoint:stdout -cp classes Descheduled
// ARGUMENTS requests without and with the competitor (5); native: the thread is in native code and not in Java
// NOTEBOOK  01-what-is-a-safepoint
// JDKS      8 11 17 21 25 28 (8: -XX:+PrintSafepointStatistics -XX:PrintSafepointStatisticsCount=1 for the log)
// EXPECT    Alone the thread stops within microseconds. Beside native code, which runs on during a safepoint, everybody
//           waits until the kernel lets it run: queued_ms is how long the thread wanted a core and had none.
//           = exited; /^alone,/ 5 times; /^crowded,/ 5 times; /GenCollectFull/ at least 10 times

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;

public class Descheduled {
    static volatile Path task;
    static volatile boolean crowded;
    static volatile boolean done;
    static volatile long count;

    // Who is late here? Nobody's code: this loop polls in each iteration. The state of the thread stays "in Java" when
    // the kernel takes its core away, so for the VM it has not stopped, and cannot, before it runs again.
    static void poll(boolean inNative) {
        try {
            task = Paths.get("/proc/self/task").resolve(Paths.get("/proc/thread-self").toRealPath().getFileName());
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
        while (!done && !inNative) {
            count++;
        }
        readUntilDone();
    }

    // And if it is in native code when it loses its core? Then it has stopped, as far as the VM is concerned.
    static void readUntilDone() {
        ByteBuffer buffer = ByteBuffer.allocateDirect(48 << 20);
        try (FileChannel random = FileChannel.open(Paths.get("/dev/urandom"))) {
            while (!done) {
                buffer.clear();
                random.read(buffer);
            }
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    // Who takes the core? A thread in native code. It is at a safepoint by definition and goes on working in one.
    static void compete() {
        ByteBuffer buffer = ByteBuffer.allocateDirect(48 << 20);
        try (FileChannel random = FileChannel.open(Paths.get("/dev/urandom"))) {
            while (!done) {
                if (crowded) {
                    buffer.clear();
                    random.read(buffer);
                } else {
                    Thread.sleep(1);
                }
            }
        } catch (IOException | InterruptedException broken) {
            throw new IllegalStateException(broken);
        }
    }

    // How to make the kernel prefer one? Linux has a class of scheduling for what nobody waits for, SCHED_IDLE, and a
    // thread may always be put into it. It still runs as soon as nobody else wants the core.
    static void makeIdle() throws IOException, InterruptedException {
        String id = task.getFileName().toString();
        int status = new ProcessBuilder("chrt", "--idle", "--pid", "0", id).inheritIO().start().waitFor();
        if (status != 0) {
            throw new IllegalStateException("chrt could not put the thread into SCHED_IDLE");
        }
    }

    // How long did it want to run and could not? The second number of schedstat, in ns.
    static long queuedNs() throws IOException {
        return Long.parseLong(new String(Files.readAllBytes(task.resolve("schedstat"))).trim().split(" ")[1]);
    }

    // Why the uptime? It is the one clock of which the log of each JDK has the same.
    static double uptimeS() {
        return ManagementFactory.getRuntimeMXBean().getUptime() / 1e3;
    }

    public static void main(String[] args) throws Exception {
        int requests = args.length > 0 ? Integer.parseInt(args[0]) : 5;
        boolean inNative = args.length > 1 && args[1].equals("native");
        Thread poller = new Thread(() -> poll(inNative), "poller");
        Thread competitor = new Thread(Descheduled::compete, "competitor");
        poller.start();
        competitor.start();
        while (task == null) {
            Thread.sleep(1);
        }
        makeIdle();
        System.gc();
        System.out.print("core,queued_ms,asked_s,answered_s\n");
        for (String core : new String[] {"alone", "crowded"}) {
            crowded = core.equals("crowded");
            for (int i = 0; i < requests; i++) {
                Thread.sleep(150);
                long queued = queuedNs();
                double asked = uptimeS();
                System.gc();
                double answered = uptimeS();
                // Nobody waited for a thread in native code, so it may still be in the queue, and not yet in the sum.
                for (int tenMs = 0; inNative && tenMs < 100 && queuedNs() == queued; tenMs++) {
                    Thread.sleep(10);
                }
                double waited = (queuedNs() - queued) / 1e6;
                System.out.print(core + "," + waited + "," + asked + "," + answered + "\n");
            }
        }
        done = true;
    }
}
