// Serialise: each thread writes a small graph of objects into bytes and reads it back, over and over, and so allocates
// all the time. The collector has work, and the safepoints come by themselves: nobody asks for one.
//
// QUESTION  Do faster safepoints make a program faster?
// RUN       safepoint bench faster.Serialise --jdk 11 17 --gc Z --prof safepoints \
//           --options "-t 4 -f 1 -wi 1 -w 500ms -i 2 -r 1s"
// NOTEBOOK  15-faster-safepoints
// JDKS      11 17 21 25 28 (8 has no ZGC, and only some of its builds have Shenandoah)
// EXPECT    No: with a core for each thread such stops take less than a millisecond, and some tens of them a second are
//           lost in the noise of the throughput.
//           A row `safepoints.pause` has the ms of all stops together, in as many ms as `safepoints.interval` says.
//           = exited; count(roundTrip) >= 2; max(safepoints.pause) < min(safepoints.interval)
package faster;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.*;

@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
public class Serialise {
    @Param("100")
    int orders;
    Map<String, List<Integer>> graph;

    // What is written? A map of 100 lists of ten boxed numbers: more than a thousand objects, each of which
    // serialisation visits and looks up in a table of those it has seen.
    @Setup
    public void fill() {
        graph = new HashMap<>();
        for (int order = 0; order < orders; order++) {
            List<Integer> items = new ArrayList<>();
            for (int item = 0; item < 10; item++) {
                items.add(order * item);
            }
            graph.put("order-" + order, items);
        }
    }

    // Why there and back? What is read back is new: each call allocates, and leaves garbage behind. So the collector
    // runs, and with a concurrent collector each of its cycles has a few short safepoints, at which all threads stop.
    //
    // Why should a faster safepoint not show? Count: some tens of stops per second, each under a millisecond where each
    // thread has a core, are a few percent of the time at the most. Halve the time to reach a safepoint (JDK-8203469,
    // 13, set out to do more), and a program gains a part of that. Two forks of one JDK may differ by more. Stops are
    // worth shortening for latency.
    @Benchmark
    public Object roundTrip() throws IOException, ClassNotFoundException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(graph);
        }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            return in.readObject();
        }
    }
}
