// Polls: six tiny methods whose compiled code is short enough to read and to find where a thread checks whether it has
// to stop: at the end of an iteration ({poll} in the listing), where a method returns ({poll_return}), or nowhere.
//
// QUESTION  Where are the polls?
// RUN       mkdir -p classes && javac -d classes Polls.java
//           java -XX:+UnlockDiagnosticVMOptions -Xbatch -XX:CompileCommand=print,Polls::* \
//           -XX:CompileCommand=dontinline,Polls::apart -cp classes Polls
// ARGUMENTS calls of each method (20000), iterations of a loop at each call (100)
// NOTEBOOK  01-what-is-a-safepoint
// JDKS      8 11 17 21 25 28 (8 and 11 print only with the disassembler hsdis); -Xbatch waits for each compilation
// EXPECT    C2: untilFound has a {poll}; byLong has, but for 28 with Serial or Parallel; byInt has with G1 from 11 on.
//           A {poll_return} stands once in each method, in calls and inlines, too. C1: every loop has its {poll}.
//           = exited; /\{poll\}/ at least 5 times; /\{poll_return\}/ at least 12 times

public class Polls {
    // A counted loop: an int index, a fixed step, a limit that does not change. C2 knows the number of iterations
    // before the first one, takes the loop for a short one, and leaves the poll out: a poll is in the way of unrolling
    // and of vectors. With G1, ZGC and Shenandoah it polls every 1,000 iterations since 10, in a loop around one
    // without polls (strip mining, JDK-8186027).
    static int byInt(int limit) {
        int hash = 0;
        for (int i = 0; i < limit; i++) {
            hash = 31 * hash + i;
        }
        return hash;
    }

    // The same with a long: not "counted" up to 15, so it polls. Since 16 (JDK-8223051) it becomes a loop around int
    // loops, and only the outer one polls. 28 makes one loop of it, without the outer one and its poll, where it has
    // seen few iterations, as here (JDK-8342692).
    static int byLong(long limit) {
        int hash = 0;
        for (long i = 0; i < limit; i++) {
            hash = 31 * hash + (int) i;
        }
        return hash;
    }

    // Who could count these iterations? Nobody without doing them: the result of one decides whether there is another.
    // This loop polls, whatever the compiler or the collector.
    static int untilFound(int sought) {
        int hash = 1;
        while (hash != sought) {
            hash = 31 * hash + 1;
        }
        return hash;
    }

    // No loop at all: is there a poll? One, at the return. Otherwise recursion, or a long chain of calls, could run for
    // seconds without one. From 17 on it is a single compare with the stack pointer, which also tells whether the
    // caller's frame is ready for a concurrent collector (JEP 376, JDK 16).
    static int apart(int number) {
        return 31 * number + 1;
    }

    // Called, not inlined: two frames, two returns, two polls, one of them in the listing of apart().
    static int calls(int number) {
        return apart(number) + 1;
    }

    static int within(int number) {
        return 31 * number + 2;
    }

    // Called and inlined: the callee's return is gone, and its poll with it. Only the return poll of inlines() is left.
    // That is why -XX:CompileCommand=dontinline can make a loop stoppable: it keeps a return in the loop.
    static int inlines(int number) {
        return within(number) + 1;
    }

    public static void main(String[] args) {
        int times = args.length > 0 ? Integer.parseInt(args[0]) : 20_000;
        int turns = args.length > 1 ? Integer.parseInt(args[1]) : 100;
        int sought = 1;
        for (int i = 0; i < turns; i++) {
            sought = 31 * sought + 1;
        }

        // Why so often? C1 compiles a method after a few hundred calls, C2 after a few thousand, and the iterations of
        // its loops count as well. Why the sum? Without it C2 could find that nobody reads the results, and drop the
        // calls.
        long sum = 0;
        for (int i = 0; i < times; i++) {
            sum += byInt(turns) + byLong(turns) + untilFound(sought) + calls(i) + inlines(i);
        }
        System.out.println(sum);
    }
}
