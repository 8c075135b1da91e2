/** Loops of many shapes, for loops.javap: javac -g:none Loops.java && javap -c -p Loops. */
class Loops {
    static boolean flag;
    static volatile boolean volatileFlag;
    static int limit;
    int n;
    java.util.List<String> list;

    static int constantStep(int n) { int s = 0; for (int i = 0; i < n; i += 100000) s += i; return s; }
    static int wideStep(int n) { int s = 0; for (int i = 0; i < n; i += 200) s += i; return s; }
    static int down(int n) { int s = 0; for (int i = n; i > 0; i -= 70000) s ^= i; return s; }
    static int variableStep(int n, int k) { int s = 0; for (int i = 0; i < n; i += k) s += i; return s; }
    static int shortIndex(short n) { int s = 0; for (short i = 0; i < n; i++) s += i; return s; }
    static int charIndex(char n) { int s = 0; for (char i = 0; i < n; i++) s += i; return s; }
    static int byteIndex(byte n) { int s = 0; for (byte i = 0; i < n; i += 2) s += i; return s; }
    static long longIndex(long n) { long s = 0; for (long i = 0; i < n; i++) s += i; return s; }
    static long whileFlag() { long n = 0; while (flag) n++; return n; }
    static int flagAndCounter() { int n = 0; while (volatileFlag) { n++; if (n == 1000) n = 0; } return n; }
    static int flagAndCompare() { int n = 0, m = 0; while (volatileFlag) { n++; if (n > 1000) m ^= n; } return n + m; }
    static int arrayLength(int[] a) { int s = 0; for (int i = 0; i < a.length; i++) s += a[i]; return s; }
    static int forEach(int[] a) { int s = 0; for (int x : a) s += x; return s; }
    int field() { int s = 0; for (int i = 0; i < n; i++) s += i; return s; }
    int fieldStored() { int s = 0; for (int i = 0; i < n; i++) n = s += i; return s; }
    int call() { int s = 0; for (int i = 0; i < list.size(); i++) s += i; return s; }
    static int staticLimit() { int s = 0; for (int i = 0; i < limit; i++) s += i; return s; }
    static int decrement(int n) { int s = 0; for (int i = n; --i >= 0;) s += i; return s; }
    static int whileDecrement(int n) { int s = 0; while (n-- > 0) s += n; return s; }
    static int doWhile(int n) { int s = 0, i = 0; do { s += i; i += 3; } while (i < n); return s; }
    static int untilEqual(int n) { int s = 0; for (int i = 0; i != n; i++) s += i; return s; }
    static int untilEqualByTwos(int n) { int s = 0; for (int i = 0; i != n; i += 2) s += i; return s; }
    static int movingLimit(int n) { int s = 0; for (int i = 0; i < n; i++) { s += i; if (s > 5) n--; } return s; }
    static int twoSteps(int n) { int s = 0; for (int i = 0; i < n; i++) { s += i; if (s > 5) i += 2; } return s; }
    static int breaks(int n, int[] a) { int i = 0; while (true) { if (i >= n) break; if (a[i] == 7) return i; i++; } return i; }
    static int twoTests(int n, int[] a) { int i = 0; while (i < n && a[i] != 7) i++; return i; }
    static int collatz(long x) { int n = 0; while (x != 1) { x = (x & 1) == 0 ? x / 2 : 3 * x + 1; n++; } return n; }
    static int difference(int n, int m) { int s = 0; for (int i = 0; i <= n - m; i++) s += i; return s; }
    static int doubling(int n) { int s = 0; for (int i = 1; i < n; i *= 2) s += i; return s; }
    static int reversed(int n) { int s = 0; for (int i = 0; n > i; i++) s += i; return s; }
    static double floating(double n) { double s = 0; for (double i = 0; i < n; i++) s += i; return s; }
}
