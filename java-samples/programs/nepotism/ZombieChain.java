// ZombieChain: follows a queue's nodes through the collections, one by one, and shows where in the heap each one is.
// A node that was polled and that a collection has kept all the same is a zombie: here is who holds it.
//
// QUESTION  Where are the dead nodes of a queue, and who keeps them?
// RUN       javac -d classes ZombieChain.java
//           java -XX:+UseSerialGC -Xmx256m -XX:MaxTenuringThreshold=1 -cp classes ZombieChain keep
// ARGUMENTS keep | unlink | self (keep), nodes per step (6), steps (4)
// NOTEBOOK  07-nepotism
// JDKS      8 11 17 21 25 28, Serial or Parallel only: their generations are two ranges of addresses. 25 and 28 warn of
//           Unsafe (JEP 498); --sun-misc-unsafe-memory-access=allow silences that.
// EXPECT    Lines like `young collection,oyyyY,>>>>.`: one letter a node. o is dead and old, y dead and young, - gone,
//           a capital the live head; then where it points: > to the next one, @ to itself, . nowhere. keep: only the
//           full collection takes nodes. unlink, self: each collection takes all dead young ones.

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.ObjectName;

public class ZombieChain {
    static final class Node {
        Node next;
    }

    static Node head = new Node();

    static void offerAndPoll(int nodes, String parting) {
        for (int i = 0; i < nodes; i++) {
            Node old = head;
            head = new Node();
            WATCHED.add(new WeakReference<>(head));
            old.next = parting.equals("keep") ? head : parting.equals("self") ? old : null;
        }
    }

    // How to watch a dead object without keeping it? By a weak reference: a collection clears it unless it finds the
    // object alive. But in a young collection a reference that is itself old is no reference at all, just one more
    // old object that holds on (ReferenceProcessor::discover_reference): nepotism again. So make all of them anew
    // each time, and the list so large that it never leaves an outgrown array behind.
    static final List<WeakReference<Node>> WATCHED = new ArrayList<>(10_000);

    static Object garbage;

    // How to get a young collection? There is no call for that: make garbage until some collector has counted one
    // more.
    static void youngCollection() {
        WATCHED.replaceAll(reference -> new WeakReference<>(reference.get()));
        for (long before = collections(); collections() == before; ) {
            for (int i = 0; i < 1000; i++) {
                garbage = new byte[1024];
            }
        }
    }

    static long collections() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
            .mapToLong(GarbageCollectorMXBean::getCollectionCount).sum();
    }

    // Who says what is old? The JVM itself, as in `jcmd GC.heap_info`: a line a generation, with its span of
    // addresses.
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

    // And where is a node? In a heap below 4 GB a compressed reference is the address itself: read it as if an int.
    static long address(Node node) throws ReflectiveOperationException {
        Class<?> type = Class.forName("sun.misc.Unsafe");
        Field unsafe = type.getDeclaredField("theUnsafe");
        unsafe.setAccessible(true);
        int start = (int) type.getMethod("arrayBaseOffset", Class.class).invoke(unsafe.get(null), Node[].class);
        return 0xFFFFFFFFL & (int) type.getMethod("getInt", Object.class, long.class)
            .invoke(unsafe.get(null), new Node[] {node}, (long) start);
    }

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

        // The unlucky node: the head happens to be alive when a full collection comes by, and so it becomes old.
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

        // What ends it? Only a collection that asks of old objects, too, whether they are alive.
        System.gc();
        draw("full collection");
    }
}
