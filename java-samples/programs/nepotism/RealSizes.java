// RealSizes: a library's linked queue always has 1,000 or 1,001 elements. One thread offers and polls, another one asks
// for size() over and over: what the library answers while its nodes are polled under the feet of the one who counts.
//
// QUESTION  How far off is size() of a queue that is cured of nepotism?
// RUN       mkdir -p classes && javac -d classes RealSizes.java
//           java -Xmx256m -cp classes RealSizes
//           java -Xmx256m -cp classes:jctools-core-4.0.5.jar RealSizes \
//           org.jctools.queues.atomic.MpscLinkedAtomicQueue
//           java -Xmx256m -cp classes:agrona-1.22.0.jar RealSizes org.agrona.concurrent.ManyToOneConcurrentLinkedQueue
// ARGUMENTS queue class (java.util.concurrent.ConcurrentLinkedQueue), elements that stay in the queue (1000), time to
//           go on asking in ms (500)
// NOTEBOOK  07-nepotism
// JDKS      8 11 17 21 25 28
// EXPECT    ConcurrentLinkedQueue, which starts again when it fell off: never too low. JCTools 4 points a dead node at
//           itself and returns what it has counted so far; Agrona cuts the link: both are too low at times, often far.
//           = exited; lowest >= 1000
//           = exited; lowest < 1000
//           = exited; lowest < 1000

import java.util.Arrays;
import java.util.Queue;

public class RealSizes {
    static volatile boolean done;

    // Why by name? So that this file compiles without any library. One thread alone offers and polls, which every queue
    // allows; the one who counts only reads.
    @SuppressWarnings("unchecked")
    static Queue<Object> make(String name) throws ReflectiveOperationException {
        return (Queue<Object>) Class.forName(name).getConstructor().newInstance();
    }

    public static void main(String[] args) throws ReflectiveOperationException, InterruptedException {
        Queue<Object> queue = make(args.length > 0 ? args[0] : "java.util.concurrent.ConcurrentLinkedQueue");
        int elements = args.length > 1 ? Integer.parseInt(args[1]) : 1000;
        long span = (args.length > 2 ? Long.parseLong(args[2]) : 500) * 1_000_000;
        for (int i = 0; i < elements; i++) {
            queue.offer(queue);
        }
        Thread changer = new Thread(() -> {
            while (!done) {
                queue.offer(queue);
                queue.poll();
            }
        }, "changer");
        changer.start();

        // What is right? 1000, and 1001 between offer and poll. size() has to find each node before it can go to the
        // next; if that one is polled meanwhile, its link leads nowhere, or back to itself, and the library decides:
        // begin again (java.util.concurrent), or answer with what it has (JCTools, Agrona).
        int[] sizes = new int[5_000_000];
        int asked = 0;
        for (long begin = System.nanoTime(); asked < sizes.length && System.nanoTime() - begin < span; asked++) {
            sizes[asked] = queue.size();
        }
        done = true;
        changer.join();

        // How much is too low? A count of 0 for a queue of 1,000 says "empty", and half is useless for a decision too.
        // Most uses can do with one that is off by a few; far off is by more than a tenth.
        sizes = Arrays.copyOf(sizes, asked);
        Arrays.sort(sizes);
        long low = Arrays.stream(sizes).filter(size -> size < elements).count();
        long below = Arrays.stream(sizes).filter(size -> size < elements / 2).count();
        long high = Arrays.stream(sizes).filter(size -> size > elements + 1).count();
        int tenth = elements / 10;
        long far = Arrays.stream(sizes).filter(size -> size < elements - tenth || size > elements + 1 + tenth).count();
        System.out.printf("asked=%d%ntoo_low=%d%nbelow_half=%d%ntoo_high=%d%nfar_off=%d%nlowest=%d%nmedian=%d%n"
            + "highest=%d%n", asked, low, below, high, far, sizes[0], sizes[asked / 2], sizes[asked - 1]);
    }
}
