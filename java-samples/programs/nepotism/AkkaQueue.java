// AkkaQueue: the queue behind Akka's mailboxes, before and after its cure. `poll` offers and polls, like RealQueues;
// `count` asks for the number of its 1,000 elements over and over, while another thread offers and polls.
//
// QUESTION  What did Akka's cure for nepotism cost?
// RUN       mkdir -p classes && javac -cp akka-actor_2.11-2.4.1.jar -d classes AkkaQueue.java
//           java -XX:+UseSerialGC -Xms256m -Xmx256m -cp classes:akka-actor_2.11-2.4.1.jar AkkaQueue poll
//           java -XX:+UseSerialGC -Xms256m -Xmx256m -cp classes:akka-actor_2.11-2.4.3.jar AkkaQueue poll
//           java -Xmx256m -cp classes:akka-actor_2.11-2.4.3.jar AkkaQueue count
// ARGUMENTS poll | count (poll), pairs of offer and poll (15000000) | time to go on asking in ms (500)
// NOTEBOOK  07-nepotism
// JDKS      8 11 17 21 25
// EXPECT    2.4.1 keeps its links: full collections follow the one that the program asks for. 2.4.3 sets `next` to null
//           on poll: no more of them, and count() is too low at times, often far.
//           = exited; MarkSweepCompact >= 2
//           = exited; MarkSweepCompact = 1
//           = exited; too_low > 0; lowest < 1000

import akka.dispatch.AbstractNodeQueue;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;

public class AkkaQueue {
    // Why a class of our own? Akka's is abstract, and each mailbox extends it; there is nothing left to implement.
    @SuppressWarnings("serial")
    static final class Mailbox extends AbstractNodeQueue<Object> {
    }

    static final Mailbox queue = new Mailbox();
    static volatile boolean done;

    public static void main(String[] args) throws InterruptedException {
        if (args.length > 0 && args[0].equals("count")) {
            count(args.length > 1 ? Long.parseLong(args[1]) : 500);
        } else {
            poll(args.length > 1 ? Integer.parseInt(args[1]) : 15_000_000);
        }
    }

    // As in RealQueues: the full collection makes one node old, and the first poll leaves it behind.
    static void poll(int pairs) {
        System.gc();
        for (int i = 0; i < pairs; i++) {
            queue.add(queue);
            queue.poll();
        }
        for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
            System.out.print(bean.getName() + ": " + bean.getCollectionCount() + " times, " + bean.getCollectionTime()
                + " ms\n");
        }
    }

    // As in RealSizes: right is 1000, and 1001 between offer and poll. count() goes from node to node. In 2.4.1 a node
    // that was polled meanwhile still leads on, to nodes that came later: no end is in sight as long as the others are
    // as quick. In 2.4.3 its link is null, which looks like the end of the queue.
    static void count(long millis) throws InterruptedException {
        int elements = 1000;
        for (int i = 0; i < elements; i++) {
            queue.add(queue);
        }
        Thread changer = new Thread(() -> {
            while (!done) {
                queue.add(queue);
                queue.poll();
            }
        }, "changer");
        changer.start();
        int[] counts = new int[2_000_000];
        int asked = 0;
        for (long begin = System.nanoTime(); asked < counts.length && System.nanoTime() - begin < millis * 1_000_000;
            asked++) {
            counts[asked] = queue.count();
        }
        done = true;
        changer.join();

        counts = Arrays.copyOf(counts, asked);
        Arrays.sort(counts);
        long low = Arrays.stream(counts).filter(count -> count < elements).count();
        long high = Arrays.stream(counts).filter(count -> count > elements + 1).count();
        int tenth = elements / 10; // far off is by more than that
        long far = Arrays.stream(counts).filter(count -> count < elements - tenth || count > elements + 1 + tenth)
            .count();
        System.out.printf("asked=%d%ntoo_low=%d%ntoo_high=%d%nfar_off=%d%nlowest=%d%nmedian=%d%nhighest=%d%n", asked,
            low, high, far, counts[0], counts[asked / 2], counts[asked - 1]);
    }
}
