// MarkWords: locks a few objects in every way there is, and looks each time at the first eight bytes of the object,
// its mark word, in which HotSpot keeps who has locked it. JOL reads them; their low bits mean the same on all JDKs.
//
// QUESTION  What is in an object's header before, while and after it is locked, and what is "biased" about it?
// RUN       javac -cp jol-core-0.17.jar -d classes MarkWords.java
//           java -XX:BiasedLockingStartupDelay=500 -cp classes:jol-core-0.17.jar MarkWords 1000
// ARGUMENTS uptime in ms to wait for between the first objects and the others (0)
// NOTEBOOK  06-biased-locking-pause (91-mark-words does the same step by step)
// JDKS      8 and 11 as above; 17 with -XX:+UseBiasedLocking, too; 21 25 28 without both flags
// EXPECT    one line a moment. 8, 11, 17: biasable, then biased even when unlocked again; a second thread makes that
//           thin and unlocked. 21 and later: unlocked, thin, unlocked. All: fat once two threads want it together.

import java.lang.management.ManagementFactory;
import org.openjdk.jol.vm.VM;

public class MarkWords {
    // How does JOL get at the header? By reading memory. What it would find out with an agent is not needed here.
    static {
        for (String way : new String[] {"InstallAttach", "DynamicAttach", "HotspotSAAttach"}) {
            System.setProperty("jol.skip" + way, "true");
        }
    }

    // Which bits tell? The last two, and with biased locks the one before them: 101 is biasable, and with a thread's
    // address above these bits biased to it. 01 is unlocked. 00 is thin: up to 22 the rest is the address of a record
    // on the owner's stack, later the owner has a list of its locks (JDK-8319251). 10 is fat: there is a monitor, with
    // a queue, somewhere else.
    static String meaning(long mark) {
        if ((mark & 0b111) == 0b101) {
            return mark >>> 10 == 0 ? "biasable" : "biased";
        }
        return new String[] {"thin", "unlocked", "fat", "moved"}[(int) (mark & 0b11)];
    }

    static void show(String moment, Object object) {
        System.out.println(moment + "=" + meaning(VM.current().getLong(object, 0L)));
    }

    public static void main(String[] args) throws InterruptedException {
        // What did EnableBiasedLocking do, four seconds after the start? It changed the mark word that new objects get.
        // Those which are there already stay as they are.
        Object early = new Object();
        show("early", early);
        long until = args.length > 0 ? Long.parseLong(args[0]) : 0;
        while (ManagementFactory.getRuntimeMXBean().getUptime() < until) {
            Thread.sleep(10);
        }
        show("early_later", early);
        Object object = new Object();
        show("fresh", object);

        // Why "biased"? The first lock leaves a name, and unlocking does not take it away: should the same thread come
        // again, it need not write at all. A thin lock costs an atomic write each time.
        synchronized (object) {
            show("locked", object);
        }
        show("unlocked", object);

        // And when another thread comes? The bias is taken away, for which the thread it names has to stand still
        // (8 and 11: a safepoint, 17: a handshake). Now the object is one like any other.
        Thread other = new Thread(() -> {
            synchronized (object) {
                show("other_locked", object);
            }
        });
        other.start();
        other.join();
        show("other_unlocked", object);

        // And both at once? Somebody must wait, in a queue, and for that a mark word is too small.
        Thread second = new Thread(() -> {
            synchronized (object) {
                show("handed_over", object);
            }
        });
        synchronized (object) {
            second.start();
            while (second.getState() != Thread.State.BLOCKED) {
                Thread.yield();
            }
            show("contended", object);
        }
        second.join();

        // The identity hash code lives in the same bits: an object that has one cannot be biased.
        Object hashed = new Object();
        System.identityHashCode(hashed);
        show("hashed", hashed);
    }
}
