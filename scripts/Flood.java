// Flood: writes so many GB, to stdout or elsewhere in its folder, as fast as it can.
//
// ARGUMENTS GB to write; where: stdout (the default), log (the JVM's own log file), files (one file a MiB, two folders
//           down), collect (nothing: it calls the collector without end, so that the JVM logs), late (stdout, once
//           it holds a thread dump)
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;

public class Flood {
    static final byte[] BLOCK = new byte[1_000_000];  // lines of 100 bytes

    static {
        for (int place = 0; place < BLOCK.length; place++) {
            BLOCK[place] = (byte) (place % 100 == 99 ? '\n' : '.');
        }
    }

    public static void main(String[] args) throws Exception {
        long blocks = (long) (Double.parseDouble(args[0]) * 1000);
        String where = args.length > 1 ? args[1] : "stdout";
        if (where.equals("late")) {
            while (new File("stdout.txt").length() == 0) {
                Thread.sleep(10);
            }
        }
        for (long block = 0; block < blocks || where.equals("collect"); block++) {
            write(where, block);
        }
    }

    static void write(String where, long block) throws IOException {
        if (where.equals("collect")) {
            System.gc();
        } else if (where.equals("log")) {
            append(new File("safepoint.log"));
        } else if (where.equals("files")) {
            File folder = new File("many/" + block / 100);
            folder.mkdirs();
            append(new File(folder, block + ".txt"));
        } else {
            System.out.write(BLOCK, 0, BLOCK.length);
        }
    }

    static void append(File file) throws IOException {
        try (OutputStream out = new FileOutputStream(file, true)) {
            out.write(BLOCK);
        }
    }
}
