// FlagValue: what one of the VM's flags is set to, asked from inside while the program runs.
// An agent can change a flag after the VM has read its command line, and -XX:+PrintFlagsFinal would not show that.
//
// QUESTION  Is -XX:+DebugNonSafepoints on? Nobody asked for it on the command line.
// RUN       safepoint run calltrace/FlagValue --jdk 17 --args DebugNonSafepoints \
//           --flags "-XX:+UnlockDiagnosticVMOptions"
//           safepoint run calltrace/FlagValue --jdk 17 --args DebugNonSafepoints \
//           --flags "-XX:+UnlockDiagnosticVMOptions" --log "async=ctimer,interval=10ms"
// ARGUMENTS the flag's name (DebugNonSafepoints)
// NOTEBOOK  21-async-get-call-trace
// JDKS      8 11 17 21 25 28
// EXPECT    false by itself, and under JFR. async-profiler has switched it on as it was loaded: true.
//           = exited; /^flag=false/
//           = exited; /^flag=true/
import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;

public class FlagValue {
    public static void main(String[] args) {
        String name = args.length > 0 ? args[0] : "DebugNonSafepoints";
        // Why the unlocking flag? Of a diagnostic flag that is locked the VM says that there is none.
        HotSpotDiagnosticMXBean bean = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
        System.out.println("flag=" + bean.getVMOption(name).getValue());
    }
}
