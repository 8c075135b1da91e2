// RarerReasons: two reasons for which a JVM stops all threads and that few programs give it on purpose. A class that is
// in use gets new code, and the code cache runs full, so that compiled code has to be thrown away.
//
// QUESTION  Do a class redefinition and a flush of the code cache stop all threads?
// RUN       mkdir -p classes && javac -d classes RarerReasons.java
//           java -Xlog:safepoint,handshake*=debug -cp classes RarerReasons redefine
//           java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=3m -XX:+PrintCompilation \
//           -Xlog:safepoint,handshake*=debug -cp classes RarerReasons fill
// ARGUMENTS redefine | fill (redefine), classes to load and compile for fill (3000)
// NOTEBOOK  06-biased-locking-pause
// JDKS      8 11 17 21 25 28 (8: -XX:+PrintSafepointStatistics -XX:PrintSafepointStatisticsCount=1 for the log)
// EXPECT    redefine: RedefineClasses, a safepoint on all. fill: 11 stops all threads (MarkActiveNMethods), 17 one by
//           one (a handshake), 21 to 28 in a full collection (CodeCache GC Threshold); 8 requests no stop for it.
//           = exited; /Safepoint "RedefineClasses"/
//           = exited; /Handshake "NMethodMarking"/; /made zombie/

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;

public class RarerReasons {
    // How to redefine a class without an agent? The flight recorder does it. Here an event class is made and used
    // before any recording, so that its commit() does nothing. When a recording begins, commit() has to begin to write:
    // the JVM exchanges the class's code while no Java thread runs. (By reflection, as this file compiles with
    // --release 8, which does not know the flight recorder's classes.)
    static void redefine() throws ReflectiveOperationException {
        Class<?> factory = Class.forName("jdk.jfr.EventFactory");
        Object ticks = factory.getMethod("create", List.class, List.class)
            .invoke(null, new ArrayList<>(), new ArrayList<>());
        Object tick = factory.getMethod("newEvent").invoke(ticks);
        Class.forName("jdk.jfr.Event").getMethod("commit").invoke(tick);
        Class<?> recorder = Class.forName("jdk.jfr.Recording");
        Object recording = recorder.getConstructor().newInstance();
        recorder.getMethod("start").invoke(recording);
        recorder.getMethod("close").invoke(recording);
    }

    // How to fill the code cache? With the same class over and over, each time from a loader of its own: to the JVM
    // these are different classes. Each run() is called often enough for C1, and never again.
    static final class Loader extends ClassLoader {
        Runnable work(byte[] code) throws ReflectiveOperationException {
            return (Runnable) defineClass("RarerReasons$Work", code, 0, code.length).getConstructor().newInstance();
        }
    }

    public static class Work implements Runnable {
        static int sum;

        @Override
        public void run() {
            for (int i = 0; i < 3; i++) {
                sum += Integer.toString(i).hashCode() ^ "abc".indexOf('a' + i);
            }
        }
    }

    static byte[] codeOfWork() throws IOException {
        ByteArrayOutputStream code = new ByteArrayOutputStream();
        try (InputStream file = RarerReasons.class.getResourceAsStream("RarerReasons$Work.class")) {
            for (int next; (next = file.read()) >= 0; ) {
                code.write(next);
            }
        }
        return code.toByteArray();
    }

    // What happens when it is full? Code that nobody runs any more has to go, and only the threads' stacks say who runs
    // what. To look at them, 11 stops everybody, and 17 one thread after the other. 8 looks at them when somebody else
    // has stopped all threads anyway; so here a second thread asks for deadlocks, or 8 would never flush. From 20 on
    // (JDK-8290025) there is no sweeper: a collection finds the dead code, as it finds dead objects.
    static void fill(int classes) throws IOException, ReflectiveOperationException {
        byte[] code = codeOfWork();
        for (int n = 0; n < classes; n++) {
            Runnable work = new Loader().work(code);
            for (int call = 0; call < 300; call++) {
                work.run();
            }
        }
    }

    static void stopOftenFor8() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        try {
            while (true) {
                Thread.sleep(20);
                threads.findDeadlockedThreads();
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        if (args.length == 0 || args[0].equals("redefine")) {
            redefine();
            return;
        }
        if (System.getProperty("java.specification.version").equals("1.8")) {
            Thread stopper = new Thread(RarerReasons::stopOftenFor8, "stopper");
            stopper.setDaemon(true);
            stopper.start();
        }
        fill(args.length > 1 ? Integer.parseInt(args[1]) : 3000);
    }
}
