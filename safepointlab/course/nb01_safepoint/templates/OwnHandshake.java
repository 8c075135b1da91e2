// Exercise 01-2. The stack of another thread, without stopping anybody else: on JDK 17 getStackTrace() stops all.
//
// Edit work and stackOf, and nothing else, so that `main` gets the stack of the thread `other` while it works, and the
// JVM stops nobody for it. No method of the JDK does that on 17: let `other` look now and then whether it is asked.
//
// You try it with        lab.java("OwnHandshake.java", 17, gc="Serial", args=[7], log="safepoint", deadline=10).output
// and have it judged by  lab.check("01-2", "OwnHandshake.java")
import java.util.Arrays;

public class OwnHandshake {
    static volatile int sum;

    public static void main(String[] args) throws InterruptedException {
        int depth = args.length > 0 ? Integer.parseInt(args[0]) : 7;
        Thread other = new Thread(() -> goDown(depth), "other");
        other.setDaemon(true);
        other.start();
        Thread.sleep(300);
        StackTraceElement[] stack = stackOf(other);
        long deep = Arrays.stream(stack).filter(frame -> frame.getMethodName().equals("goDown")).count();
        System.out.println(deep + " frames of goDown");
        int before = sum;
        Thread.sleep(50);
        System.out.println(sum != before ? "other works on" : "other has stopped working");
    }

    static void goDown(int depth) {
        if (depth > 1) {
            goDown(depth - 1);
        } else {
            work();
        }
    }

    // From here on it is yours to change; fields are welcome, too.
    static void work() {
        while (true) {
            sum++;
        }
    }

    static StackTraceElement[] stackOf(Thread other) throws InterruptedException {
        return other.getStackTrace();
    }
}
