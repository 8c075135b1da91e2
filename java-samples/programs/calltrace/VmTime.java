// VmTime: a program whose time goes into the VM: collecting garbage, compiling, or undoing what was compiled.
// None of this is the program's own code, and yet its threads, or threads of the VM, burn the CPU for it.
//
// QUESTION  Which samples have no Java stack, and which threads were they taken from?
// RUN       mkdir -p classes && javac -d classes VmTime.java
//           java -Xmx64m -XX:+UseParallelGC -Xlog:gc -cp classes VmTime gc 1000
//           java -XX:-OmitStackTraceInFastThrow -cp classes VmTime deopt 1000
// ARGUMENTS what: calm, gc, compile or deopt (gc), ms (1000)
// NOTEBOOK  21-async-get-call-trace
// JDKS      8 11 17 21 25 28 (8: -verbose:gc for -Xlog:gc)
// EXPECT    gc: one collection after another. In a profile: calm has a Java stack in nearly all samples; gc and compile
//           have many without, taken from threads of the VM; deopt has the VM's own frames on top of Java ones, and
//           AsyncGetCallTrace gives up on a part of them.
//           = exited; /Pause Young/ at least 5 times; turns > 0
//           = exited; turns > 0
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.util.function.IntUnaryOperator;

public class VmTime {
    static long sum;
    static Object[] kept;

    public static void main(String[] args) throws Exception {
        String what = args.length > 0 ? args[0] : "gc";
        int ms = args.length > 1 ? Integer.parseInt(args[1]) : 1000;
        byte[] classFile = bytesOf("VmTime$Fresh.class");
        int turns = 0;
        for (long until = System.nanoTime() + ms * 1_000_000L; System.nanoTime() < until; turns++) {
            switch (what) {
                case "calm": calm(); break;
                case "gc": garbage(turns); break;
                case "compile": compile(classFile); break;
                default: undo(new int[16]);
            }
        }
        System.out.println("turns=" + turns);
    }

    // The control: one loop in Java, and nothing for the JVM to do beside it. Nearly all samples have a Java stack.
    static void calm() {
        for (int i = 0; i < 1_000_000; i++) {
            sum = 31 * sum + i;
        }
    }

    // Why keep some of it? Garbage alone costs a collector little: a young collection visits what lives. What survives
    // has to be found and copied; here there is always a list of young nodes, each pointing at the one before. Who does
    // that work? Threads of the collector, which have no Java stack: a profiler can only say "GC".
    static void garbage(int turn) {
        if (turn % 200 == 0) {
            kept = new Object[1];
        }
        Object[] newest = kept;
        for (int i = 0; i < 1000; i++) {
            newest = new Object[] {newest, null, null, null};
        }
        kept = newest;
    }

    // How does one keep a compiler busy? As a rule a method is compiled once for each tier. But a class that is defined
    // again, by another loader, is another class, and its code is cold again: 20,000 calls, and C1 and C2 have work to
    // do. They do it on threads of their own, and this thread goes on in the old code until the new code is ready.
    static void compile(byte[] classFile) throws Exception {
        Class<?> fresh = new Loader().define(classFile);
        IntUnaryOperator hash = (IntUnaryOperator) fresh.getDeclaredConstructor().newInstance();
        for (int i = 0; i < 20_000; i++) {
            sum += hash.applyAsInt(i);
        }
    }

    // And to undo its work? C2 leaves out what hardly ever happens and puts a trap there: whoever gets to it is taken
    // out of the compiled code and goes on in the interpreter (deoptimisation). An index out of bounds is such a trap.
    // With -XX:-OmitStackTraceInFastThrow C2 never puts an exception made beforehand there, however often it is met.
    static void undo(int[] cells) {
        for (int i = 0; i < 2000; i++) {
            try {
                sum += cells[i & 31]; // every other time the index is 16 or more
            } catch (ArrayIndexOutOfBoundsException tooFar) {
                sum--;
            }
        }
    }

    // Where does the class come from? Its class file stands beside this one. Java 8 has no readAllBytes.
    static byte[] bytesOf(String file) throws Exception {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        try (InputStream in = VmTime.class.getResourceAsStream(file)) {
            for (int next = in.read(); next >= 0; next = in.read()) {
                all.write(next);
            }
        }
        return all.toByteArray();
    }

    // Each call of compile() makes a loader, and two loaders never share a class, even of one name and the same bytes.
    // When nobody holds the loader any more, a collection may unload the class and its code with it.
    static class Loader extends ClassLoader {
        Class<?> define(byte[] classFile) {
            return defineClass("VmTime$Fresh", classFile, 0, classFile.length);
        }
    }

    // What makes the compilers work for long? Inlining: calls in a loop, of strings and of characters, each with calls
    // of its own.
    public static class Fresh implements IntUnaryOperator {
        @Override
        public int applyAsInt(int seed) {
            int hash = seed;
            String text = "seed " + (seed & 7);
            for (int i = 0; i < text.length(); i++) {
                hash = hash * 31 + Character.toUpperCase(text.charAt(i)) + Integer.rotateLeft(hash, i);
            }
            return hash;
        }
    }
}
