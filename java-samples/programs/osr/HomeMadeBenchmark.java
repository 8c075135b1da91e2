// HomeMadeBenchmark: how we all measured before JMH, a loop around the code and a clock around the loop.
// The harness is called once, so it runs in OSR versions, and those are measured. In a method the code is another.
//
// QUESTION  Is the code slow, or the place where it was measured?
// RUN       mkdir -p classes && javac -d classes HomeMadeBenchmark.java
//           java -XX:+UseSerialGC -cp classes HomeMadeBenchmark inline
//           java -XX:+UseSerialGC -cp classes HomeMadeBenchmark method
// ARGUMENTS inline | method (inline), repetitions a round (300000), rounds (6), ints in an array (1000)
// NOTEBOOK  04-osr-vs-xcomp (beside the benchmark osr.AddOne, the same method under JMH)
// JDKS      8 11 17 21 25 28
// EXPECT    ns for adding 1 to 1000 ints, round by round. Both: slow at first, then even. Whether the even part of
//           inline is longer depends on the JDK and on the machine.
//           = exited; ns_in_round_6 > 0
//           = exited; ns_in_round_6 > 0
public class HomeMadeBenchmark {
    public static void main(String[] args) {
        String place = args.length > 0 ? args[0] : "inline";
        int repetitions = args.length > 1 ? Integer.parseInt(args[1]) : 300_000;
        int rounds = args.length > 2 ? Integer.parseInt(args[2]) : 6;
        int[] from = new int[args.length > 3 ? Integer.parseInt(args[3]) : 1000];
        int[] to = new int[from.length];

        // One call of either method, and everything happens within it: this is how a quick test in main() looks.
        if (place.equals("inline")) {
            measureInline(from, to, repetitions, rounds);
        } else {
            measureMethod(from, to, repetitions, rounds);
        }
    }

    // Three nested loops in a method that is called once. Where will the JVM enter it when it gets hot? At the
    // innermost jump back. -XX:+PrintCompilation shows it: `%` in front of measureInline, the bytecode index of that
    // loop behind the @.
    //
    // Why do the numbers rise once more after the first rounds? C2 compiles what has run. The code after the two inner
    // loops had not, so in its place C2 put a trap. When the first round ends, the thread falls into it: the version is
    // `made not entrant`, the interpreter takes over, and the way through C1 and C2 begins again.
    static void measureInline(int[] from, int[] to, int repetitions, int rounds) {
        for (int round = 1; round <= rounds; round++) {
            long start = System.nanoTime();
            for (int repetition = 0; repetition < repetitions; repetition++) {
                for (int i = 0; i < from.length; i++) {
                    to[i] = from[i] + 1;
                }
            }
            report(round, (System.nanoTime() - start) / repetitions);
        }
    }

    // What if the same work stands behind a call? Then the hot loop is in a small method which is called often. It gets
    // a standard version, entered at its top, like almost all code in a program that runs for a while. Where C2 inlines
    // it into its caller, OSR enters the caller's loop: a door, but not in the middle of the work.
    static void measureMethod(int[] from, int[] to, int repetitions, int rounds) {
        for (int round = 1; round <= rounds; round++) {
            long start = System.nanoTime();
            repeatAddOne(from, to, repetitions);
            report(round, (System.nanoTime() - start) / repetitions);
        }
    }

    static void repeatAddOne(int[] from, int[] to, int repetitions) {
        for (int repetition = 0; repetition < repetitions; repetition++) {
            addOne(from, to);
        }
    }

    // Both versions use vectors, so what is the difference? Compare the innermost loops in the machine code
    // (-XX:CompileCommand=print,HomeMadeBenchmark.*): the small method has both arrays' addresses in registers; in the
    // OSR version C2 keeps them on the stack, and loads them again for each vector. The listing does not say why.
    static void addOne(int[] from, int[] to) {
        for (int i = 0; i < from.length; i++) {
            to[i] = from[i] + 1;
        }
    }

    // Why is the average of a round not enough? The first round mixes the interpreter, C1 and C2; a single number over
    // all rounds would hide the bump. And yet each round here is of one JVM: the next may compile in another order.
    static void report(int round, long nanos) {
        System.out.println("ns_in_round_" + round + "=" + nanos);
    }
}
