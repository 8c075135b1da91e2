// Exercise 06-2. ByteSummer in short: main adds up bytes in a long call while the JVM switches biased locking on.
//
// Edit sum(), and nothing else, so that the switch doesn't have to wait for its end, with the Parallel collector and
// without a flag that gives the loop a poll, on JDK 8 and on JDK 17. It has to return the same sum as before.
//
// Try it with  run = lab.java("PolledSummer.java", 8, gc="Parallel", log="safepoint", deadline=10,
//                             flags="-XX:+UseBiasedLocking -XX:BiasedLockingStartupDelay=1000")
// look at      run.safepoints.query("operation == 'EnableBiasedLocking'")
// and then     lab.grade("06-2", "PolledSummer.java")
public class PolledSummer {
    // The sum of all bytes, added up so many times. Only this method is yours to change.
    static long sum(byte[] bytes, int passes) {
        long sum = 0;
        for (int pass = 0; pass < passes; pass++) {
            for (int i = 0; i < bytes.length; i++) {
                sum += bytes[i];
            }
        }
        return sum;
    }

    public static void main(String[] args) {
        byte[] bytes = new byte[32 * 1024];
        long once = 0;
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (i % 100);
            once += bytes[i];
        }

        // Short calls until the JVM is 0.7 s old: they make C2 compile sum(), and tell how long a pass takes.
        long passes = 0;
        long begin = System.nanoTime();
        while (uptimeMs() < 700 || passes == 0) {
            sum(bytes, 200);
            passes += 200;
        }
        int many = (int) Math.min(Integer.MAX_VALUE, passes * 900_000_000L / (System.nanoTime() - begin));

        // One long call, of 0.9 s or less: the switch comes when the JVM is 1.0 s old.
        System.out.println("begins_ms=" + uptimeMs());
        long sum = sum(bytes, many);
        System.out.println("ends_ms=" + uptimeMs());
        System.out.println("right=" + (sum == once * many ? 1 : 0));
    }

    static long uptimeMs() {
        return java.lang.management.ManagementFactory.getRuntimeMXBean().getUptime();
    }
}
