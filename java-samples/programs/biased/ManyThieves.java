// ManyThieves: gives an object of one class after the other to its first thread, and then to a second one, which costs
// each of them its bias; and looks, whenever it has changed, at the mark word that a new object of that class gets.
//
// QUESTION  How many revoked biases does HotSpot put up with, before the class of the objects pays for them?
// RUN       mkdir -p classes && javac -cp jol-core-0.17.jar -d classes ManyThieves.java
//           java -XX:+UseBiasedLocking -XX:BiasedLockingStartupDelay=0 -cp classes:jol-core-0.17.jar ManyThieves
// ARGUMENTS how many objects (45)
// NOTEBOOK  91-mark-words
// JDKS      8 11 17; from 18 on there are no biased locks (JDK-8256425)
// EXPECT    Three lines. After 20 revocations (BiasedLockingBulkRebiasThreshold) the epoch of a new object's word is
//           another one, which makes all older biases of the class void; after 40 (BiasedLockingBulkRevokeThreshold) a
//           new object is not biasable any more.
//           = exited; /^after_1=0x0000000000000005/; /^after_20=0x0000000000000105/; /^after_40=0x0000000000000001/

import org.openjdk.jol.vm.VM;

public class ManyThieves {
    static {
        for (String way : new String[] {"InstallAttach", "DynamicAttach", "HotspotSAAttach"}) {
            System.setProperty("jol.skip" + way, "true");
        }
    }

    // Why a class of its own? HotSpot counts the revocations by class, and nobody else shall lock objects of this one.
    static final class Crowd { }

    public static void main(String[] args) throws InterruptedException {
        int most = args.length > 0 ? Integer.parseInt(args[0]) : 45;
        String last = "";
        for (int n = 1; n <= most; n++) {
            Crowd one = new Crowd();
            synchronized (one) {
                Thread.yield(); // from here on the object is biased to main
            }
            Thread thief = new Thread(() -> {
                synchronized (one) {
                    Thread.yield();
                }
            });
            thief.start();
            thief.join();

            // What does a new object look like now? Its word is a copy of one that its class keeps.
            String now = String.format("0x%016x", VM.current().getLong(new Crowd(), 0L));
            if (!now.equals(last)) {
                System.out.println("after_" + n + "=" + now);
                last = now;
            }
        }
    }
}
