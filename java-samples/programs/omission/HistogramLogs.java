// HistogramLogs: three load generators write HDR logs of their own. The histograms that are read back from the three
// files are added up, and compared with one histogram that recorded every single value.
//
// QUESTION  What is lost when logs are written, read and added up, and how large are they?
// RUN       mkdir -p classes && javac -cp HdrHistogram-2.2.2.jar -d classes HistogramLogs.java
//           java -cp classes:HdrHistogram-2.2.2.jar HistogramLogs
//           java -cp classes:HdrHistogram-2.2.2.jar HistogramLogs 3000 3
// ARGUMENTS values of each generator (100000), values in each interval of a log (5000)
// NOTEBOOK  22-coordinated-omission
// JDKS      8 11 17 21 25 28
// EXPECT    Each count is right, and the logs take a small part of the values' 8 bytes, deflated or not. With three
//           values in an interval they take more: then a line is longer than what it holds.
//           = exited; counts_off = 0; 2 * log_bytes < deflated_bytes
//           = exited; counts_off = 0; log_bytes > raw_bytes

import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.Random;
import java.util.zip.Deflater;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;
import org.HdrHistogram.HistogramLogReader;
import org.HdrHistogram.HistogramLogWriter;

public class HistogramLogs {
    static final int GENERATORS = 3;
    static final Histogram all = new Histogram(3); // records each value itself
    static double rounded; // the largest error of a recorded value, in percent

    // Latencies in ns: around a millisecond, and one in 500 met a pause of up to 200 ms.
    static long latency(Random random) {
        double usual = 1e6 * Math.exp(0.4 * random.nextGaussian());
        return (long) (usual + (random.nextInt(500) == 0 ? 2e8 * random.nextDouble() : 0));
    }

    static void write(File file, long[] values, int perInterval) throws IOException {
        try (PrintStream out = new PrintStream(file, "UTF-8")) {
            HistogramLogWriter log = new HistogramLogWriter(out);
            log.outputLogFormatVersion();
            log.outputLegend();
            for (int from = 0; from < values.length; from += perInterval) {
                Histogram interval = new Histogram(3);
                interval.setStartTimeStamp(1000L * from / perInterval);
                interval.setEndTimeStamp(1000L * from / perInterval + 1000);
                for (int i = from; i < Math.min(values.length, from + perInterval); i++) {
                    interval.recordValue(values[i]);
                    all.recordValue(values[i]);
                    long kept = all.medianEquivalentValue(values[i]);
                    rounded = Math.max(rounded, 100.0 * Math.abs(kept - values[i]) / values[i]);
                }
                log.outputIntervalHistogram(interval);
            }
        }
    }

    // How large would the values be without histograms? 8 bytes each, or what zlib makes of them, which the log's own
    // histograms go through as well.
    static long deflated(long[] values) {
        ByteBuffer raw = ByteBuffer.allocate(8 * values.length);
        raw.asLongBuffer().put(values);
        Deflater deflater = new Deflater();
        deflater.setInput(raw.array());
        deflater.finish();
        byte[] buffer = new byte[1 << 16];
        long bytes = 0;
        while (!deflater.finished()) {
            bytes += deflater.deflate(buffer);
        }
        deflater.end();
        return bytes;
    }

    public static void main(String[] args) throws IOException {
        int count = args.length > 0 ? Integer.parseInt(args[0]) : 100_000;
        int perInterval = args.length > 1 ? Integer.parseInt(args[1]) : 5_000;
        Histogram sum = new Histogram(3);
        long logs = 0;
        long deflated = 0;
        for (int generator = 0; generator < GENERATORS; generator++) {
            Random random = new Random(generator);
            long[] values = new long[count];
            for (int i = 0; i < count; i++) {
                values[i] = latency(random);
            }
            File file = new File("generator-" + generator + ".hlog");
            write(file, values, perInterval);
            logs += file.length();
            deflated += deflated(values);
            HistogramLogReader reader = new HistogramLogReader(file);
            while (reader.hasNext()) {
                sum.add((Histogram) reader.nextIntervalHistogram());
            }
            reader.close();
        }

        // Is anything lost? Each value of the one histogram has to be in the sum, as often.
        long off = Math.abs(sum.getTotalCount() - all.getTotalCount());
        for (HistogramIterationValue each : all.recordedValues()) {
            off += Math.abs(sum.getCountAtValue(each.getValueIteratedTo()) - each.getCountAtValueIteratedTo());
        }
        long raw = 8L * GENERATORS * count;
        System.out.printf("values=%d%nsummed=%d%ncounts_off=%d%n", all.getTotalCount(), sum.getTotalCount(), off);
        System.out.printf("log_bytes=%d%nraw_bytes=%d%ndeflated_bytes=%d%n", logs, raw, deflated);
        System.out.printf(Locale.ROOT, "rounded_percent=%.4f%n", rounded);
    }
}
