// LockPrice: calls a method that takes and releases a lock, and the same method without a lock, over and over; once for
// objects that may be biased, once for objects that may not, since they have an identity hash code.
//
// QUESTION  What does a lock cost that nobody else wants: biased, and thin?
// RUN       mkdir -p classes && javac -d classes LockPrice.java
//           java "-XX:CompileCommand=dontinline,LockPrice.*Apart" -XX:+UseBiasedLocking \
//                -XX:BiasedLockingStartupDelay=0 -cp classes LockPrice
//           java "-XX:CompileCommand=dontinline,LockPrice.*Apart" -cp classes LockPrice
// ARGUMENTS passes over all objects (20000)
// NOTEBOOK  91-mark-words
// JDKS      8 11 17 as above (8 and 11 have biased locks without the flag); 21 25 28 without both flags
// EXPECT    plain_ns, a call without a lock, is the least. With biased locks fresh_ns is little more, and hashed_ns far
//           more; without them fresh_ns and hashed_ns are the same kind of lock.
//           = exited; fresh_ns < hashed_ns; plain_ns < hashed_ns
//           = exited; plain_ns < fresh_ns; plain_ns < hashed_ns

import java.util.Arrays;
import java.util.Locale;

public class LockPrice {
    static int counter;

    // Why a method that is kept out of its caller? Inlined into a loop, two neighbouring locks of the same object become
    // one (C2 merges them), and the loop takes fewer locks than it seems to. A call that is not inlined takes each.
    static void lockedApart(Object lock) {
        synchronized (lock) {
            counter++;
        }
    }

    static void plainApart(Object notLocked) {
        counter++;
    }

    static double lockedNs(Object[] locks, int passes) {
        long begin = System.nanoTime();
        for (int pass = 0; pass < passes; pass++) {
            for (Object lock : locks) {
                lockedApart(lock);
            }
        }
        return (System.nanoTime() - begin) / (double) passes / locks.length;
    }

    static double plainNs(Object[] locks, int passes) {
        long begin = System.nanoTime();
        for (int pass = 0; pass < passes; pass++) {
            for (Object lock : locks) {
                plainApart(lock);
            }
        }
        return (System.nanoTime() - begin) / (double) passes / locks.length;
    }

    // Why two classes? The bias belongs to an object, but whether objects may have one belongs to their class.
    static final class Fresh { }

    static final class Hashed { }

    public static void main(String[] args) {
        int passes = args.length > 0 ? Integer.parseInt(args[0]) : 20_000;
        Object[] fresh = new Object[1000];
        Object[] hashed = new Object[1000];
        Arrays.setAll(fresh, i -> new Fresh());
        Arrays.setAll(hashed, i -> new Hashed());

        // What does the identity hash code do to a lock? It lives in the mark word, where a bias has its thread.
        for (Object each : hashed) {
            System.identityHashCode(each);
        }

        // Why the quickest of five? Whatever else the machine does makes it slower, and nothing makes it quicker. The
        // first one runs before C2 is done, and does not count.
        double[] best = {Double.MAX_VALUE, Double.MAX_VALUE, Double.MAX_VALUE};
        for (int repetition = 0; repetition < 6; repetition++) {
            int part = passes / 5;
            double[] ns = {plainNs(fresh, part), lockedNs(fresh, part), lockedNs(hashed, part)};
            for (int i = 0; i < ns.length && repetition > 0; i++) {
                best[i] = Math.min(best[i], ns[i]);
            }
        }
        System.out.print(String.format(Locale.ROOT, "plain_ns=%.3f\nfresh_ns=%.3f\nhashed_ns=%.3f\n",
            best[0], best[1], best[2]));
    }
}
