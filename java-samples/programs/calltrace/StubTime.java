// StubTime: a program that spends its time where a profiler may be unable to look.
// Its one busy method either loops in Java, or hands the same bytes to a stub: machine code that the VM generated.
//
// QUESTION  All the work is done for one Java method: which profiler can say so?
// RUN       mkdir -p classes && javac -d classes StubTime.java
//           java -cp classes StubTime copy 1000
// ARGUMENTS what does the work: loop, copy, crc32 or adler32 (copy), ms of CPU time (1000), bytes a call (65536)
// NOTEBOOK  21-async-get-call-trace
// JDKS      8 11 17 21 25 28
// EXPECT    By itself it says how many calls fit into that CPU time. loop: every profiler names StubTime.loop. The
//           others: AsyncGetCallTrace loses nearly all samples, a profiler that walks the stack by itself names the
//           stub under StubTime.copy (adler32: a C function of libzip on 8).
//           = exited; calls > 0; cpu_ms >= 1000
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.zip.Adler32;
import java.util.zip.CRC32;

public class StubTime {
    static long sum; // written in each call, so that C2 has to do the work

    public static void main(String[] args) {
        String what = args.length > 0 ? args[0] : "copy";
        int ms = args.length > 1 ? Integer.parseInt(args[1]) : 1000;
        byte[] from = new byte[args.length > 2 ? Integer.parseInt(args[2]) : 1 << 16];
        byte[] to = new byte[from.length];

        // Why this clock? On a busy machine a thread may wait for a core most of the time, and only time on a core is
        // sampled. Why is it read once in 100 calls? Reading it is native code, whose samples would be mixed with
        // these.
        ThreadMXBean clock = ManagementFactory.getThreadMXBean();
        long until = clock.getCurrentThreadCpuTime() + ms * 1_000_000L;
        int calls = 0;
        for (; clock.getCurrentThreadCpuTime() < until; calls += 100) {
            for (int call = 0; call < 100; call++) {
                switch (what) {
                    case "loop": loop(from); break;
                    case "copy": copy(from, to); break;
                    case "crc32": crc32(from); break;
                    default: adler32(from);
                }
            }
        }
        System.out.println("calls=" + calls);
        System.out.println("cpu_ms=" + clock.getCurrentThreadCpuTime() / 1_000_000);
    }

    // The control: C2 compiles it to machine code of its own, and for that code the VM keeps tables that say which
    // method, which line, how large a frame. A profiler that stops the thread anywhere in it can find its way up.
    static void loop(byte[] from) {
        int sum = 1;
        for (byte value : from) {
            sum = 31 * sum + value;
        }
        StubTime.sum += sum;
    }

    // Where does this copy? Not in any method. C2 puts a call of a stub here, jbyte_disjoint_arraycopy, which the VM
    // wrote into its code cache at start. A stub has no tables: whoever is interrupted in it finds a program counter
    // that belongs to no method, and a stack pointer of which no table says how far the caller's frame is away.
    static void copy(byte[] from, byte[] to) {
        System.arraycopy(from, 0, to, 0, from.length);
        sum += to[0];
    }

    // The same again: CRC32.updateBytes0 (on 8 updateBytes) is an intrinsic: a stub, updateBytesCRC32, does the work.
    static void crc32(byte[] from) {
        CRC32 crc = new CRC32();
        crc.update(from, 0, from.length);
        sum += crc.getValue();
    }

    // Adler32 has such a stub only later (on x86 from 17, JDK-8266332). What was there before? A native method,
    // and that is another case: the thread says that it left Java, and where, so the stack can be walked from there.
    static void adler32(byte[] from) {
        Adler32 adler = new Adler32();
        adler.update(from, 0, from.length);
        sum += adler.getValue();
    }
}
