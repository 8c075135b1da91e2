// NestByHand: an array is copied by a loop with a long index, and by an outer loop with a long index around an inner one
// with an int index. The post expected the compiler to make the second of the first before there can be vectors.
//
// QUESTION  Does a loop with a long index need an outer loop, before its copy is made on vectors?
// RUN       mkdir -p classes && javac -d classes NestByHand.java
//           java -XX:+UseSerialGC -Xbatch -XX:CompileCommand=dontinline,NestByHand::copy* -cp classes NestByHand
// ARGUMENTS ints in an array (1000), calls of each loop (40000), ints in a batch (4096)
// NOTEBOOK  13-polls-against-optimisation
// JDKS      8 11 17 21 25 27
// EXPECT    Up to 25 copyLong takes several times as long as copyNested; from 26 on both are on vectors.
//           = exited; copyNested_ns > 0
import java.util.Arrays;

public class NestByHand {
    static volatile int seen;

    public static void main(String[] args) {
        int[] from = new int[args.length > 0 ? Integer.parseInt(args[0]) : 1000];
        int calls = args.length > 1 ? Integer.parseInt(args[1]) : 40_000;
        int batch = args.length > 2 ? Integer.parseInt(args[2]) : 4096;
        Arrays.setAll(from, i -> i * 31);
        int[] to = from.clone();
        long plain = Long.MAX_VALUE, nested = Long.MAX_VALUE;
        for (int round = 0; round < 20; round++) {
            long start = System.nanoTime();
            for (int call = 0; call < calls / 20; call++) {
                seen = copyLong(from, to);
            }
            plain = Math.min(plain, System.nanoTime() - start);
            start = System.nanoTime();
            for (int call = 0; call < calls / 20; call++) {
                seen = copyNested(from, to, batch);
            }
            nested = Math.min(nested, System.nanoTime() - start);
        }
        System.out.println("copyLong_ns=" + plain * 20 / calls);
        System.out.println("copyNested_ns=" + nested * 20 / calls);
    }

    // Up to 15 C2 counts no loop with a long index. From 16 on (JDK-8223051) it makes a nest of it by itself, but each
    // `(int) i` stays a range check in the inner loop: no vectors. From 26 on (JDK-8342692) a loop that never ran long
    // is compiled as if its index were an int, and there is no outer loop at all.
    static int copyLong(int[] from, int[] to) {
        for (long i = 0; i < from.length; i++) {
            to[(int) i] = from[(int) i];
        }
        return to[0];
    }

    // The nest, as one writes it by hand. The inner loop's index is an int that runs from one int to another: C2 checks
    // once, before the loop, that all of it is in the array. The outer step is a variable, so that the outer loop is not
    // counted, and keeps its poll.
    static int copyNested(int[] from, int[] to, int batch) {
        for (long base = 0; base < from.length; base += batch) {
            int end = (int) Math.min(base + batch, from.length);
            for (int i = (int) base; i < end; i++) {
                to[i] = from[i];
            }
        }
        return to[0];
    }
}
