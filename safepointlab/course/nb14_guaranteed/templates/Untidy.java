// Exercise 14-2. A program that leaves the JVM nothing to tidy up.
//
// With -XX:GuaranteedSafepointInterval=200 the VM thread checks five times a second for something to tidy up. Edit
// tick(), and nothing else, so that it finds something nearly every time, on JDK 8 and JDK 17. Requesting a stop, by
// System.gc() or a thread dump, doesn't count.
//
// You try it with        lab.java("Untidy.java", 17, "-XX:GuaranteedSafepointInterval=200", log="safepoint").safepoints
// and have it judged by  lab.grade("14-2", "Untidy.java")
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToIntFunction;

public class Untidy {
    static volatile int result;
    static final List<ToIntFunction<Shape>> sites = new ArrayList<>();
    static final Shape triangle = new Triangle(), square = new Square();

    // Called ten times a second, with n = 0, 1, 2 and so on up to 19.
    static void tick(int n) {
        call(sites.get(0), triangle, 1); // only this method is yours to change
    }

    // A call site, in code of its own: each loader makes a class of its own of the same bytes.
    public static class Site implements ToIntFunction<Shape> {
        public int applyAsInt(Shape shape) {
            return shape.corners();
        }
    }

    public interface Shape {
        int corners();
    }

    public static class Triangle implements Shape {
        public int corners() { return 3; }
    }

    public static class Square implements Shape {
        public int corners() { return 4; }
    }

    static class Copies extends ClassLoader {
        @SuppressWarnings("unchecked")
        ToIntFunction<Shape> site() throws Exception {
            Path file = Paths.get(Untidy.class.getResource(Site.class.getName() + ".class").toURI());
            byte[] code = Files.readAllBytes(file);
            Class<?> copy = defineClass(Site.class.getName(), code, 0, code.length);
            return (ToIntFunction<Shape>) copy.getConstructor().newInstance();
        }
    }

    static void call(ToIntFunction<Shape> site, Shape shape, int times) {
        for (int i = 0; i < times; i++) {
            result += site.applyAsInt(shape);
        }
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 40; i++) {
            sites.add(new Copies().site());
            call(sites.get(i), triangle, 1000);
        }

        // All of them are compiled now, or soon will be. Then each meets a triangle again, and notes it in its cache.
        Thread.sleep(200);
        sites.forEach(site -> call(site, triangle, 10));
        for (int n = 0; n < 20; n++) {
            tick(n);
            Thread.sleep(100);
        }
        System.out.println("corners=" + result);
    }
}
