// Traps: compiled code meets a null pointer and a division by zero that its compiler did not expect, or a class is
// loaded that breaks what it assumed. Either way the code is left and made not entrant. Does everybody have to stop?
//
// QUESTION  Does deoptimisation stop all threads?
// RUN       mkdir -p classes && javac -d classes Traps.java
//           java -Xbatch -XX:CompileCommand=dontinline,Traps::* -XX:+PrintCompilation -Xlog:safepoint \
//           -cp classes Traps traps
//           java -Xbatch -XX:CompileCommand=dontinline,Traps::* -XX:+PrintCompilation -Xlog:safepoint \
//           -cp classes Traps class
// ARGUMENTS what to meet: none | traps | class (traps)
// NOTEBOOK  06-biased-locking-pause
// JDKS      8 11 17 21 25 28 (8: -XX:+PrintSafepointStatistics -XX:PrintSafepointStatisticsCount=1 for the log)
// EXPECT    traps: read and divide are made not entrant, and no operation named Deoptimize is in the safepoint log.
//           class: area is made not entrant, on 8 and 11 in a stop of all threads, Deoptimize; on 17 and later there is
//           none for that either.
//           = exited; thrown = 2000; /Traps::read .*made not entrant/; /Traps::divide .*made not entrant/; \
//             no /Safepoint.*Deoptimize/
//           = exited; thrown = 0; /Traps::area .*made not entrant/

public class Traps {
    static final class Box {
        int value = 1;
    }

    // Where is the check for null in here? C2 leaves it out while it has seen no null: the load from address 0 faults,
    // the signal handler finds the place in a table, and the thread goes on in the interpreter, which throws. After a
    // few such traps the code is made not entrant, and the next version expects nulls.
    static int read(Box box) {
        int sum = 0;
        for (int i = 0; i < 3; i++) {
            sum += box.value ^ i;
        }
        return sum;
    }

    // The same with a divisor: C2 tests it, and has no code for the case that it is zero, but a trap.
    static int divide(int by) {
        int sum = 0;
        for (int i = 0; i < 3; i++) {
            sum += 1000 / by ^ i;
        }
        return sum;
    }

    // And what if nobody in here meets anything? While Square is the only Shape, C2 calls its area() directly, without
    // asking for the class. When another Shape is loaded, every frame of this code has to be found and left, whichever
    // thread it belongs to. For that, HotSpot up to 13 stopped all threads; since 14 each is asked by a handshake.
    static int area(Shape shape) {
        return shape.area();
    }

    abstract static class Shape {
        abstract int area();
    }

    static final class Square extends Shape {
        @Override
        int area() {
            return 4;
        }
    }

    public static final class Circle extends Shape {
        public Circle() { }

        @Override
        int area() {
            return 3;
        }
    }

    static int sink;

    static void warmUp(Box box, Shape shape) {
        for (int i = 1; i <= 100_000; i++) {
            sink += read(box) + divide(i) + area(shape);
        }
    }

    static int thrownBy(Runnable call) {
        int thrown = 0;
        for (int i = 0; i < 1000; i++) {
            try {
                call.run();
            } catch (NullPointerException | ArithmeticException met) {
                thrown++;
            }
        }
        return thrown;
    }

    public static void main(String[] args) throws ReflectiveOperationException {
        String what = args.length > 0 ? args[0] : "traps";
        warmUp(new Box(), new Square());
        int thrown = 0;
        if (what.equals("traps")) {
            thrown += thrownBy(() -> sink += read(null));
            thrown += thrownBy(() -> sink += divide(0));
        } else if (what.equals("class")) {
            sink += area((Shape) Class.forName("Traps$Circle").getConstructor().newInstance());
        }
        System.out.println("thrown=" + thrown);
    }
}
