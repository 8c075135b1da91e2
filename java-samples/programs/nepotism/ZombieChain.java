// ZombieChain: follows a queue's nodes through the collections, one by one, and shows where in the heap each one is.
// A node that was polled and that a collection has kept all the same is a zombie: here is who holds it.
//
// QUESTION  Where are the dead nodes of a queue, and who keeps them?
// RUN       mkdir -p classes && javac -d classes ZombieChain.java
//           java -XX:+UseSerialGC -Xmx256m -XX:MaxTenuringThreshold=1 -cp classes ZombieChain keep
//           java -XX:+UseSerialGC -Xmx256m -XX:MaxTenuringThreshold=1 -cp classes ZombieChain unlink
// ARGUMENTS keep | unlink | self (keep), nodes per step (6), steps (4)
// NOTEBOOK  07-nepotism
// JDKS      8 11 17 21 25 28, Serial or Parallel only: their generations are two ranges of addresses. 25 and 28 warn of
//           Unsafe (JEP 498); --sun-misc-unsafe-memory-access=allow silences that.
// EXPECT    Lines like `young collection,oyyyY,>>>>.`: one letter a node. o is dead and old, y dead and young, - gone,
//           a capital the live head; then where it points: > to the next one, @ to itself, . nowhere. keep: only the
//           full collection takes nodes. unlink, self: each collection takes all dead young ones.
//           = exited; /^young collection,o+y+Y,>+\.$/ 4 times; /^full collection,-+O,/
//           = exited; no /^young collection,.*y/; /^young collection,[o-]*-+[YO],/ at least 3 times

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.*;
import javax.management.ObjectName;

public class ZombieChain {
    static final class Node {
        Node next;
    }

    static Node head = new Node();

    // The queue of NepotismQueue, cut down to what links its nodes: a new node is offered, and the one in front of it
    // polled. From then on nobody but a dead node can point at a dead node. All that differs is how the two part.
    static void offerAndPoll(int nodes, String parting) {
        for (int i = 0; i < nodes; i++) {
            Node old = head;
            head = new Node();
            WATCHED.add(new WeakReference<>(head));
            old.next = parting.equals("keep") ? head : parting.equals("self") ? old : null;
        }
    }

    // How to watch a dead object without keeping it? By a weak reference: a collection clears it unless it finds the
    // object alive. But a young collection does not discover a reference that is itself old (see
    // ReferenceProcessor::discover_reference): its referent is then held like any other field of an old object. That is
    // nepotism again. So all of them are made again before each collection, and the list is so large that it never
    // outgrows its array, which would leave an old array with pointers behind.
    static final List<WeakReference<Node>> WATCHED = new ArrayList<>(10_000);

    static Object garbage;

    // How to get a young collection? There is no call for that: System.gc() asks for a full one. So make garbage until
    // eden is full and some collector has counted one more. MaxTenuringThreshold=1 lets a node become old in the second
    // young collection that it survives, and not only in the sixteenth.
    static void youngCollection() {
        WATCHED.replaceAll(reference -> new WeakReference<>(reference.get()));
        for (long before = collections(); collections() == before; garbage = new byte[100_000]) { }
    }

    static long collections() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
            .mapToLong(GarbageCollectorMXBean::getCollectionCount).sum();
    }

    // Who says what is old? The JVM itself, as in `jcmd GC.heap_info`: one line for each generation, with its span of
    // addresses. Serial and Parallel keep each generation in one piece. G1's regions lie anywhere, and ZGC and
    // Shenandoah move objects while the program reads addresses: with these, this question has no such answer.
    static final Pattern GENERATION = Pattern.compile(
        "(?m)^ *(def new|DefNew|PSYoung|tenured|Tenured|ParOld|PSOld).*\\[0x(\\w+),.* 0x(\\w+)\\)");

    static char place(long address, String heap) {
        for (Matcher line = GENERATION.matcher(heap); line.find(); ) {
            if (address >= Long.parseLong(line.group(2), 16) && address < Long.parseLong(line.group(3), 16)) {
                return line.group(1).matches("def new|DefNew|PSYoung") ? 'y' : 'o';
            }
        }
        throw new IllegalStateException("address " + Long.toHexString(address) + " is in no generation of\n" + heap
            + "\nUse -XX:+UseSerialGC or -XX:+UseParallelGC, compressed references, and a heap below 4 GB.");
    }

    // And where is a node? A compressed reference is an address divided by 8, but in a heap below 4 GB the JVM need not
    // divide: there the 32 bits of a reference are the address itself. Unsafe reads them from an array as an int.
    static long address(Node node) throws ReflectiveOperationException {
        Class<?> type = Class.forName("sun.misc.Unsafe");
        Field unsafe = type.getDeclaredField("theUnsafe");
        unsafe.setAccessible(true);
        int start = (int) type.getMethod("arrayBaseOffset", Class.class).invoke(unsafe.get(null), Node[].class);
        return 0xFFFFFFFFL & (int) type.getMethod("getInt", Object.class, long.class)
            .invoke(unsafe.get(null), new Node[] {node}, (long) start);
    }

    // Why the heap first and the addresses then? No collection may come between the two. None does, since this method
    // is called when eden is nearly empty.
    static void draw(String event) throws Exception {
        String heap = (String) ManagementFactory.getPlatformMBeanServer().invoke(
            new ObjectName("com.sun.management:type=DiagnosticCommand"), "gcHeapInfo", null, null);
        StringBuilder chain = new StringBuilder();
        StringBuilder links = new StringBuilder();
        for (int i = 0; i < WATCHED.size(); i++) {
            Node node = WATCHED.get(i).get();
            char place = node == null ? '-' : place(address(node), heap);
            chain.append(node == head ? Character.toUpperCase(place) : place);
            links.append(node == null ? '-' : node.next == null ? '.' : node.next == node ? '@' : '>');
        }
        System.out.println(event + "," + chain + "," + links);
    }

    public static void main(String[] args) throws Exception {
        String parting = args.length > 0 ? args[0] : "keep";
        int nodes = args.length > 1 ? Integer.parseInt(args[1]) : 6;

        // The unlucky node: the head is alive when a full collection comes by, and so it becomes old. It is the `O` of
        // the first line that is drawn. One poll later it is an `o`: dead, and still a root of each young collection.
        WATCHED.add(new WeakReference<>(head));
        System.gc();
        System.out.println("event,chain,links");
        draw("full collection");
        for (int step = args.length > 2 ? Integer.parseInt(args[2]) : 4; step > 0; step--) {
            offerAndPoll(nodes, parting);
            draw("offer and poll");
            youngCollection();
            draw("young collection");
        }

        // What ends it? Only a collection that asks of old objects, too, whether they are alive. It takes all the dead
        // at once, and makes the head of this moment old: the next unlucky node.
        System.gc();
        draw("full collection");
    }
}
