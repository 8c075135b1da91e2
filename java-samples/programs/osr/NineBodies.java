// NineBodies: nine small loops over an array, each in a home-made harness itself and in a method of its own.
// Code made by OSR is "mostly worse", it was said. Nine bodies can say "mostly"; one or three cannot.
//
// QUESTION  Is a loop slower when OSR enters it in its middle?
// RUN       mkdir -p classes && javac -d classes NineBodies.java
//           java -XX:+UseSerialGC -cp classes NineBodies inline
//           java -XX:+UseSerialGC -cp classes NineBodies method
// ARGUMENTS inline | method (inline), repetitions a round (20000), rounds (8), ints in an array (1000)
// NOTEBOOK  04-osr-vs-xcomp
// JDKS      8 11 17 21 25 27
// EXPECT    The best round's ns for 1000 ints, for each body. Which of them `method` makes faster depends on the JDK.
//           = exited; add_ns > 0; find_ns > 0
//           = exited; add_ns > 0; find_ns > 0
public class NineBodies {
    static int[] from, to, tallies = new int[256];
    static double[] reals;
    static int absent = -1; // in no array here
    static int repetitions, rounds;
    static volatile long seen;

    public static void main(String[] args) {
        boolean inline = args.length == 0 || args[0].equals("inline");
        repetitions = args.length > 1 ? Integer.parseInt(args[1]) : 20_000;
        rounds = args.length > 2 ? Integer.parseInt(args[2]) : 8;
        from = new int[args.length > 3 ? Integer.parseInt(args[3]) : 1000];
        to = new int[from.length];
        reals = new double[from.length];
        for (int i = 0; i < from.length; i++) {
            from[i] = i * 7 % 1009; // no order: a branch on it goes now this way, now that
            reals[i] = i / 3.0;
        }
        System.out.println("add_ns=" + (inline ? addInline(from, to) : best(() -> add(from, to))));
        System.out.println("odds_ns=" + (inline ? oddsInline(from, to) : best(() -> odds(from, to))));
        System.out.println("hash_ns=" + (inline ? hashInline(from, to) : best(() -> hash(from, to))));
        System.out.println("reverse_ns=" + (inline ? reverseInline(from, to) : best(() -> reverse(from, to))));
        System.out.println("max_ns=" + (inline ? maxInline(from, to) : best(() -> max(from, to))));
        System.out.println("prefix_ns=" + (inline ? prefixInline(from, to) : best(() -> prefix(from, to))));
        System.out.println("dot_ns=" + (inline ? dotInline(from, to) : best(() -> dot(from, to))));
        System.out.println("tally_ns=" + (inline ? tallyInline(from, to) : best(() -> tally(from, to))));
        System.out.println("find_ns=" + (inline ? findInline(from, to) : best(() -> find(from, to))));
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

    static long odds(int[] from, int[] to) {
        long odds = 0;
        for (int i = 0; i < from.length; i++) {
            if ((from[i] & 1) == 1) {
                odds++;
            }
        }
        return odds;
    }

    static long hash(int[] from, int[] to) {
        int hash = 1;
        for (int i = 0; i < from.length; i++) {
            hash = 31 * hash + from[i];
        }
        return hash;
    }

    static long reverse(int[] from, int[] to) {
        for (int i = 0; i < from.length; i++) {
            to[to.length - 1 - i] = from[i];
        }
        return to[0];
    }

    static long max(int[] from, int[] to) {
        int max = Integer.MIN_VALUE;
        for (int i = 0; i < from.length; i++) {
            if (from[i] > max) {
                max = from[i];
            }
        }
        return max;
    }

    static long prefix(int[] from, int[] to) {
        int sum = 0;
        for (int i = 0; i < from.length; i++) {
            sum += from[i];
            to[i] = sum;
        }
        return sum;
    }

    static long dot(int[] from, int[] to) {
        double sum = 0;
        for (int i = 0; i < from.length; i++) {
            sum += reals[i] * from[i];
        }
        return (long) sum;
    }

    static long tally(int[] from, int[] to) {
        for (int i = 0; i < from.length; i++) {
            tallies[from[i] & 255]++;
        }
        return tallies[0];
    }

    static long find(int[] from, int[] to) {
        int place = -1;
        for (int i = 0; i < from.length; i++) {
            if (from[i] == absent) {
                place = i;
                break;
            }
        }
        return place;
    }

    // And here are the same bodies in the harness itself. Each of these methods is called once, so OSR enters its
    // innermost loop, and the code under the clock is OSR's.
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

    static long oddsInline(int[] from, int[] to) {
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

    static long hashInline(int[] from, int[] to) {
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

    static long reverseInline(int[] from, int[] to) {
        long best = Long.MAX_VALUE;
        for (int round = 0; round < rounds; round++) {
            long start = System.nanoTime();
            for (int repetition = 0; repetition < repetitions; repetition++) {
                for (int i = 0; i < from.length; i++) {
                    to[to.length - 1 - i] = from[i];
                }
                seen = to[0];
            }
            best = Math.min(best, (System.nanoTime() - start) / repetitions);
        }
        return best;
    }

    static long maxInline(int[] from, int[] to) {
        long best = Long.MAX_VALUE;
        for (int round = 0; round < rounds; round++) {
            long start = System.nanoTime();
            for (int repetition = 0; repetition < repetitions; repetition++) {
                int max = Integer.MIN_VALUE;
                for (int i = 0; i < from.length; i++) {
                    if (from[i] > max) {
                        max = from[i];
                    }
                }
                seen = max;
            }
            best = Math.min(best, (System.nanoTime() - start) / repetitions);
        }
        return best;
    }

    static long prefixInline(int[] from, int[] to) {
        long best = Long.MAX_VALUE;
        for (int round = 0; round < rounds; round++) {
            long start = System.nanoTime();
            for (int repetition = 0; repetition < repetitions; repetition++) {
                int sum = 0;
                for (int i = 0; i < from.length; i++) {
                    sum += from[i];
                    to[i] = sum;
                }
                seen = sum;
            }
            best = Math.min(best, (System.nanoTime() - start) / repetitions);
        }
        return best;
    }

    static long dotInline(int[] from, int[] to) {
        long best = Long.MAX_VALUE;
        for (int round = 0; round < rounds; round++) {
            long start = System.nanoTime();
            for (int repetition = 0; repetition < repetitions; repetition++) {
                double sum = 0;
                for (int i = 0; i < from.length; i++) {
                    sum += reals[i] * from[i];
                }
                seen = (long) sum;
            }
            best = Math.min(best, (System.nanoTime() - start) / repetitions);
        }
        return best;
    }

    static long tallyInline(int[] from, int[] to) {
        long best = Long.MAX_VALUE;
        for (int round = 0; round < rounds; round++) {
            long start = System.nanoTime();
            for (int repetition = 0; repetition < repetitions; repetition++) {
                for (int i = 0; i < from.length; i++) {
                    tallies[from[i] & 255]++;
                }
                seen = tallies[0];
            }
            best = Math.min(best, (System.nanoTime() - start) / repetitions);
        }
        return best;
    }

    static long findInline(int[] from, int[] to) {
        long best = Long.MAX_VALUE;
        for (int round = 0; round < rounds; round++) {
            long start = System.nanoTime();
            for (int repetition = 0; repetition < repetitions; repetition++) {
                int place = -1;
                for (int i = 0; i < from.length; i++) {
                    if (from[i] == absent) {
                        place = i;
                        break;
                    }
                }
                seen = place;
            }
            best = Math.min(best, (System.nanoTime() - start) / repetitions);
        }
        return best;
    }
}
