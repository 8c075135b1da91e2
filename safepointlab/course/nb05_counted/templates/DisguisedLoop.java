// Exercise 05-2. A loop that looks as if nobody could count its iterations, and nobody can: it polls.
//
// Edit disguised(), and nothing else, so that the thread can no longer be stopped in mid-loop: with Serial, on JDK 8, on
// 17 and on the newest one here. `while (true)` has to stay its only loop.
//
// You try it with        print(lab.java("DisguisedLoop.java", 17, "-Xbatch", gc="Serial").output)
// and have it judged by  lab.grade("05-2", "DisguisedLoop.java")
public class DisguisedLoop {
    static volatile boolean started;
    static volatile double result;

    // A chain of square roots, one for each iteration: `turns` of them. Only this method is yours to change.
    static double disguised(int turns) {
        double x = 1;
        int left = 0;
        int right = 2 * turns;
        while (true) {
            if (left >= right) {
                return x;
            }
            x = Math.sqrt(x + left);
            left++;
            right--;
        }
    }

    // From here on it is as in LoopShapes: short calls for C2, then a long one, and a request for a stop meanwhile.
    public static void main(String[] args) throws InterruptedException {
        int turns = args.length > 0 ? Integer.parseInt(args[0]) : 60_000_000;
        for (int call = 0; call < 20_000; call++) {
            result = disguised(100);
        }
        Thread.sleep(100);
        Thread loop = new Thread(() -> {
            started = true;
            result = disguised(turns);
        }, "disguised");
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
        System.out.printf("%-20s %5d ms  %s%n", "disguised", (granted - asked) / 1_000_000, verdict);
        System.out.println("root " + disguised(1000));
    }
}

