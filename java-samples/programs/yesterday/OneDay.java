// OneDay: a day of a method: rounds of short calls with a rest after each one, and then one call that lasts for decades.
// Which code that call runs depends on what the short calls did, or on what they did on the day before.
//
// QUESTION  The same program with the same arguments: does it exit, and what has an earlier run to do with that?
// RUN       # with JDK 25 or later:
//           mkdir -p classes && javac -d classes OneDay.java
//           timeout -s KILL 3 java -XX:+UseSerialGC -cp classes OneDay
//           jar --create --file day.jar -C classes . && \
//             java -XX:+UseSerialGC -XX:AOTCacheOutput=busy.aot -cp day.jar OneDay 10000x10 10000x10
//           timeout -s KILL 3 java -XX:+UseSerialGC -XX:AOTCache=busy.aot -cp day.jar OneDay
// ARGUMENTS rounds as CALLSxLIMIT, then "forever" for the long call (1000x0 3000x0 3000x0 forever)
// NOTEBOOK  17-yesterdays-profile
// JDKS      8 11 17 21 25 28
// EXPECT    Without a cache it exits on each JDK. With the cache of the busy run, Serial and JDK 25 or later: HUNG.
//           = exited; /main returns/; no /odd sums/
//           = exited; /main returns/
//           = hung; no /odd sums/
public class OneDay {
    public static void main(String[] args) throws InterruptedException {
        String[] day = args.length > 0 ? args : new String[] {"1000x0", "3000x0", "3000x0", "forever"};
        for (String round : day) {
            if (round.equals("forever")) {
                Thread worker = new Thread(() -> System.out.println(oddSums(Integer.MAX_VALUE) + " odd sums"), "worker");
                worker.setDaemon(true);
                worker.start();
                Thread.sleep(300);
            } else {
                int calls = Integer.parseInt(round.split("x")[0]), limit = Integer.parseInt(round.split("x")[1]);
                for (int call = 0; call < calls; call++) {
                    oddSums(limit);
                }
                // Why a rest? The compilers have threads of their own. After 100 ms the code that these calls asked for
                // is there, and the next round runs in it. Without a rest, all the calls may be over before it is.
                Thread.sleep(100);
            }
        }
        System.out.println("main returns");
    }

    // How many pairs of numbers below the limit have an odd sum? C2 can count the iterations of both loops, so with Serial
    // or Parallel it leaves out their polls, if it compiles the loops at all. With a limit of 0 they are never entered.
    static long oddSums(int limit) {
        long sums = 0;
        for (int i = 0; i < limit; i++) {
            for (int j = 0; j < limit; j++) {
                if (((i + j) & 1) == 1) {
                    sums++;
                }
            }
        }
        return sums;
    }
}
