// Exercise 91-2. An object is biased to main. Take its bias away, then make its lock fat: with no second thread.
//
// Edit toUnlocked() and toFat(), and nothing else. After toUnlocked() the object's word must say unlocked (001), after
// toFat() fat (10), on JDK 17 with biased locks.
//
// You try it with        run = lab.java("OneThread.java", 17, marks.AT_ONCE, jars=["org.openjdk.jol:jol-core:0.17"])
// look at                lab.plot.mark_word(run)
// and have it judged by  lab.grade("91-2", "OneThread.java")
import java.lang.management.ManagementFactory;
import org.openjdk.jol.vm.VM;

public class OneThread {
    // Takes the object's bias away. Only this method and the next one are yours to change.
    static void toUnlocked(Object object) throws InterruptedException {
    }

    // Makes the object's lock fat.
    static void toFat(Object object) throws InterruptedException {
    }

    static {
        for (String way : new String[] {"InstallAttach", "DynamicAttach", "HotspotSAAttach"}) {
            System.setProperty("jol.skip" + way, "true");
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Object object = new Object();
        synchronized (object) {
            Thread.yield();
        }
        show("begin", object);
        long threads = ManagementFactory.getThreadMXBean().getTotalStartedThreadCount();
        toUnlocked(object);
        show("middle", object);
        toFat(object);
        show("end", object);
        System.out.println("started=" + (ManagementFactory.getThreadMXBean().getTotalStartedThreadCount() - threads));
    }

    static void show(String moment, Object object) {
        System.out.println(moment + "=" + String.format("0x%016x", VM.current().getLong(object, 0L)));
    }
}
