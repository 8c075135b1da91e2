// CutNowAndThen: cutting each link costs each poll a write. Here only one poll in a thousand cuts, and the others leave
// their dead nodes in a chain: nepotism then ends where the next cut is.
//
// QUESTION  How many links must a queue cut to be safe from nepotism?
// RUN       mkdir -p classes && javac -d classes CutNowAndThen.java
//           java -XX:+UseSerialGC -Xms256m -Xmx256m -verbose:gc -cp classes CutNowAndThen 1000
//           java -XX:+UseSerialGC -Xms256m -Xmx256m -verbose:gc -cp classes CutNowAndThen 15000000
// ARGUMENTS polls per cut (1000), pairs of offer and poll (15000000)
// NOTEBOOK  07-nepotism, a solution
// JDKS      8 11 17 21 25 28, any generational collector
// EXPECT    1000: young collections free nearly everything. 15000000, that is never: they free next to nothing, and
//           full collections follow.
//           = exited; /Pause Young/ at least 3 times; no /Pause Full .Allocation Failure/
//           = exited; /Pause Full .Allocation Failure/

public class CutNowAndThen {
    // The queue of nepotism/NepotismQueue, with one element at a time. Why does it make garbage? Each element needs a
    // node of its own, some 24 bytes, and that node is dead after the next poll.
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

    // Why not cut on every poll, as most libraries do? That is one more store into a node which another thread may be
    // reading: between two threads the store takes the node's cache line away from the reader.
    //
    // What can a dead old node still keep, if most links stay? A young collection takes its link for a root and follows
    // the chain, but only up to the next cut: a thousand nodes, some 24 KB. Those are promoted in time, and then they
    // are dead and old themselves. The last of them points nowhere, so the next young collection finds nothing to
    // follow.
    //
    // Is any distance good enough? The chain grows with it, and what it keeps is copied once or several times. With a
    // cut every 15 million polls there is no cut in the whole run, and the chain never ends.
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

        // Which node gets old? The head of this moment: a full collection moves all that lives into the old generation.
        // (One full collection is enough with Serial, Parallel and G1.) From the first poll on that node is dead.
        System.gc();

        // Why is `args` the element? It exists already, so the nodes are the only garbage of this loop.
        long begin = System.nanoTime();
        for (int i = 0; i < pairs; i++) {
            offer(args);
            poll(every);
        }
        System.out.println("loop_ms=" + (System.nanoTime() - begin) / 1_000_000);
    }
}
