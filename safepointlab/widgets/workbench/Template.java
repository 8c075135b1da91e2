// Template: change a line, save the file, press Run.
public class Template {
    public static void main(String[] args) throws InterruptedException {
        for (int call = 0; call < 200_000; call++) {
            sum(10); // warm up, like any server: without this the one long call would run other code
        }
        Thread worker = new Thread(() -> System.out.println("sum=" + sum(Integer.MAX_VALUE)), "worker");
        worker.setDaemon(true);
        worker.start();
        Thread.sleep(500);
        System.gc(); // to collect, the JVM first has to stop the worker: how long does it take to reach a poll?
        System.out.println("main returns");
    }

    // A counted loop: an int index, a fixed step, a limit that doesn't change. What happens with a long index?
    static long sum(int limit) {
        long sum = 0;
        for (int i = 0; i < limit; i++) {
            sum += i % 7;
        }
        return sum;
    }
}
