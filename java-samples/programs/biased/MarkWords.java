// MarkWords: locks a few objects in every way there is, and looks each time at the first eight bytes of the object,
// its mark word, in which HotSpot keeps who has locked it. JOL reads them; their low bits mean the same on all JDKs.
//
// QUESTION  What is in an object's header before, while and after it is locked, and what is "biased" about it?
// RUN       mkdir -p classes && javac -cp jol-core-0.17.jar -d classes MarkWords.java
//           java -XX:+UseBiasedLocking -XX:BiasedLockingStartupDelay=500 -cp classes:jol-core-0.17.jar MarkWords 1000
//           java -cp classes:jol-core-0.17.jar MarkWords
// ARGUMENTS uptime in ms to wait for between the first objects and the others (0), "hex" for the words themselves
// NOTEBOOK  06-biased-locking-pause (91-mark-words does the same step by step)
// JDKS      8 11 17 as above (8 and 11 have biased locks without the flag); 21 25 28 without both flags
// EXPECT    One line a moment. With biased locks a fresh object is biasable, and stays biased when it is unlocked
//           again; a second thread makes it thin, then unlocked. Without them, and from 18 on: unlocked, thin,
//           unlocked. On every JDK the lock is fat once two threads want it at the same time.
//           = exited; early = unlocked; fresh = biasable; unlocked = biased; other_locked = thin; contended = fat
//           = exited; fresh = unlocked; locked = thin; unlocked = unlocked; contended = fat

import java.lang.management.ManagementFactory;
import org.openjdk.jol.vm.VM;

public class MarkWords {
    // How does JOL get at the header? It reads memory, by Unsafe. What it would find out with an agent is not needed
    // here.
    static {
        for (String way : new String[] {"InstallAttach", "DynamicAttach", "HotspotSAAttach"}) {
            System.setProperty("jol.skip" + way, "true");
        }
    }

    // Which bits tell? The last two, and with biased locks the one before them:
    //   101  biasable; with a thread's address above these bits (from bit 10 on) biased to that thread
    //    01  unlocked; above it the identity hash code, if the object has one
    //    00  thin: locked, nobody waits. Up to 22 the rest is the address of a record on the owner's stack; since 23
    //        the owner keeps a list of its locks (JDK-8319251)
    //    10  fat: the lock has a monitor outside of the heap, with a queue
    //    11  used by collectors
    static String meaning(long mark) {
        if ((mark & 0b111) == 0b101) {
            return mark >>> 10 == 0 ? "biasable" : "biased";
        }
        return new String[] {"thin", "unlocked", "fat", "moved"}[(int) (mark & 0b11)];
    }

    // And all 64 bits? lab.plot.mark_word draws them.
    static boolean hex;

    static void show(String moment, Object object) {
        long mark = VM.current().getLong(object, 0L);
        System.out.println(moment + "=" + (hex ? String.format("0x%016x", mark) : meaning(mark)));
    }

    public static void main(String[] args) throws InterruptedException {
        hex = args.length > 1 && args[1].equals("hex");

        // What does EnableBiasedLocking do, four seconds after the start? It changes the mark word that new objects
        // get, in their class. Those which are there already stay as they are, so `early` never becomes biasable.
        Object early = new Object();
        show("early", early);
        long until = args.length > 0 ? Long.parseLong(args[0]) : 0;
        while (ManagementFactory.getRuntimeMXBean().getUptime() < until) {
            Thread.sleep(10);
        }
        show("early_later", early);
        Object object = new Object();
        show("fresh", object);

        // Why "biased"? The first thread that locks the object leaves its name, and unlocking does not take it away:
        // should the same thread lock again, it need not write to the object. A thin lock costs two atomic writes, one
        // to lock and one to unlock.
        synchronized (object) {
            show("locked", object);
        }
        show("unlocked", object);

        // And when another thread locks it? The bias is revoked. For that the thread whose name it bears must not run:
        // it might just be locking. 8 and 11 take a safepoint (RevokeBias), 17 a handshake with that one thread
        // (JDK-8191890). Now the object is one like any other. Revoking is expensive, and atomic writes have become
        // cheap: biased locks are off since 15 (JEP 374) and gone since 18 (JDK-8256425).
        Thread other = new Thread(() -> {
            synchronized (object) {
                show("other_locked", object);
            }
        });
        other.start();
        other.join();
        show("other_unlocked", object);

        // And both at once? One of them must wait, in a queue, and for that a mark word is too small: the lock is
        // inflated, which means that it gets a monitor. Does it shrink again when both are gone? Not at once: the VM
        // deflates idle monitors later, up to 14 in safepoints (cost/InflatedMonitors), since then beside the program
        // (JDK-8153224).
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

        // Can an object have both, a bias and a hash code? The identity hash code is computed when it is first asked
        // for, and lives in the bits of the thread's name: no.
        Object hashed = new Object();
        System.identityHashCode(hashed);
        show("hashed", hashed);
    }
}
