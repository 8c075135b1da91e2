// CutNowAndThen: cutting each link costs each poll a write. Here only one poll in a thousand cuts, and the others leave
// their dead nodes in a chain: nepotism then ends where the next cut is.
//
// QUESTION  How many links must a queue cut to be safe from nepotism?
// RUN       javac -d classes CutNowAndThen.java
//           java -XX:+UseSerialGC -Xms256m -Xmx256m -verbose:gc -cp classes CutNowAndThen 1000
// ARGUMENTS polls per cut (1000), pairs of offer and poll (15000000)
// NOTEBOOK  07-nepotism, a solution
// JDKS      8 11 17 21 25 28, any generational collector
// EXPECT    1000: young collections free nearly everything. 15000000, that is never: they free next to nothing.

public class CutNowAndThen {
    static final class Node {
        Object element;
        Node next;
    }

    static Node head = new Node();
    static Node tail = head;
    static int polls;

    static void offer(Object element) {
        Node node = new Node();
        node.element = element;
        tail.next = node;
        tail = node;
    }

    // What can an old node still keep? At most the nodes up to the next cut: a thousand of them, 24 KB. They may get
    // old, too, but the last one points nowhere, so that later young collections find nothing to follow.
    static Object poll(int every) {
        Node old = head;
        head = old.next;
        Object element = head.element;
        head.element = null;
        if (++polls % every == 0) {
            old.next = null;
        }
        return element;
    }

    public static void main(String[] args) {
        int every = args.length > 0 ? Integer.parseInt(args[0]) : 1000;
        int pairs = args.length > 1 ? Integer.parseInt(args[1]) : 15_000_000;
        System.gc();
        long begin = System.nanoTime();
        for (int i = 0; i < pairs; i++) {
            offer(args);
            poll(every);
        }
        System.out.println("loop_ms=" + (System.nanoTime() - begin) / 1_000_000);
    }
}
