// Maximum: an operation that always takes the same time, and what JMH says was its longest. Beside it the JVM is given
// something to clean up, and a counted loop for which every thread waits at the stop that does so.
//
// QUESTION  Whose is the maximum of a microbenchmark: the measured operation's, or the JVM's?
// RUN       safepoint bench guaranteed.Maximum --jdk 17 --flags "-XX:+UseSerialGC" \
//           --options "-f 1 -wi 1 -w 500ms -i 1 -r 3s -p turns=300"
// NOTEBOOK  14-guaranteed-safepoints
// JDKS      8 11 17 21 25 28
// EXPECT    With turns > 0 a maximum of up to the loop's length, and with -XX:GuaranteedSafepointInterval=0 one that is
//           many times shorter; no difference from 23 on. With turns = 0 the machine's noise decides.
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
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.Blackhole;

@State(Scope.Benchmark)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class Maximum {
    @Param("0")
    int turns; // of the counted loop, in millions
    volatile int result;

    // Why so long? JMH times at most some 20 operations a millisecond, and leaves out all others. Of an operation of a
    // few nanoseconds the one that a stop falls into would most likely not be among them.
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

    // Who lets everybody wait? A thread in a counted loop: with Serial and Parallel C2 leaves such loops without a poll.
    void countForever(int turns) {
        for (int i = 0; i < 20_000; i++) {
            result += counted(1000);
        }
        // Why of several lengths? Lest the loops keep step with the stops, and each one falls on a loop's end.
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

    // What does the JVM have to tidy up? A call site that changes its mind: see OnceASecond, among the programs.
    public static class Site implements ToIntFunction<IntUnaryOperator> {
        @Override
        public int applyAsInt(IntUnaryOperator operator) {
            return operator.applyAsInt(1);
        }
    }

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
