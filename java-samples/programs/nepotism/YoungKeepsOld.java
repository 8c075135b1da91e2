// YoungKeepsOld: the reverse of nepotism. A dead young object points at a dead old one, and a collection of the old
// generation alone keeps the old one: to it, everything young is a root. Only CMS collects in that way.
//
// QUESTION  Can a dead young object keep an old one alive?
// RUN       # with JDK 8:
//           mkdir -p classes && javac -d classes YoungKeepsOld.java
//           java -XX:+UseConcMarkSweepGC -Xms256m -Xmx256m -Xmn32m -XX:CMSInitiatingOccupancyFraction=5 \
//           -XX:+UseCMSInitiatingOccupancyOnly -XX:CMSWaitDuration=100 \
//           -XX:CMSMaxAbortablePrecleanTime=10 -cp classes YoungKeepsOld
// ARGUMENTS hold | free (hold), MiB of the old object (40)
// NOTEBOOK  07-nepotism
// JDKS      8 11; CMS is gone since 14 (JEP 363), and no collector since collects the old generation by itself
// EXPECT    hold: old_after_mib, after two old collections, is still the whole object; old_end_mib, after young ones as
//           well, is small. free, where nobody points at the object: small at once.
//           = exited; old_after_mib > 15; old_end_mib < 10

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;

public class YoungKeepsOld {
    static Object young;
    static byte[] old;

    static long oldCollections() {
        for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
            if (bean.getName().equals("ConcurrentMarkSweep")) {
                return bean.getCollectionCount();
            }
        }
        throw new IllegalStateException("This needs -XX:+UseConcMarkSweepGC.");
    }

    static double oldMib() {
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
            if (pool.getName().equals("CMS Old Gen")) {
                return pool.getUsage().getUsed() / 1048576.0;
            }
        }
        return Double.NaN;
    }

    // How to get an old collection without a young one? CMS begins one by itself as long as the old generation is
    // fuller than a limit; System.gc() would collect the young generation as well. While we wait, next to nothing is
    // allocated, so that eden does not fill up. And when next to nothing is old any more, CMS begins no other one.
    static void awaitOldCollections(int count) throws InterruptedException {
        long until = oldCollections() + count;
        for (int wait = 0; oldCollections() < until && oldMib() > 1 && wait < 200; wait++) {
            Thread.sleep(20);
        }
    }

    static void print(String name) {
        System.out.print(name + "=" + oldMib() + "\n");
    }

    // Why is the old object one large array? It does not fit into eden, so it is old from the start. And the holder?
    // It is small and new: young.
    public static void main(String[] args) throws InterruptedException {
        boolean hold = args.length == 0 || args[0].equals("hold");
        int mib = args.length > 1 ? Integer.parseInt(args[1]) : 40;
        old = new byte[mib << 20];
        young = hold ? new Object[] {old} : null;
        print("old_before_mib");

        // From here on both are dead. An old collection does not look for what lives among the young: it would have to
        // trace them all. It takes every pointer from young to old for a root.
        old = null;
        young = null;
        long before = oldCollections();
        awaitOldCollections(2);
        print("old_after_mib");
        System.out.print("old_collections=" + (oldCollections() - before) + "\n");

        // What ends it? A young collection, in which the holder goes; the next old one then takes the array.
        for (int i = 0; i < 1000; i++) {
            young = new byte[100_000];
        }
        awaitOldCollections(2);
        print("old_end_mib");
    }
}
