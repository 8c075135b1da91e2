// Maximum: an operation that always takes the same time, and what JMH says was its longest. Beside it the JVM is given
// something to clean up, and a counted loop for which every thread waits at the stop that does so.
//
// QUESTION  Whose is the maximum of a microbenchmark: the measured operation's, or the JVM's?
// RUN       safepoint bench guaranteed.Maximum --jdk 17 --flags "-XX:+UseSerialGC" \
//           --options "-f 1 -wi 1 -w 500ms -i 1 -r 3s -p turns=300"
// NOTEBOOK  14-guaranteed-safepoints
// JDKS      8 11 17 21 25 28
// EXPECT    With turns > 0 a maximum of up to the loop's length, and with -XX:GuaranteedSafepointInterval=0 one that is
//           many times shorter; from 23 on neither has such stops. With turns = 0 the machine's noise decides.
//           = exited; p1_00 > 10 * p0_50
package guaranteed;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntUnaryOperator;
import java.util.function.ToIntFunction;
import org.openjdk.jmh.annotations.*;
import org.openjdk.jmh.infra.Blackhole;

@State(Scope.Benchmark)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class Maximum {
    @Param("0")
    int turns; // of the counted loop, in millions
    volatile int result;

    // Why does the operation take so long? In this mode JMH times a sample of the operations and leaves out the others.
    // Of an operation of a few nanoseconds the one that a stop falls into would most likely not be in the sample.
    //
    // What is in it? A loop of JMH's that consumes CPU time: no allocation, no lock, no cache to miss. Its work is
    // always the same, so a maximum far above the median is not its own.
    @Benchmark
    public void operation() {
        Blackhole.consumeCPU(40_000);
    }

    @Setup
    @SuppressWarnings("unchecked")
    public void startOthers() throws Exception {
        IntUnaryOperator same = value -> value, next = value -> value + 1;
        List<ToIntFunction<IntUnaryOperator>> sites = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            Class<?> copy = new Copies().loadClass(Site.class.getName());
            sites.add((ToIntFunction<IntUnaryOperator>) copy.getConstructor().newInstance());
            call(sites.get(i), same, 1000);
        }

        // The pause gives the compilers time to install the code; the calls after it make the sites monomorphic there.
        Thread.sleep(200);
        sites.forEach(site -> call(site, same, 10));
        start(() -> sites.forEach(site -> change(site, next)));
        if (turns > 0) {
            start(() -> countForever(turns * 1_000_000));
        }
    }

    void call(ToIntFunction<IntUnaryOperator> site, IntUnaryOperator operator, int times) {
        for (int i = 0; i < times; i++) {
            result += site.applyAsInt(operator);
        }
    }

    void change(ToIntFunction<IntUnaryOperator> site, IntUnaryOperator next) {
        try {
            Thread.sleep(100);
            call(site, next, 1);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    // For whom do all others wait? A thread in a counted loop: with Serial and Parallel C2 leaves such loops without a
    // poll. The short calls come first, so that the long ones enter the standard version; in an OSR version the loop
    // may poll.
    void countForever(int turns) {
        for (int i = 0; i < 20_000; i++) {
            result += counted(1000);
        }
        // Why of several lengths? With one length the loops could keep step with the stops, and each stop could fall on
        // a loop's end.
        for (int pass = 0;; pass++) {
            result += counted(turns / 2 + turns / 10 * (pass % 6));
        }
    }

    static int counted(int turns) {
        int hash = 0;
        for (int i = 0; i < turns; i++) {
            hash = 31 * hash + i;
        }
        return hash;
    }

    static void start(Runnable work) {
        Thread thread = new Thread(work);
        thread.setDaemon(true);
        thread.start();
    }

    // What does the JVM have to clean up? A call site whose target changes. While the objects there are of one class,
    // compiled code calls its method directly (a monomorphic inline cache). Another class makes the site go through a
    // stub, and the JVM frees such stubs at a safepoint: up to 22 it looks once a second whether there is anything to
    // do (GuaranteedSafepointInterval=1000; 0 since 23, JDK-8325872). See guaranteed/OnceASecond, among the programs.
    public static class Site implements ToIntFunction<IntUnaryOperator> {
        @Override
        public int applyAsInt(IntUnaryOperator operator) {
            return operator.applyAsInt(1);
        }
    }

    // Why copies? Methods are compiled by class. A loader for each site defines the same bytes again, and each copy has
    // a call site of its own that can change once.
    static class Copies extends ClassLoader {
        Copies() {
            super(Maximum.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            return name.equals(Site.class.getName()) ? copy(name) : super.loadClass(name, resolve);
        }

        Class<?> copy(String name) throws ClassNotFoundException {
            ByteArrayOutputStream code = new ByteArrayOutputStream();
            try (InputStream file = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
                for (int b = file.read(); b >= 0; b = file.read()) {
                    code.write(b);
                }
            } catch (IOException broken) {
                throw new ClassNotFoundException(name, broken);
            }
            return defineClass(name, code.toByteArray(), 0, code.size());
        }
    }
}
