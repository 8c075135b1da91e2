// NepotismQueue: a queue that is correct, and nearly always empty, and yet fills the old generation with dead nodes.
// The three cures differ from it in one method each: read the first class, then only what the others override.
//
// QUESTION  Why does a queue that is nearly empty make young collections keep everything?
// RUN       javac -d classes NepotismQueue.java && java -XX:+UseSerialGC -Xms256m -Xmx256m -verbose:gc -cp classes NepotismQueue
// ARGUMENTS NepotismQueue | UnlinkedQueue | SelfLinkedQueue | ReusedNodeQueue, pairs of offer and poll (15000000),
//           full collections beforehand (1), elements that stay in the queue (0)
// NOTEBOOK  07-nepotism
// JDKS      8 11 17 21 25 28, any generational collector
// EXPECT    NepotismQueue: a young collection frees next to nothing, full collections follow. With one of the cures, or
//           with 0 as third argument: young pauses of a few ms in sum. With 1 as fourth argument one cure fails: which?

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;

public class NepotismQueue {
    static class Node {
        Object element;
        Node next;
    }

    // The head is a node whose element is already gone; the queue's first element is in the node behind it.
    Node head = new Node();
    Node tail = head;

    void offer(Object element) {
        Node node = new Node();
        node.element = element;
        tail.next = node;
        tail = node;
    }

    // Is anything leaked here? No: nobody can reach the old head again, so it is garbage. But it still points onwards.
    Object poll() {
        Node old = head;
        Node first = old.next;
        if (first == null) {
            return null;
        }
        head = first;
        Object element = first.element;
        first.element = null;
        part(old);
        return element;
    }

    // Who minds what a dead object points to? A young collection does. It does not trace the old generation: it takes
    // each pointer from old to young (card table, remembered set) for a root, without asking whether the old object
    // still lives. One dead node in the old generation keeps its young successor, that one the next, and so on to the
    // queue's live end.
    void part(Node old) {
    }

    // Cure 1 (Akka): cut the link. Whoever was walking along it, in size() or an iterator, now takes it for the end.
    static class UnlinkedQueue extends NepotismQueue {
        @Override
        void part(Node old) {
            old.next = null;
        }
    }

    // Cure 2 (java.util.concurrent, JCTools): point at yourself. Just as harmless to the collector, yet told apart
    // from the end of the queue, so that a walker knows that it has fallen off and can start again at the head.
    static class SelfLinkedQueue extends NepotismQueue {
        @Override
        void part(Node old) {
            old.next = old;
        }
    }

    // Cure 3 (Agrona, beside cure 1): when the queue runs empty, go back to one and the same empty node. The node that
    // was polled last then never becomes the head, so that nothing is linked behind it: no chain. And when does it not
    // help? As long as an element stays in the queue. Then it is the first class again.
    static class ReusedNodeQueue extends NepotismQueue {
        final Node empty = head;

        @Override
        Object poll() {
            Object element = super.poll();
            if (head == tail) {
                head = tail = empty;
            }
            return element;
        }

        // The empty node is never dead, so what it points to would not be either: not nepotism, but a leak.
        @Override
        void part(Node old) {
            if (old == empty) {
                old.next = null;
            }
        }
    }

    public static void main(String[] args) {
        String name = args.length > 0 ? args[0] : "NepotismQueue";
        NepotismQueue queue = name.equals("UnlinkedQueue") ? new UnlinkedQueue()
            : name.equals("SelfLinkedQueue") ? new SelfLinkedQueue()
            : name.equals("ReusedNodeQueue") ? new ReusedNodeQueue() : new NepotismQueue();
        int pairs = args.length > 1 ? Integer.parseInt(args[1]) : 15_000_000;
        int collections = args.length > 2 ? Integer.parseInt(args[2]) : 1;
        for (int staying = args.length > 3 ? Integer.parseInt(args[3]) : 0; staying > 0; staying--) {
            queue.offer(queue);
        }

        // How does a node get old where none stays long? By bad luck: one full collection at the wrong moment is enough
        // (generational Shenandoah wants five). Here we ask for it; the head of that moment is dead one poll later.
        for (int i = 0; i < collections; i++) {
            System.gc();
        }
        long begin = System.nanoTime();
        for (int i = 0; i < pairs; i++) {
            queue.offer(queue);
            queue.poll();
        }
        long millis = (System.nanoTime() - begin) / 1_000_000;
        System.out.print("loop_ms=" + millis + "\n");

        // Do the full collections that follow not end it? They free the chain, and make the head of that moment old.
        for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
            System.out.print(bean.getName() + ": " + bean.getCollectionCount() + " times, " + bean.getCollectionTime()
                + " ms\n");
        }
    }
}
