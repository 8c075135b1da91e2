// Exercise 13-2. A plain sum over an int array: C2 unrolls it, but up to JDK 25 it gets no vectors.
//
// Edit the body of sum(), and nothing else, so that C2 adds with vectors on JDK 21 and 25. It must return the same sums.
//
// You try it with        lab.java("FastSum.java", 25, "-Xbatch", gc="Serial", log="assembly=FastSum.sum")
// and have it judged by  lab.grade("13-2", "FastSum.java")
public class FastSum {
    // Only the body of this method is yours to change. `zero` is always 0, but C2 does not know that.
    static int sum(int[] from, int zero) {
        int sum = 0;
        for (int i = 0; i < from.length; i++) {
            sum += from[i];
        }
        return sum;
    }

    // From here on it stays as it is: calls enough for C2, then the sum of the same numbers.
    static volatile int result;

    public static void main(String[] args) {
        int[] from = new int[1000];
        for (int i = 0; i < from.length; i++) {
            from[i] = i * 0x9E3779B9;
        }
        for (int call = 0; call < 100_000; call++) {
            result = sum(from, args.length);
        }
        System.out.println("sum " + result);
    }
}
