// KnownAnswer: four ways to call one hot loop. We know where the time goes; which method does a profiler blame?
// All of it is in sum(), or in its twin sumApart(). Everything else takes a few nanoseconds a pass.
//
// QUESTION  Which method, and which line, does your profiler call hot?
// RUN       safepoint run blame/KnownAnswer --jdk 8 --gc Serial --args "500 dumps" \
//           --flags "-XX:CompileCommand=dontinline,*::*Apart"
//           safepoint run blame/KnownAnswer --jdk 17 --gc G1 --args "500 dumps" \
//           --flags "-XX:CompileCommand=dontinline,*::*Apart"
// ARGUMENTS ms for each case (500), `dumps`: take thread dumps of itself and count them, bytes that a pass
//           sums (50000), `uncounted`: this case in place of the four
// NOTEBOOK  20-safepoint-bias
// JDKS      8 11 17 21 25 28
// EXPECT    `blamed <case> <method> <line> <times>`. Thread dumps never name sum() or sumApart() with Serial: their
//           loop has no poll. With G1 from 11 on they nearly always do: strip mining gives the loop one.
//           = exited; /^blamed inlined drive/; no /^blamed \w+ sum/
//           = exited; /^blamed inlined sum /; /^blamed notInlined sumApart /
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

public class KnownAnswer {
    static byte[] data; // short at first, so that the callers get hot, too, and are compiled; then long
    // Three listeners in a list. No one knows how long a list is without walking it, and that will matter.
    static Listener listeners = listOf(3);
    static Listener chain; // as long as data, for the case `uncounted`
    static volatile boolean running;
    static volatile int result;

    // THE HOT LOOP. All the time is spent here, so a profiler that is right says sum(), and this multiplication. Where
    // can a thread dump see the thread? Only where it stops for a safepoint: at a poll. The loop is counted, so C2
    // leaves out its poll. G1 brings one back since 10, ZGC and Shenandoah as well: strip mining polls every 1,000
    // iterations (JDK-8186027).
    static int sum(byte[] data) {
        int hash = 0;
        for (int i = 0; i < data.length; i++) {
            hash = 31 * hash + data[i]; // each step needs the one before: nothing here for vectors
        }
        return hash;
    }

    // The same again, under a name that a CompileCommand can keep out of its callers. Why does that matter? A method
    // that is called polls when it returns; an inlined one has no return of its own, and so no return poll.
    static int sumApart(byte[] data) {
        int hash = 0;
        for (int i = 0; i < data.length; i++) {
            hash = 31 * hash + data[i];
        }
        return hash;
    }

    // Is it any loop that is missed? No: only those without a poll. Nobody knows a list's length, so this loop is not
    // counted, C2 keeps a poll in each iteration, and a dump finds the thread here.
    static int sumList(Listener first) {
        int hash = 0;
        for (Listener each = first; each != null; each = each.next) {
            hash = 31 * hash + each.seen;
        }
        return hash;
    }

    static void uncounted() {
        result = sumList(chain);
    }

    // All cases are called from here, pass by pass. Does this loop have a poll? It does not need one: it makes a call
    // that C2 does not inline, as four classes come by here, and what is called polls when it returns.
    static void drive(Runnable task) {
        while (running) {
            task.run();
        }
    }

    // Where is the next poll after the hot loop? sum() is inlined here, and so has no return poll. The next one is
    // where this code returns to drive(). The frame is gone by then, so drive() is on top of the dump, at the line of
    // its call.
    static void inlined() {
        result = sum(data);
    }

    // Here it is where sumApart() returns, and again its frame is gone: the line that called it is on top. Nearly
    // right, one would say; but a call that takes no time would be blamed in the same way.
    static void notInlined() {
        result = sumApart(data);
    }

    // Here it is in the setter. C2 cannot know how long a list is, so the setter's short loop is not counted and keeps
    // its poll. It is the first one after the hot loop: a method that takes a few nanoseconds gets all the blame.
    static void innocentSetter() {
        setResult(sum(data));
    }

    static void setResult(int value) {
        for (Listener each = listeners; each != null; each = each.next) {
            each.seen = value;
        }
    }

    // The same setter, nine calls away. Is a caller in between blamed? The CompileCommand keeps the sixth method out of
    // the fifth, so it has a return poll; but level9() comes before that return, and its loop has the first poll.
    // (Without the flag the dumps say the same.)
    //
    // A profiler that samples between polls can err here in another way. JFR without -XX:+DebugNonSafepoints takes the
    // next place that C2's table of the code knows: the call in level5(), which does nothing else.
    static void farAway() {
        level1(sum(data));
    }

    static void level1(int value) { level2(value); }
    static void level2(int value) { level3(value); }
    static void level3(int value) { level4(value); }
    static void level4(int value) { level5(value); }
    static void level5(int value) { level6Apart(value); }
    static void level6Apart(int value) { level7(value); }
    static void level7(int value) { level8(value); }
    static void level8(int value) { level9(value); }

    static void level9(int value) {
        for (Listener each = listeners; each != null; each = each.next) {
            each.seen = value;
        }
    }

    static final class Listener {
        final Listener next;
        int seen;

        Listener(Listener next) {
            this.next = next;
        }
    }

    static Listener listOf(int size) {
        Listener first = null;
        for (int i = 0; i < size; i++) {
            first = new Listener(first);
        }
        return first;
    }

    // Why a new thread for each case? It is named by the case, so that every profiler's samples can be told apart.
    static void run(String name, Runnable task, int size, long millis) throws InterruptedException {
        data = new byte[size];
        chain = listOf(size);
        running = true;
        Thread worker = new Thread(() -> drive(task), name);
        worker.start();
        Thread.sleep(millis);
        running = false;
        worker.join();
    }

    // A profiler in ten lines: it takes all stacks every 10 ms, and counts which method and line are on top of the
    // worker's. What is wrong with it? Each look is a safepoint (ThreadDump), and the VM thread walks the stacks when
    // all threads have stopped. So it never sees where the worker was when the timer went off, only where its next poll
    // is.
    static void look(String name, Map<String, Integer> seen) {
        try {
            while (true) {
                Thread.sleep(10);
                Thread.getAllStackTraces().forEach((thread, stack) -> {
                    if (thread.getName().equals(name) && stack.length > 0) {
                        seen.merge(stack[0].getMethodName() + " " + stack[0].getLineNumber(), 1, Integer::sum);
                    }
                });
            }
        } catch (InterruptedException end) {
            seen.forEach((place, times) -> System.out.println("blamed " + name + " " + place + " " + times));
        }
    }

    public static void main(String[] args) throws InterruptedException {
        long millis = args.length > 0 ? Long.parseLong(args[0]) : 500;
        boolean dumps = args.length > 1;
        int size = args.length > 2 ? Integer.parseInt(args[2]) : 50_000;
        Map<String, Runnable> cases = new LinkedHashMap<>();
        if (args.length > 3) {
            cases.put("uncounted", KnownAnswer::uncounted);
        } else {
            cases.put("inlined", KnownAnswer::inlined);
            cases.put("notInlined", KnownAnswer::notInlined);
            cases.put("innocentSetter", KnownAnswer::innocentSetter);
            cases.put("farAway", KnownAnswer::farAway);
        }

        // Why short arrays first? C2 inlines what was called often. With long ones each method would be called a few
        // times only, and the loop would run in OSR code.
        for (int round = 0; round < 3; round++) {
            for (Runnable task : cases.values()) {
                run("warm-up", task, 2_000, 60);
            }
        }

        // Without dumps the program leaves the looking to others: JFR, async-profiler (notebook 20).
        for (Map.Entry<String, Runnable> each : cases.entrySet()) {
            Thread sampler = new Thread(() -> look(each.getKey(), new TreeMap<>()), "sampler");
            if (dumps) {
                sampler.start();
            }
            run(each.getKey(), each.getValue(), size, millis);
            sampler.interrupt();
            sampler.join();
        }
    }

    // What makes the dumps right? -XX:+UseCountedLoopSafepoints (from 8u92), or G1 from 10 on: both put a poll into the
    // hot loop. What does not: more dumps. Every one of them is taken at the same poll.
}
