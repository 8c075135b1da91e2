// LiveHeap: keeps so many MiB of small objects alive, and asks for collections. Nothing of it is garbage.
// What a full collection costs is what it has to mark and move, not what it frees.
//
// QUESTION  How long does a full collection take that finds nothing to throw away?
// RUN       mkdir -p classes && javac -d classes LiveHeap.java
//           java -XX:+UseSerialGC -Xms1g -Xmx1g -Xlog:safepoint -cp classes LiveHeap 10
//           java -XX:+UseSerialGC -Xms1g -Xmx1g -Xlog:safepoint -cp classes LiveHeap 400
// ARGUMENTS MiB that stay alive (100), collections (7), bytes of an object with its header (256)
// NOTEBOOK  12-operation-cost
// JDKS      8 11 17 21 25 28 (8: -XX:+PrintSafepointStatistics -XX:PrintSafepointStatisticsCount=1 for the log)
// EXPECT    With 40 times as much alive the stop takes many times as long, while the time to safepoint stays short.
//           = exited; objects = 40960
//           = exited; median(At_safepoint) > 4 * median(above.At_safepoint); \
//             median(Reaching_safepoint) < median(At_safepoint)

import java.util.ArrayList;
import java.util.List;

public class LiveHeap {
    public static void main(String[] args) throws InterruptedException {
        int liveMiB = args.length > 0 ? Integer.parseInt(args[0]) : 100;
        int collections = args.length > 1 ? Integer.parseInt(args[1]) : 7;
        int size = args.length > 2 ? Integer.parseInt(args[2]) : 256;
        List<byte[]> live = new ArrayList<>();
        fill(live, liveMiB, size);

        // What is there to do for a collector, when there is no garbage? It has to find that out: from the roots
        // (stacks, static fields, ...) it goes to each object that is alive and marks it. So the stop grows with what
        // is alive.
        //
        // And why are the first collections longer? They find objects in the young generation, and move them as well.
        for (int n = 0; n < collections; n++) {
            System.gc();
            Thread.sleep(20);
        }
        System.out.println("objects=" + live.size());
    }

    // What helps? Less that is alive; or a collector that marks and moves beside the program: -XX:+UseZGC. Parallel,
    // and G1 since 10 (JEP 307), put several threads to a full collection, and stop the program all the same.
    //
    // Do smaller objects make it shorter? Longer: each is found, marked and moved by itself, and there are more of them
    // in a MiB.
    static void fill(List<byte[]> live, int mib, int size) {
        for (long n = 0; n < (long) mib * 1024 * 1024 / size; n++) {
            live.add(new byte[size - 16]);
        }
    }
}
