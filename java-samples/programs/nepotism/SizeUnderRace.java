// SizeUnderRace: one thread walks a linked queue to count it while another one offers and polls. What the walker finds
// at a node that was polled under its feet depends on how the queue parts with its nodes: the price of each cure.
//
// QUESTION  Which cure for nepotism leaves size() usable?
// RUN       javac -d classes SizeUnderRace.java && java -Xmx256m -cp classes SizeUnderRace unlink
// ARGUMENTS keep | unlink | self (unlink), elements that stay in the queue (1000), time to go on asking in ms (500)
// NOTEBOOK  07-nepotism
// JDKS      8 11 17 21 25 28
// EXPECT    The true size is always 1000 or 1001. keep: never too low, at times a hundred times too high. unlink: at
//           times too low, down to almost nothing. self: never too low, too high only by what came during one walk.

import java.util.Arrays;

public class SizeUnderRace {
    // volatile: what one thread links and unlinks, the other sees; only the order of events is left to chance.
    static final class Node {
        volatile Node next;
    }

    static volatile Node head = new Node();
    static Node tail = head;
    static String parting;

    static void offer() {
        Node node = new Node();
        tail.next = node;
        tail = node;
    }

    static void poll() {
        Node old = head;
        head = old.next;
        if (parting.equals("unlink")) {
            old.next = null;
        } else if (parting.equals("self")) {
            old.next = old;
        }
    }

    // What can a walker meet? A live successor: one more. Null: the end of the queue, or a node that was unlinked,
    // and nothing tells the two apart. Itself: a dead node for certain, so the count is void and begins anew at the
    // head, as in ConcurrentLinkedQueue since JDK 9 (8 goes on counting from the head); JCTools 4 answers with what
    // it has counted so far.
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
    // counts those too, while new ones are offered as fast as it counts; and as long as it walks, it keeps them all
    // alive.
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
        // poll.
        sizes = Arrays.copyOf(sizes, asked);
        Arrays.sort(sizes);
        long low = Arrays.stream(sizes).filter(size -> size < elements).count();
        long high = Arrays.stream(sizes).filter(size -> size > elements + 1).count();
        System.out.printf("asked=%d%ntoo_low=%d%ntoo_high=%d%nlowest=%d%nhighest=%d%nrestarts=%d%n",
            asked, low, high, sizes[0], sizes[asked - 1], restarts);
    }
}
