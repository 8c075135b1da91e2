// Exercise 16-2. Get the stack of another thread without stopping any other: on JDK 17, getStackTrace() stops them all.
//
// Edit work and stackOf, and nothing else, so that `main` gets the stack of the thread `other` while `other` is working,
// and the JVM stops no thread for it. No method of JDK 17 can do that, so let `other` check now and then whether its
// stack is wanted.
//
// Try it with  lab.java("OwnHandshake.java", 17, gc="Serial", args=[7], log="safepoint", deadline=10).output
// and then     lab.grade("16-2", "OwnHandshake.java")
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

    // From here on it's yours to change. You may add fields.
    static void work() {
        while (true) {
            sum++;
        }
    }

    static StackTraceElement[] stackOf(Thread other) throws InterruptedException {
        return other.getStackTrace();
    }
}
