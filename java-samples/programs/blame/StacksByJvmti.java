// StacksByJvmti: the calls that profilers outside of the JDK make, made from Java and counted in the safepoint log.
// JVMTI is the JVM's interface for tools in C. JNA calls it from here, so no agent has to be compiled.
//
// QUESTION  A tool asks for one thread's stack: who has to stop, that thread or all of them?
// RUN       mkdir -p classes && javac -cp jna-5.17.0.jar -d classes StacksByJvmti.java
//           java -Xlog:safepoint -cp classes:jna-5.17.0.jar StacksByJvmti all 20
//           java -Xlog:safepoint -cp classes:jna-5.17.0.jar StacksByJvmti self 20
// ARGUMENTS self | one | all (one): the calling thread, one that works, or all threads; how many calls (100)
// NOTEBOOK  20-safepoint-bias
// JDKS      8 11 17 21 25 28 (8: -XX:+PrintSafepointStatistics for -Xlog:safepoint)
// EXPECT    all: each call is a safepoint, GetAllStackTraces. one: a safepoint, GetStackTrace, on 8 and 11; on newer
//           JDKs a handshake with that thread alone. self: none on any JDK, as a thread knows its own stack.
//           = exited; /"GetAllStackTraces"/ at least 20 times
//           = exited; answered = 20; no /GetStackTrace/
import com.sun.jna.Function;
import com.sun.jna.Library;
import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.IntByReference;
import com.sun.jna.ptr.PointerByReference;
import java.util.Collections;
import java.util.Map;

public class StacksByJvmti {
    static final int JVMTI_VERSION = 0x30010000; // 1.0, which all JDKs answer
    static final int FRAMES = 64;
    // Where are the functions? An environment points to a table of them, and the specification numbers its entries.
    static final int GET_ENV = 6, DEALLOCATE = 46, GET_ALL_STACK_TRACES = 99, GET_STACK_TRACE = 103;
    static final Map<String, ?> OBJECTS = Collections.singletonMap(Library.OPTION_ALLOW_OBJECTS, true);
    static volatile boolean running = true;
    static int seen;

    // This is how a tool gets at the interface: the JVM that is already there, and of it an environment for JVMTI.
    static Pointer environment() {
        PointerByReference vm = new PointerByReference();
        IntByReference count = new IntByReference();
        NativeLibrary.getProcess().getFunction("JNI_GetCreatedJavaVMs").invokeInt(new Object[] {vm, 1, count});
        PointerByReference jvmti = new PointerByReference();
        call(vm.getValue(), GET_ENV, vm.getValue(), jvmti, JVMTI_VERSION);
        return jvmti.getValue();
    }

    static void call(Pointer owner, int entry, Object... arguments) {
        Pointer address = owner.getPointer(0).getPointer((long) entry * Native.POINTER_SIZE);
        int error = (Integer) Function.getFunction(address).invoke(Integer.class, arguments, OBJECTS);
        if (error != 0) {
            throw new IllegalStateException("entry " + entry + " answers " + error);
        }
    }

    // Who asks for whom? null is the calling thread. It stands still while it asks, and its stack can be read at once.
    // Another thread may run: it has to be brought to a place where its frames can be walked, and be held there.
    static int stackOf(Thread thread, Pointer jvmti) {
        Memory frames = new Memory(FRAMES * 16L); // a method's id, and a place in it
        IntByReference count = new IntByReference();
        call(jvmti, GET_STACK_TRACE, jvmti, thread, 0, FRAMES, frames, count);
        return count.getValue();
    }

    // And this is what the profilers with a window did: all threads in one stop. So the stacks are of one moment.
    static int allStacks(Pointer jvmti) {
        PointerByReference stacks = new PointerByReference();
        IntByReference count = new IntByReference();
        call(jvmti, GET_ALL_STACK_TRACES, jvmti, FRAMES, stacks, count);
        call(jvmti, DEALLOCATE, jvmti, stacks.getValue());
        return count.getValue();
    }

    // The one that is asked about works, and has a poll in each pass: to reach a safepoint takes it no time.
    static void work() {
        while (running) {
            seen++;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        String whom = args.length > 0 ? args[0] : "one";
        int calls = args.length > 1 ? Integer.parseInt(args[1]) : 100;
        Pointer jvmti = environment();
        Thread worker = new Thread(StacksByJvmti::work, "worker");
        worker.start();
        int answered = 0;
        for (int i = 0; i < calls; i++) {
            int size = whom.equals("all") ? allStacks(jvmti) : stackOf(whom.equals("self") ? null : worker, jvmti);
            answered += size > 0 ? 1 : 0;
            Thread.sleep(2);
        }
        running = false;
        worker.join();
        System.out.println("answered=" + answered);
    }

    // What is left to ask? Whether a handshake is cheap: it is, for all the others. The one thread still has to reach a
    // poll, so the sample is as biased as before (blame/KnownAnswer).
}
