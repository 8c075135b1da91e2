// LockAgain: takes a thousand locks over and over from one thread, then a few from another thread that never had them.
// Biased locks make the first cheaper, since they need no atomic instruction, and the second many times as expensive.
//
// QUESTION  What does biased locking save, and who pays for it?
// RUN       mkdir -p classes && javac -d classes LockAgain.java
//           java -XX:+UseBiasedLocking -XX:BiasedLockingStartupDelay=0 -cp classes LockAgain
//           java -XX:-UseBiasedLocking -cp classes LockAgain
// ARGUMENTS rounds over all locks (20000)
// NOTEBOOK  06-biased-locking-pause, 91-mark-words
// JDKS      8 11 17; from 18 on there are no biased locks (JDK-8256425): 18 ignores both flags, 19 refuses them
// EXPECT    again_ns, one lock and unlock by the same thread: less with biased locks. other_us, the first lock by
//           another thread: far more with them.
//           = exited; again_ns > 0; other_us > 0
//           = exited; above.again_ns < again_ns; above.other_us > 2 * other_us

import java.util.Arrays;
import java.util.Locale;

public class LockAgain {
    static int counter;

    // Why a thousand locks, and not one? C2 merges two neighbouring synchronized blocks if both take the same object,
    // and then one lock serves many iterations. Whether two elements of an array are the same it cannot know.
    static void lockAll(Object[] locks) {
        for (Object lock : locks) {
            synchronized (lock) {
                counter++;
            }
        }
    }

    // And the first lock by another thread? A bias has to be taken away while its owner stands still: a stop of all
    // threads on 8 and 11, of the owner alone on 17 (JDK-8191890). At the 20th revocation HotSpot voids all biases of a
    // class at once (BiasedLockingBulkRebiasThreshold), so this class may supply a few locks only.
    static final class Few { }

    static final int FEW = 15;

    static double[] othersUs;

    static void lockEach(Object[] locks) {
        double[] us = new double[locks.length];
        for (int i = 0; i < locks.length; i++) {
            long begin = System.nanoTime();
            synchronized (locks[i]) {
                counter++;
            }
            us[i] = (System.nanoTime() - begin) / 1e3;
        }
        Arrays.sort(us);
        othersUs = us;
    }

    public static void main(String[] args) throws InterruptedException {
        int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 20_000;
        Object[] locks = new Object[1000];
        Arrays.setAll(locks, i -> new Object());

        // Why the quickest of five? Whatever else the machine does makes it slower, and nothing makes it quicker.
        double best = Double.MAX_VALUE;
        for (int repetition = 0; repetition < 6; repetition++) {
            long begin = System.nanoTime();
            for (int round = 0; round < rounds / 5; round++) {
                lockAll(locks);
            }
            double ns = (System.nanoTime() - begin) / (rounds / 5.0 * locks.length);
            best = repetition == 0 ? best : Math.min(best, ns);
        }
        System.out.print(String.format(Locale.ROOT, "again_ns=%.3f\n", best));

        // Why does the other thread first lock some of its own? So that its code has run before: what it costs to run
        // code for the first time is not asked.
        Object[] own = new Object[FEW];
        Object[] few = new Object[FEW];
        Arrays.setAll(own, i -> new Few());
        Arrays.setAll(few, i -> new Few());
        lockAll(few);
        Thread other = new Thread(() -> {
            lockEach(own);
            lockEach(few);
        }, "other");
        other.start();
        other.join();
        System.out.print(String.format(Locale.ROOT, "other_us=%.3f\n", othersUs[othersUs.length / 2]));
    }
}
