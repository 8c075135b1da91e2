// ThreeBodies: HomeMadeBenchmark with three bodies, each in the harness itself and in a method of its own.
// Code made by OSR is "mostly worse", it was said: of how many bodies is that true?
//
// QUESTION  Is a loop slower when OSR enters it in its middle?
// RUN       mkdir -p classes && javac -d classes ThreeBodies.java
//           java -XX:+UseSerialGC -cp classes ThreeBodies inline
//           java -XX:+UseSerialGC -cp classes ThreeBodies method
// ARGUMENTS inline | method (inline), repetitions a round (20000), rounds (8), ints in an array (1000)
// NOTEBOOK  04-osr-vs-xcomp
// JDKS      8 11 17 21 25 28
// EXPECT    The best round's ns for 1000 ints, for each body. Which of them `method` makes faster depends on the JDK.
//           = exited; add_ns > 0
//           = exited; add_ns > 0
public class ThreeBodies {
    static int[] from, to;
    static int repetitions, rounds;
    static volatile long seen;

    public static void main(String[] args) {
        boolean inline = args.length == 0 || args[0].equals("inline");
        repetitions = args.length > 1 ? Integer.parseInt(args[1]) : 20_000;
        rounds = args.length > 2 ? Integer.parseInt(args[2]) : 8;
        from = new int[args.length > 3 ? Integer.parseInt(args[3]) : 1000];
        to = new int[from.length];
        for (int i = 0; i < from.length; i++) {
            from[i] = i * 7;
        }
        System.out.println("add_ns=" + (inline ? addInline(from, to) : best(() -> add(from, to))));
        System.out.println("odds_ns=" + (inline ? oddsInline(from) : best(() -> odds(from))));
        System.out.println("hash_ns=" + (inline ? hashInline(from) : best(() -> hash(from))));
    }

    // Each of the next three is called once, so OSR enters its innermost loop: the code under the clock is OSR's.
    static long addInline(int[] from, int[] to) {
        long best = Long.MAX_VALUE;
        for (int round = 0; round < rounds; round++) {
            long start = System.nanoTime();
            for (int repetition = 0; repetition < repetitions; repetition++) {
                for (int i = 0; i < from.length; i++) {
                    to[i] = from[i] + 1;
                }
                seen = to[0];
            }
            best = Math.min(best, (System.nanoTime() - start) / repetitions);
        }
        return best;
    }

    static long oddsInline(int[] from) {
        long best = Long.MAX_VALUE;
        for (int round = 0; round < rounds; round++) {
            long start = System.nanoTime();
            for (int repetition = 0; repetition < repetitions; repetition++) {
                long odds = 0;
                for (int i = 0; i < from.length; i++) {
                    if ((from[i] & 1) == 1) {
                        odds++;
                    }
                }
                seen = odds;
            }
            best = Math.min(best, (System.nanoTime() - start) / repetitions);
        }
        return best;
    }

    static long hashInline(int[] from) {
        long best = Long.MAX_VALUE;
        for (int round = 0; round < rounds; round++) {
            long start = System.nanoTime();
            for (int repetition = 0; repetition < repetitions; repetition++) {
                int hash = 1;
                for (int i = 0; i < from.length; i++) {
                    hash = 31 * hash + from[i];
                }
                seen = hash;
            }
            best = Math.min(best, (System.nanoTime() - start) / repetitions);
        }
        return best;
    }

    // Here the bodies are in methods that are called often, and get standard versions, entered at their top.
    interface Body {
        long once();
    }

    static long best(Body body) {
        long best = Long.MAX_VALUE;
        for (int round = 0; round < rounds; round++) {
            best = Math.min(best, round(body));
        }
        return best;
    }

    static long round(Body body) {
        long start = System.nanoTime();
        for (int repetition = 0; repetition < repetitions; repetition++) {
            seen = body.once();
        }
        return (System.nanoTime() - start) / repetitions;
    }

    static long add(int[] from, int[] to) {
        for (int i = 0; i < from.length; i++) {
            to[i] = from[i] + 1;
        }
        return to[0];
    }

    static long odds(int[] from) {
        long odds = 0;
        for (int i = 0; i < from.length; i++) {
            if ((from[i] & 1) == 1) {
                odds++;
            }
        }
        return odds;
    }

    static long hash(int[] from) {
        int hash = 1;
        for (int i = 0; i < from.length; i++) {
            hash = 31 * hash + from[i];
        }
        return hash;
    }
}
