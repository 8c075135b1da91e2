// WhoCompiles: does a bit of everything, so that hundreds of methods are compiled, and tells how long the compilers
// worked and how long the program itself stood still: neither on a CPU nor in the queue for one.
//
// QUESTION  Does a program wait while its methods are compiled?
// RUN       mkdir -p classes && javac -d classes WhoCompiles.java
//           java -cp classes WhoCompiles
//           java -Xbatch -cp classes WhoCompiles
// NOTEBOOK  06-biased-locking-pause
// JDKS      8 11 17 21 25 28
// EXPECT    compiled_ms, the compilers' time, is some hundred ms either way. waited_ms is next to nothing by default,
//           and most of compiled_ms with -Xbatch.
//           = exited; waited_ms < compiled_ms / 3
//           = exited; waited_ms > compiled_ms / 3; waited_ms > above.waited_ms

import java.io.IOException;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.regex.Pattern;

public class WhoCompiles {
    static final Pattern WORD = Pattern.compile("([a-z]+)(\\d*)(?:_|$)");
    static int sink;

    // What keeps compilers busy? Many methods, each called some thousand times: text, patterns, maps, sorting.
    static void work(int round) {
        List<String> words = new ArrayList<>();
        TreeMap<String, Integer> counts = new TreeMap<>();
        for (int i = 0; i < 100; i++) {
            String word = String.format(Locale.ROOT, "w%d_%x_%s", i * round, i, i % 3);
            words.add(WORD.matcher(word).replaceAll("$2$1"));
            counts.merge(word.substring(1), i, Integer::sum);
        }
        words.sort(String.CASE_INSENSITIVE_ORDER);
        sink += words.stream().filter(word -> word.contains("1")).mapToInt(String::length).sum() + counts.hashCode();
        sink += Arrays.hashCode(words.toString().getBytes());
    }

    // Who waits? By default nobody: the compilers are threads of their own, the method runs on in the interpreter, and
    // the next call takes the new code. With -Xbatch (-XX:-BackgroundCompilation) the thread whose call passed the
    // limit waits until its method is compiled.
    //
    // Was it waiting, or only without a core? On a busy machine threads queue for cores. Linux counts that time for
    // each thread, the second number here, in nanoseconds: it is subtracted.
    static double queuedMs() {
        try {
            String[] counts = new String(Files.readAllBytes(Paths.get("/proc/thread-self/schedstat"))).split(" ");
            return Long.parseLong(counts[1]) / 1e6;
        } catch (IOException noSuchFile) {
            return Double.NaN;
        }
    }

    static double cpuMs() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() / 1e6;
    }

    public static void main(String[] args) {
        CompilationMXBean compilers = ManagementFactory.getCompilationMXBean();
        long compiled = compilers.getTotalCompilationTime();
        double queued = queuedMs();
        double cpu = cpuMs();
        long begin = System.nanoTime();
        for (int round = 1; round <= 600; round++) {
            work(round);
        }
        double waited = (System.nanoTime() - begin) / 1e6 - (cpuMs() - cpu) - (queuedMs() - queued);
        System.out.print(String.format(Locale.ROOT, "compiled_ms=%d\nwaited_ms=%.1f\n",
            compilers.getTotalCompilationTime() - compiled, Math.max(0, waited)));
    }
}
