// KnownAnswer: four ways to call one hot loop. We know where the time goes; whom does a profiler blame?
// All of it is in sum(), or in its twin sumApart(). Everything else takes a few nanoseconds, once a pass.
//
// QUESTION  Which method, and which line, does your profiler call hot?
// RUN       safepoint run blame/KnownAnswer --jdk 8 --gc Serial --flags "-XX:CompileCommand=dontinline,*::*Apart" --args "500 dumps"
// NOTEBOOK  20-safepoint-bias
// JDKS      8 11 17 21 25 28
// EXPECT    thread dumps: never sum() with Serial, nearly always sum() with G1 from 11 on.
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

public class KnownAnswer {
    static byte[] data; // short at first, so that the callers get hot, too, and are compiled; then long
    static Listener listeners = new Listener(new Listener(new Listener(null)));
    static volatile boolean running;
    static volatile int result;

    // THE HOT LOOP. Counted, so that C2 leaves out its poll, unless strip mining brings it back.
    static int sum(byte[] data) {
        int hash = 0;
        for (int i = 0; i < data.length; i++) {
            hash = 31 * hash + data[i]; // each step needs the one before: nothing here for vectors
        }
        return hash;
    }

    // The same again, under a name that a CompileCommand can keep out of its callers.
    static int sumApart(byte[] data) {
        int hash = 0;
        for (int i = 0; i < data.length; i++) {
            hash = 31 * hash + data[i];
        }
        return hash;
    }

    // All cases are called from here, pass by pass.
    static void drive(Runnable task) {
        while (running) {
            task.run();
        }
    }

    // Where is the next poll after the hot loop? Where inlined() returns: its frame is gone by then, so drive() is seen.
    static void inlined() {
        result = sum(data);
    }

    // Here it is where sumApart() returns. What is seen of it is the line that called it.
    static void notInlined() {
        result = sumApart(data);
    }

    // Here it is in the setter: C2 can't know how long a list is, so this short loop keeps its poll.
    static void innocentSetter() {
        setResult(sum(data));
    }

    static void setResult(int value) {
        for (Listener each = listeners; each != null; each = each.next) {
            each.seen = value;
        }
    }

    // The same setter, nine calls away. The sixth can't be inlined, so it has a poll of its own, but only where it returns.
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

    // The thread is named by its case, so that every profiler's samples can be told apart.
    static void run(String name, Runnable task, int size, long millis) throws InterruptedException {
        data = new byte[size];
        running = true;
        Thread worker = new Thread(() -> drive(task), name);
        worker.start();
        Thread.sleep(millis);
        running = false;
        worker.join();
    }

    // A profiler in ten lines: all stacks every 10 ms, and who is on top of the worker's. Each look is a safepoint.
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
        Map<String, Runnable> cases = new LinkedHashMap<>();
        cases.put("inlined", KnownAnswer::inlined);
        cases.put("notInlined", KnownAnswer::notInlined);
        cases.put("innocentSetter", KnownAnswer::innocentSetter);
        cases.put("farAway", KnownAnswer::farAway);
        for (int round = 0; round < 3; round++) {
            for (Runnable task : cases.values()) {
                run("warm-up", task, 2_000, 60);
            }
        }
        for (Map.Entry<String, Runnable> each : cases.entrySet()) {
            Thread sampler = new Thread(() -> look(each.getKey(), new TreeMap<>()), "sampler");
            if (dumps) {
                sampler.start();
            }
            run(each.getKey(), each.getValue(), 50_000, millis);
            sampler.interrupt();
            sampler.join();
        }
    }
}
