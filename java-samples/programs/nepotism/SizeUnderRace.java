// SizeUnderRace: one thread walks a linked queue to count it while another one offers and polls. What the walker finds
// at a node that was polled under its feet depends on how the queue parts with its nodes: the price of each cure.
//
// QUESTION  Which cure for nepotism leaves size() usable?
// RUN       mkdir -p classes && javac -d classes SizeUnderRace.java
//           java -Xmx256m -cp classes SizeUnderRace unlink
//           java -Xmx256m -cp classes SizeUnderRace self
// ARGUMENTS keep | unlink | self (unlink), elements that stay in the queue (1000), time to go on asking in ms (500)
// NOTEBOOK  07-nepotism
// JDKS      8 11 17 21 25 28
// EXPECT    The true size is always 1000 or 1001. keep: never too low, at times a hundred times too high. unlink: at
//           times too low, down to almost nothing. self: never too low, too high only by what came during one walk.
//           = exited; too_low > 0; lowest < 1000
//           = exited; too_low = 0; lowest >= 1000

import java.util.Arrays;

public class SizeUnderRace {
    // Why volatile? So that one thread sees what the other links and unlinks, and the compiler reads `next` again in
    // each iteration. Only the order of events is left to chance, as in a real concurrent queue.
    static final class Node {
        volatile Node next;
    }

    static volatile Node head = new Node();
    static Node tail = head;
    static String parting;

    // Only one thread at a time calls this, so the tail needs no volatile. A real queue with several producers would
    // swap it by an atomic operation, and a walker could meet a node whose `next` is not set yet: a third thing that
    // looks like the end.
    static void offer() {
        Node node = new Node();
        tail.next = node;
        tail = node;
    }

    // When is the dead node changed? After the head has moved on: a walker that begins now does not meet it. But one
    // that began earlier may stand on `old` at this moment, or may still have some nodes to go until it gets there.
    static void poll() {
        Node old = head;
        head = old.next;
        if (parting.equals("unlink")) {
            old.next = null;
        } else if (parting.equals("self")) {
            old.next = old;
        }
    }

    // What can a walker meet? A successor: one more. Null: the end of the queue or a node that was unlinked, and
    // nothing tells the two apart. Itself: a dead node for certain, and the walker has to decide what its count is
    // worth.
    //
    // This one drops the count and starts again at the head, as ConcurrentLinkedQueue does since JDK 9 (on 8 it keeps
    // the count and goes on from the head). The answer is never too low, and a busy poller can make the walk start many
    // times. JCTools decides otherwise: its size() returns what it has counted so far. Its queues point their dead
    // nodes at themselves as well, and yet size() may be far too low: self-linking alone does not make it exact.
    static final int ENOUGH = 1_000_000;
    static long restarts;

    static int size() {
        int size = 0;
        Node node = head;
        for (Node next = node.next; next != null && size < ENOUGH; next = node.next) {
            if (next == node) {
                restarts++;
                size = 0;
                node = head;
            } else {
                size++;
                node = next;
            }
        }
        return size;
    }

    // Why is there an ENOUGH? Where the links are kept, a walker that was overtaken goes on along the dead nodes and
    // counts those too, while new ones are offered as fast as it counts. As long as it walks, it keeps them all alive:
    // its own variable is a root, so for once these nodes are not garbage, and a full collection would keep them too.
    static volatile boolean done;

    public static void main(String[] args) throws InterruptedException {
        parting = args.length > 0 ? args[0] : "unlink";
        int elements = args.length > 1 ? Integer.parseInt(args[1]) : 1000;
        long span = (args.length > 2 ? Long.parseLong(args[2]) : 500) * 1_000_000;

        for (int i = 0; i < elements; i++) {
            offer();
        }
        Thread changer = new Thread(() -> {
            while (!done) {
                offer();
                poll();
            }
        }, "changer");
        changer.start();

        int[] sizes = new int[2_000_000];
        int asked = 0;
        for (long begin = System.nanoTime(); asked < sizes.length && System.nanoTime() - begin < span; asked++) {
            sizes[asked] = size();
        }
        done = true;
        changer.join();

        // What is right here? Any number that was true at some moment of the walk: 1000, and 1001 between offer and
        // poll. Every other answer is the walk's own error. Why ask so often? A walk goes wrong only when the polls
        // overtake it, and how often they do depends on the machine.
        sizes = Arrays.copyOf(sizes, asked);
        Arrays.sort(sizes);
        long low = Arrays.stream(sizes).filter(size -> size < elements).count();
        long high = Arrays.stream(sizes).filter(size -> size > elements + 1).count();
        System.out.printf("asked=%d%ntoo_low=%d%ntoo_high=%d%nlowest=%d%nhighest=%d%nrestarts=%d%n",
            asked, low, high, sizes[0], sizes[asked - 1], restarts);
    }
}
