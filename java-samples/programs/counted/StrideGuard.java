// StrideGuard: a loop with a step of two has no poll, until one single call has a limit that the step could miss.
// The same source, the same arguments before and after: what changed is what C2 may assume.
//
// QUESTION  A step of two could jump over a limit of MAX_VALUE. Why does C2 count such a loop all the same?
// RUN       mkdir -p classes && javac -d classes StrideGuard.java
//           java -XX:+UseSerialGC -Xbatch -cp classes StrideGuard
// ARGUMENTS iterations of the two long calls (100000000)
// NOTEBOOK  05-counted-or-uncounted
// JDKS      8 11 17 21 25 28
// EXPECT    Two lines as LoopShapes prints them: `before` is unpolled, `after` is polled. With G1 from 11 on both are.
//           = exited; /^before .* unpolled$/; /^after .* polled$/
public class StrideGuard {
    static volatile boolean started;
    static volatile double result;

    public static void main(String[] args) throws InterruptedException {
        int iterations = args.length > 0 ? Integer.parseInt(args[0]) : 100_000_000;

        // Many short calls give the method its standard C2 version. C2 does not know the limit, so it cannot know
        // whether i += 2 ever steps over MAX_VALUE. It bets that it does not: it checks the limit once, before the
        // loop, and counts the loop behind the check (a loop limit check).
        warmUp();
        ask("before", iterations);

        // What if the bet is lost? From an odd start the index meets MAX_VALUE, which is odd, and the loop ends after
        // 2,000 iterations. But the limit is one that a step of two may jump over, so the check fails: the thread
        // leaves the compiled code, which is thrown away.
        result = roots(Integer.MAX_VALUE - 4_000, Integer.MAX_VALUE);

        // C2 compiles the method again, and does not make the same bet twice: this version has no check, so C2 cannot
        // count the loop, and so the poll stays in it.
        warmUp();
        ask("after", iterations);
    }

    static void warmUp() throws InterruptedException {
        for (int call = 0; call < 40_000; call++) {
            result = roots(1, 201);
        }
        Thread.sleep(100);
    }

    static double roots(int start, int limit) {
        double x = 1;
        for (int i = start; i < limit; i += 2) x = Math.sqrt(x + i);
        return x;
    }

    // As in LoopShapes: a stop requested while the loop runs is granted at the loop's next poll, or at its end.
    static void ask(String when, int iterations) throws InterruptedException {
        started = false;
        Thread loop = new Thread(() -> {
            started = true;
            result = roots(1, 1 + 2 * iterations);
        }, when);
        loop.setDaemon(true);
        loop.start();
        while (!started) {
            Thread.sleep(1);
        }
        Thread.sleep(20);
        boolean tooShort = !loop.isAlive();
        long asked = System.nanoTime();
        System.gc();
        long granted = System.nanoTime();
        loop.join();
        long ended = System.nanoTime();
        String verdict = tooShort ? "too short" : ended - granted > granted - asked ? "polled" : "unpolled";
        System.out.printf("%-20s %5d ms  %s%n", when, (granted - asked) / 1_000_000, verdict);
    }
}
