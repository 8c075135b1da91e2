// WhoSaysSo: two virtual threads keep both carriers busy, a third one waits for a carrier, and two more are in a deadlock.
// Then main asks the usual tools, and prints what each of them tells.
//
// QUESTION  Which tool shows that a virtual thread gets no carrier?
// RUN       # with JDK 25:
//           mkdir -p classes && javac -d classes WhoSaysSo.java
//           java -Djdk.virtualThreadScheduler.parallelism=2 -Djdk.virtualThreadScheduler.maxPoolSize=2 -cp classes WhoSaysSo
// ARGUMENTS none
// NOTEBOOK  18-a-million-threads
// LANGUAGE  21
// JDKS      21 25 26 27 28
// EXPECT    Thread.print names none of them, the search for deadlocks finds none, and a dump as JSON names all five.
//           = exited; print_busy = 0; print_newcomer = 0; json_busy = 1; json_newcomer = 1; search_deadlock = 0

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.HotSpotDiagnosticMXBean.ThreadDumpFormat;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.ObjectName;

public class WhoSaysSo {
    static volatile boolean done;

    public static void main(String[] args) throws Exception {
        // A deadlock as in any book. Both of them are parked, so they need no carrier.
        ReentrantLock one = new ReentrantLock();
        ReentrantLock other = new ReentrantLock();
        CountDownLatch bothHaveOne = new CountDownLatch(2);
        Thread.ofVirtual().name("dead-1").start(() -> lockBoth(one, other, bothHaveOne));
        Thread.ofVirtual().name("dead-2").start(() -> lockBoth(other, one, bothHaveOne));
        bothHaveOne.await();
        Thread.sleep(100);

        // Two threads that are busy and poll in each iteration. Then there is no carrier left for the newcomer.
        CountDownLatch bothRun = new CountDownLatch(2);
        for (int n = 0; n < 2; n++) {
            Thread.ofVirtual().name("busy-" + n).start(() -> {
                bothRun.countDown();
                while (!done) { }
            });
        }
        bothRun.await();
        Thread newcomer = Thread.ofVirtual().name("newcomer").start(() -> { });
        Thread.sleep(100);

        tell("print", diagnose("threadPrint", ""));
        long[] found = ManagementFactory.getThreadMXBean().findDeadlockedThreads();
        tell("search", found == null ? "" : "deadlock of " + found.length);
        String json = dump();
        tell("json", json);
        // On JDK 25 and later the dump has the state of each thread, which follows its name.
        print("newcomer_state", json, "\"name\": \"newcomer\",\\s*\"state\": \"(\\w+)\"");
        // On JDK 24 and later there is a command for the scheduler itself.
        String scheduler = diagnose("threadVthreadScheduler", "");
        print("scheduler_active", scheduler, "active = (\\d+)");
        print("scheduler_submissions", scheduler, "submissions = (\\d+)");
        System.out.println(scheduler);
        done = true;
        newcomer.join();
        Runtime.getRuntime().halt(0); // two threads are in a deadlock
    }

    static void lockBoth(ReentrantLock first, ReentrantLock second, CountDownLatch bothHaveOne) {
        first.lock();
        bothHaveOne.countDown();
        try {
            bothHaveOne.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        second.lock();
    }

    // The commands of jcmd, from inside. A JDK that lacks one answers nothing.
    static String diagnose(String command, String... words) throws Exception {
        try {
            return (String) ManagementFactory.getPlatformMBeanServer().invoke(
                new ObjectName("com.sun.management:type=DiagnosticCommand"), command,
                command.equals("threadPrint") ? new Object[] {words} : new Object[0],
                command.equals("threadPrint") ? new String[] {String[].class.getName()} : new String[0]);
        } catch (JMException unknown) {
            return "";
        }
    }

    static String dump() throws Exception {
        Path file = Path.of(System.nanoTime() + ".json").toAbsolutePath();
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
            .dumpThreads(file.toString(), ThreadDumpFormat.JSON);
        String json = Files.readString(file);
        Files.delete(file);
        return json;
    }

    static void tell(String witness, String answer) {
        System.out.println(witness + "_busy=" + (answer.contains("busy-0") && answer.contains("busy-1") ? 1 : 0));
        System.out.println(witness + "_newcomer=" + (answer.contains("newcomer") ? 1 : 0));
        System.out.println(witness + "_deadlock=" + (answer.toLowerCase().contains("deadlock") ? 1 : 0));
    }

    static void print(String name, String text, String regex) {
        Matcher found = Pattern.compile(regex).matcher(text);
        if (found.find()) {
            System.out.println(name + "=" + found.group(1));
        }
    }
}
