// CountersAdd: five copies of a method, each called so often, with so many iterations of its loop. The compilation log
// then says which of them HotSpot found worth compiling: its rule counts calls, jumps back, and the sum of both.
//
// QUESTION  How often must a method be called, or its loop go round, before HotSpot compiles it?
// RUN       mkdir -p classes && javac -d classes CountersAdd.java
//           java -XX:+PrintCompilation -cp classes CountersAdd
// NOTEBOOK  06-biased-locking-pause
// JDKS      8 11 17 21 25 28
// EXPECT    fewCalls (150 calls, no iterations) is not compiled; manyCalls (1000 calls) is, and so is theSum (150 calls
//           of 100 iterations each); fewLongCalls (50 calls of 1000 iterations each) is not; oneLoop (a single call)
//           is compiled by OSR, marked %.
//           = exited; no /CountersAdd::fewCalls/; /CountersAdd::manyCalls/; /[^%]   .*CountersAdd::theSum/; \
//             no /CountersAdd::fewLongCalls/; /%.*CountersAdd::oneLoop/

public class CountersAdd {
    static volatile int sink;

    // Why five methods with the same code? A method has one pair of counters, and each case needs a fresh one. Why a
    // loop in all of them? A method without one would be so simple that other rules apply.
    static int fewCalls(int iterations) {
        int sum = 0;
        for (int i = 0; i < iterations; i++) {
            sum += i ^ sink;
        }
        return sum;
    }

    static int manyCalls(int iterations) {
        int sum = 0;
        for (int i = 0; i < iterations; i++) {
            sum += i ^ sink;
        }
        return sum;
    }

    static int theSum(int iterations) {
        int sum = 0;
        for (int i = 0; i < iterations; i++) {
            sum += i ^ sink;
        }
        return sum;
    }

    static int fewLongCalls(int iterations) {
        int sum = 0;
        for (int i = 0; i < iterations; i++) {
            sum += i ^ sink;
        }
        return sum;
    }

    static int oneLoop(int iterations) {
        int sum = 0;
        for (int i = 0; i < iterations; i++) {
            sum += i ^ sink;
        }
        return sum;
    }

    // What are the limits? For C1's code they are 200 calls (Tier3InvocationThreshold); or 100 calls
    // (Tier3MinInvocationThreshold) if calls and jumps back together are 2,000 (Tier3CompileThreshold). Within one call
    // 60,000 jumps back are needed, for OSR (Tier3BackEdgeThreshold). All grow when many methods wait for the compiler.
    //
    // So 150 calls are not enough. With 100 iterations in each they are: 15,000 jumps back alone would not do for OSR,
    // and 150 calls alone not for a standard compile. And 50 calls of 1000 iterations? The sum is 50,050, but the calls
    // are too few for the one rule, and the jumps back for the other.
    public static void main(String[] args) throws InterruptedException {
        Thread.sleep(200);
        for (int call = 0; call < 150; call++) {
            sink = fewCalls(0);
        }
        for (int call = 0; call < 1000; call++) {
            sink = manyCalls(0);
        }
        for (int call = 0; call < 150; call++) {
            sink = theSum(100);
        }
        for (int call = 0; call < 50; call++) {
            sink = fewLongCalls(1000);
        }
        sink = oneLoop(200_000);
        Thread.sleep(300);
    }
}
