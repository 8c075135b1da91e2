// EmptyQueues: 100,000 queues, each of which now and then gets one element, and is empty again at once. Between two of
// its elements come some young collections: is there anything of an empty queue that they have to promote?
//
// QUESTION  What does an empty queue leave in the young generation?
// RUN       mkdir -p classes && javac -d classes EmptyQueues.java
//           java -XX:+UseSerialGC -Xms256m -Xmx256m -Xmn16m -cp classes EmptyQueues
//           java -XX:+UseSerialGC -Xms256m -Xmx256m -Xmn16m -cp classes:agrona-1.22.0.jar EmptyQueues \
//           org.agrona.concurrent.ManyToOneConcurrentLinkedQueue
// ARGUMENTS queue class (EmptyQueues$Nulled), queues (100000), rounds (20)
// NOTEBOOK  07-nepotism
// JDKS      8 11 17 21 25 28, any generational collector
// EXPECT    Nulled cuts the link, so there is no chain. But its last node stays as the queue's empty node: it lives, it
//           is new in each round, and it is promoted: 2 MiB a round. Agrona's queue goes back to one and the same empty
//           node, which is old already: next to nothing.
//           = exited; promoted_mib > 20
//           = exited; promoted_mib < 5

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.util.AbstractQueue;
import java.util.Iterator;
import java.util.Locale;
import java.util.Queue;

public class EmptyQueues {
    // Cure 1 of NepotismQueue alone: the dead node's link is cut. What is left of the queue is its last node.
    public static class Nulled extends AbstractQueue<Object> {
        static final class Node {
            Object element;
            Node next;
        }

        Node head = new Node();
        Node tail = head;

        @Override
        public boolean offer(Object element) {
            Node node = new Node();
            node.element = element;
            tail.next = node;
            tail = node;
            return true;
        }

        @Override
        public Object poll() {
            Node old = head;
            Node first = old.next;
            if (first == null) {
                return null;
            }
            head = first;
            old.next = null;
            Object element = first.element;
            first.element = null;
            return element;
        }

        @Override
        public Object peek() {
            return head.next == null ? null : head.next.element;
        }

        @Override
        public int size() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Iterator<Object> iterator() {
            throw new UnsupportedOperationException();
        }
    }

    static Object garbage;

    @SuppressWarnings("unchecked")
    public static void main(String[] args) throws ReflectiveOperationException {
        Class<?> type = Class.forName(args.length > 0 ? args[0] : "EmptyQueues$Nulled");
        Queue<Object>[] queues = new Queue[args.length > 1 ? Integer.parseInt(args[1]) : 100_000];
        int rounds = args.length > 2 ? Integer.parseInt(args[2]) : 20;
        for (int i = 0; i < queues.length; i++) {
            queues[i] = (Queue<Object>) type.getConstructor().newInstance();
        }
        System.gc(); // the queues and their first nodes are old from here on
        double before = oldMib();

        // Why the garbage? So that a young collection comes several times a round, as in a server in which most queues
        // are idle most of the time. A node that was polled last sees some of them before its queue is used again.
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < queues.length; i++) {
                queues[i].offer(type);
                queues[i].poll();
                if (i % 100 == 0) {
                    garbage = new byte[50_000];
                }
            }
        }
        System.out.printf(Locale.ROOT, "promoted_mib=%.1f%n", oldMib() - before);
    }

    // How much is old? Serial calls the old generation "Tenured Gen", the others end its name in "Old Gen".
    static double oldMib() {
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
            if (pool.getName().matches("Tenured Gen|.*Old Gen")) {
                return pool.getUsage().getUsed() / 1048576.0;
            }
        }
        return Double.NaN;
    }
}
