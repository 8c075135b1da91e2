// RealQueues: any java.util.Queue by its class name, given one old node and then kept nearly empty, like NepotismQueue.
// The JDK's queues know of nepotism; a library's queue may have learnt it from one version to the next: try both.
//
// QUESTION  Is the queue that you use nepotistic?
// RUN       mkdir -p classes && javac -d classes RealQueues.java
//           java -XX:+UseSerialGC -Xms256m -Xmx256m -cp classes RealQueues
//           java -XX:+UseSerialGC -Xms256m -Xmx256m -cp classes:jctools-core-1.1.jar RealQueues \
//           org.jctools.queues.SpscLinkedQueue
// ARGUMENTS queue class (java.util.concurrent.LinkedBlockingQueue), pairs of offer and poll (15000000), elements that
//           stay in the queue (0)
// NOTEBOOK  07-nepotism
// JDKS      8 11 17 21 25 28
// EXPECT    Linked queues of the JDK: young pauses of a few ms in sum (cured in JDK-6805775, JDK-6806875), and the one
//           full collection that the program asks for. JCTools 1.1: pauses as long as NepotismQueue's, and more full
//           collections; 4.0.5 is like the JDK's. Queues in arrays: no nodes, hardly a collection.
//           = exited; MarkSweepCompact = 1
//           = exited; MarkSweepCompact >= 2

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.Queue;

public class RealQueues {
    // Why by name? So that this file compiles without any library, and the same program measures them all. A queue
    // without a public constructor that takes nothing has a bound: it gets room for 1024 elements.
    @SuppressWarnings("unchecked")
    static Queue<Object> make(String name) throws ReflectiveOperationException {
        Class<?> type = Class.forName(name);
        try {
            return (Queue<Object>) type.getConstructor().newInstance();
        } catch (NoSuchMethodException bounded) {
            return (Queue<Object>) type.getConstructor(int.class).newInstance(1024);
        }
    }

    public static void main(String[] args) throws ReflectiveOperationException {
        Queue<Object> queue = make(args.length > 0 ? args[0] : "java.util.concurrent.LinkedBlockingQueue");
        int pairs = args.length > 1 ? Integer.parseInt(args[1]) : 15_000_000;
        int staying = args.length > 2 ? Integer.parseInt(args[2]) : 0;
        for (int i = 0; i < staying; i++) {
            queue.offer(queue);
        }

        // Which node gets old here? The one that a linked queue keeps in front of its first element, or the first
        // element's own. The loop's first polls remove either from the queue, and then it is dead and old. From here on
        // every young collection shows how the library parted with it: if it still points to its successor, the whole
        // chain survives; if not, nothing does. And a queue in an array? It writes null into a slot and has no chain.
        System.gc();
        long begin = System.nanoTime();
        for (int i = 0; i < pairs; i++) {
            queue.offer(queue);
            queue.poll();
        }
        long millis = (System.nanoTime() - begin) / 1_000_000;
        System.out.print("loop_ms=" + millis + "\n");

        // How do the library's authors avoid it? Look at poll() in their source: a `next` is set to null, or to its own
        // node, often with the comment "help GC". ConcurrentLinkedQueue and LinkedBlockingQueue have had it since 7.
        for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
            System.out.print(bean.getName() + ": " + bean.getCollectionCount() + " times, " + bean.getCollectionTime()
                + " ms\n");
        }
    }
}
