// Exercise 21-2. A program that copies an array, and AsyncGetCallTrace never sees it.
//
// Edit copy(), and nothing else, so that most samples have a stack and show copy(), on JDK 8 and JDK 17. It has to
// copy as before, but it may be slower.
//
// You try it with        lab.java("VisibleCopy.java", 17, log="async=ctimer,cstack=no,interval=1ms").stacks
// and have it judged by  lab.grade("21-2", "VisibleCopy.java")
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.Random;

public class VisibleCopy {
    static void copy(byte[] from, byte[] to) {
        System.arraycopy(from, 0, to, 0, from.length); // only this method is yours to change
    }

    // Calls copy() until that much CPU time was used, then checks the copy.
    public static void main(String[] args) {
        int ms = args.length > 0 ? Integer.parseInt(args[0]) : 1000;
        byte[] from = new byte[1 << 16];
        byte[] to = new byte[from.length];
        new Random(1).nextBytes(from);
        ThreadMXBean clock = ManagementFactory.getThreadMXBean();
        long until = clock.getCurrentThreadCpuTime() + ms * 1_000_000L;
        while (clock.getCurrentThreadCpuTime() < until) {
            for (int call = 0; call < 100; call++) {
                copy(from, to);
            }
        }
        System.out.println("same=" + Arrays.equals(from, to));
    }
}
