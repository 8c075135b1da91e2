// NepotismQueue: a queue that is correct, and nearly always empty, and yet fills the old generation with dead nodes.
// The three cures differ from it in one method each: read the first class, then only what the others override.
//
// QUESTION  Why does a queue that is nearly empty make young collections keep everything?
// RUN       mkdir -p classes && javac -d classes NepotismQueue.java
//           java -XX:+UseSerialGC -Xms256m -Xmx256m -verbose:gc -cp classes NepotismQueue
//           java -XX:+UseSerialGC -Xms256m -Xmx256m -verbose:gc -cp classes NepotismQueue UnlinkedQueue
// ARGUMENTS NepotismQueue | UnlinkedQueue | SelfLinkedQueue | ReusedNodeQueue, pairs of offer and poll (15000000),
//           full collections beforehand (1), elements that stay in the queue (0)
// NOTEBOOK  07-nepotism
// JDKS      8 11 17 21 25 28, any generational collector
// EXPECT    NepotismQueue: a young collection frees next to nothing, full collections follow. With one of the cures, or
//           with 0 as third argument: young pauses of a few ms in sum. With 1 as fourth argument one cure fails: which?
//           = exited; /Pause Full .Allocation Failure/
//           = exited; /Pause Young/ at least 3 times; no /Pause Full .Allocation Failure/

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;

public class NepotismQueue {
    static class Node {
        Object element;
        Node next;
    }

    // Why does an empty queue have a node? The head is a node whose element is gone already; the first element is in
    // the node behind it. So offer() never has to ask whether the queue is empty, and touches the tail only.
    Node head = new Node();
    Node tail = head;

    void offer(Object element) {
        Node node = new Node();
        node.element = element;
        tail.next = node;
        tail = node;
    }

    // Is anything leaked here? No: nobody can reach the old head again, so it is garbage. But it still points to its
    // successor, and a dead pointer is harmless only if nobody follows it.
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

    // Who follows it? A young collection. It is quick because it does not trace the old generation: it takes each
    // pointer from old to young for a root (the card table, or G1's remembered set, says where they are), without
    // asking whether the old object still lives. One dead node in the old generation keeps its young successor, that
    // one the next, and so on to the queue's live end.
    //
    // Why does that fill the old generation? Survivors that do not fit into the survivor space are promoted at once. So
    // the whole chain becomes old, and its last node is the dead old node that keeps the chain of the next collection.
    void part(Node old) {
    }

    // Cure 1 (Akka): cut the link. What does it cost? A thread that was walking along it, in size() or in an iterator,
    // now takes this node for the end of the queue. See nepotism/SizeUnderRace.
    static class UnlinkedQueue extends NepotismQueue {
        @Override
        void part(Node old) {
            old.next = null;
        }
    }

    // Cure 2 (java.util.concurrent, JCTools): the dead node points at itself. It keeps nothing but itself, and it
    // cannot be mistaken for the end of the queue: a walker knows that it has fallen off. What it does then is the
    // library's choice: ConcurrentLinkedQueue starts again at the head, JCTools answers what it has counted so far.
    static class SelfLinkedQueue extends NepotismQueue {
        @Override
        void part(Node old) {
            old.next = old;
        }
    }

    // Cure 3 (Agrona, beside cure 1): when the queue runs empty, go back to one and the same empty node. The node that
    // was polled last is not the head then, and nothing is linked behind it: no chain. And when does it not help? As
    // long as an element stays in the queue: it never runs empty, and this is the first class again.
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

        // And the link of the empty node? That node is always alive, so every collector keeps what hangs on it: not
        // nepotism but a leak, and one that grows for as long as elements stay in the queue.
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
        // (five with generational Shenandoah). Here we ask for it; the head of that moment is dead one poll later. In
        // a server no full collection is needed: any node that lives through a few young ones will do.
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

        // Do the full collections that follow not end it? Each frees the chain, since it asks of old objects too
        // whether they live. But it also makes the head of that moment old, and one poll later the story begins again.
        for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
            System.out.print(bean.getName() + ": " + bean.getCollectionCount() + " times, " + bean.getCollectionTime()
                + " ms\n");
        }
    }
}
