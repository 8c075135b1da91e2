// Stops: work of a fixed length, then a request for a stop, again and again; a clock around each of the two.
//
// ARGUMENTS rounds (3000)
// PRINTS    between_us, the median length of the work, and stop_us, that of a request: what its requester waits for it.

import java.util.Arrays;

public class Stops {
    static final byte[] BYTES = new byte[256 * 1024];
    static int seen;

    static int work() {
        int hash = 1;
        for (byte one : BYTES) {
            hash = 31 * hash + one;
        }
        return hash;
    }

    public static void main(String[] args) {
        int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 3_000;
        int warmUp = rounds / 2;
        double[] between = new double[rounds], stop = new double[rounds];
        for (int round = -warmUp; round < rounds; round++) {
            long begin = System.nanoTime();
            seen += work();
            long asked = System.nanoTime();
            seen += Thread.getAllStackTraces().size(); // a VM operation in a safepoint, on all JDKs
            long answered = System.nanoTime();
            if (round >= 0) {
                between[round] = (asked - begin) / 1e3;
                stop[round] = (answered - asked) / 1e3;
            }
        }
        System.out.println("between_us=" + median(between));
        System.out.println("stop_us=" + median(stop));
        System.out.println("seen=" + seen);
    }

    static double median(double[] times) {
        Arrays.sort(times);
        return times[times.length / 2];
    }
}
