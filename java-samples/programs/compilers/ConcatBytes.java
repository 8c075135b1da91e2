// ConcatBytes: what a concatenation of strings allocates, by the class of either compiler.
// StringBuilder(String) starts with a larger array than StringBuilder(); C2 can do without a builder, or can it not?
//
// QUESTION  Does it matter how a compiler begins a concatenation?
// RUN       mkdir -p classes && javac -source 8 -target 8 -d classes ConcatBytes.java
//           java -jar ${ECJ:-ecj.jar} -source 8 -target 8 -d classes-ecj ConcatBytes.java
//           java -Xint -cp classes ConcatBytes 1000
//           java -Xint -cp classes-ecj ConcatBytes 1000
//           java -Xbatch -cp classes ConcatBytes
//           java -Xbatch -XX:-OptimizeStringConcat -cp classes ConcatBytes
// ARGUMENTS calls before the bytes are counted (100000)
// NOTEBOOK  03-eclipse-vs-javac
// JDKS      8 11 17 21 25 28
// EXPECT    bytes for one concatenation. Interpreted, two digits: ecj's class takes some more than javac's, by the
//           larger array; with 14 digits javac's array has to grow, and takes more. Compiled, with an int: the result
//           alone, by either compiler. With a long, or -XX:-OptimizeStringConcat: the builder's array as well.
//           = exited; long_2_digits > 0
//           = exited; long_2_digits > above.long_2_digits; long_14_digits < above.long_14_digits
//           = exited; int_2_digits < long_2_digits
//           = exited; int_2_digits > above.int_2_digits
import java.lang.management.ManagementFactory;
import java.util.function.LongConsumer;

public class ConcatBytes {
    static final int COUNTED = 1000;
    static volatile String result;

    public static void main(String[] args) {
        int warmup = args.length > 0 ? Integer.parseInt(args[0]) : 100_000;
        for (int digits : new int[] {2, 14, 19}) {
            long number = Long.parseLong("1234567890123456789".substring(0, digits));
            long bytes = bytes(value -> result = withLong(value), number, warmup);
            System.out.println("long_" + digits + "_digits=" + bytes);
        }
        System.out.println("int_2_digits=" + bytes(value -> result = withInt((int) value), 12, warmup));
    }

    // The line of the post's program. Eclipse's compiler hands "How odd: ", 9 characters, to the constructor, which
    // makes room for 16 more: 25. javac's builder has room for 16. Which of the two has to grow, then, depends on the
    // number's digits: up to 7 none, 8 to 16 javac's alone (to 34), from 17 on both (to 52 and 34).
    static String withLong(long number) {
        return "How odd: " + number;
    }

    // Why a second one? C2 can replace a builder and its appends by one exactly sized array (OptimizeStringConcat), but
    // it knows append of a String, a char and an int, and not that of a long (stringopts.cpp). So it leaves the line
    // above as it is.
    static String withInt(int number) {
        return "How odd: " + number;
    }

    // Why bytes? The VM counts them for each thread, and neither an object nor an array escapes it. Why the least of
    // ten batches? C2's code may be thrown away once more, and the method be interpreted for a while.
    static long bytes(LongConsumer concatenation, long number, int warmup) {
        com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long self = Thread.currentThread().getId();
        for (int call = 0; call < warmup; call++) {
            concatenation.accept(number);
        }
        long least = Long.MAX_VALUE;
        for (int batch = 0; batch < 10; batch++) {
            long before = threads.getThreadAllocatedBytes(self);
            for (int call = 0; call < COUNTED; call++) {
                concatenation.accept(number);
            }
            least = Math.min(least, (threads.getThreadAllocatedBytes(self) - before) / COUNTED);
        }
        return least;
    }
}
