// Neighbours: a profiler attributes the time of one method to its neighbour.
// Two tiny methods are inlined into one loop. One divides, which takes long; the other one flips two bits.
//
// QUESTION  A sample is taken in the loop: whose name does the profiler give?
// RUN       mkdir -p classes && javac -d classes Neighbours.java
//           java -cp classes Neighbours 1000
// ARGUMENTS ms with both methods (1000), ms with the innocent one alone (200)
// NOTEBOOK  21-async-get-call-trace
// JDKS      8 11 17 21 25 28
// EXPECT    An iteration is several times cheaper without the division (both_ns, innocent_ns), and yet a profiler finds
//           nearly all samples of the first loop in `innocent`.
//           = exited; both_ns > 1.5 * innocent_ns
public class Neighbours {
    static long divisor = 7;
    static long last;

    public static void main(String[] args) {
        int ms = args.length > 0 ? Integer.parseInt(args[0]) : 1000;
        int aloneMs = args.length > 1 ? Integer.parseInt(args[1]) : 200;
        System.out.println("both_ns=" + nsPerTurn(ms, true));
        System.out.println("innocent_ns=" + nsPerTurn(aloneMs, false));
    }

    // The known answer: what does an iteration cost with the division, and what without? A stopwatch around many of
    // them asks no thread for its stack, so it has no bias and no skid. It only cannot say which line.
    static double nsPerTurn(int ms, boolean both) {
        long turns = 0;
        long begin = System.nanoTime();
        while (System.nanoTime() - begin < ms * 1_000_000L) {
            if (both) {
                street();
            } else {
                emptyStreet();
            }
            turns += 100_000;
        }
        return Math.round(100.0 * (System.nanoTime() - begin) / turns) / 100.0;
    }

    // Where are the calls? Not in the machine code: C2 inlines both, a few instructions of guilty and then one of
    // innocent. Each iteration needs the result of the one before, so the CPU cannot start the next division early.
    static void street() {
        long value = last;
        for (int i = 0; i < 100_000; i++) {
            value = innocent(guilty(value + i));
        }
        last = value;
    }

    static void emptyStreet() {
        long value = last;
        for (int i = 0; i < 100_000; i++) {
            value = innocent(value + i);
        }
        last = value;
    }

    // When does the signal strike? While the division is under way the CPU has nothing else to finish. An interrupt is
    // taken between two instructions, so the division is completed first, and the address that the signal handler
    // sees is that of the next instruction. This is skid; it comes from the CPU, and no stack walker can undo it.
    static long guilty(long value) {
        return (0x7fff_ffff_ffffL + value) / divisor;
    }

    // Whose is the next instruction? Had guilty been called, it would still be one of guilty's own: its return.
    // Inlined, it is this one.
    static long innocent(long value) {
        return value ^ 5;
    }
}
