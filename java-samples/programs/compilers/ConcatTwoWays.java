// ConcatTwoWays: the other difference that a reader of both classes notices, a + b of strings.
// The language says what the result is, not how to make it. Below class-file level 53 the two compilers disagree.
//
// QUESTION  Which bytecodes does "limit " + limit become?
// RUN       mkdir -p classes && javac -d classes ConcatTwoWays.java
//           java -jar ${ECJ:-ecj.jar} -source 8 -target 8 -d classes-ecj ConcatTwoWays.java
//           java -cp classes ConcatTwoWays && java -cp classes-ecj ConcatTwoWays
//           javap -c -p -cp classes ConcatTwoWays
//           javap -c -p -cp classes-ecj ConcatTwoWays
// ARGUMENTS a number to print (42)
// NOTEBOOK  03-eclipse-vs-javac
// JDKS      8 11 17 21 25 28
// EXPECT    The same line of output from each class; in javap:
//           javac at class-file level 52   new StringBuilder(), then append for each part
//           ecj at level 52                new StringBuilder(first part), then append for the rest
//           javac or a newer ecj at 53 up  one invokedynamic makeConcatWithConstants (JEP 280)
//           = exited; /^limit 42. 42 is the limit. null\?42$/ 2 times
//           = exited; /makeConcatWithConstants/ at least 3 times; no /StringBuilder/
//           = exited; /StringBuilder."<init>":.Ljava.lang.String/ at least 3 times; no /makeConcatWithConstants/
public class ConcatTwoWays {
    public static void main(String[] args) {
        int limit = args.length > 0 ? Integer.parseInt(args[0]) : 42;
        System.out.println(literalFirst(limit) + "; " + variableFirst(limit) + "; " + unknownFirst("null?", limit));
    }

    // ecj hands the first part to the constructor when it is a text that it knows: one call less.
    static String literalFirst(int limit) {
        return "limit " + limit;
    }

    // What if the first part is a number? There is StringBuilder(int), but that is a capacity: it must be turned
    // into a String first. Compare where String.valueOf appears.
    static String variableFirst(int limit) {
        return limit + " is the limit";
    }

    // And if it is a String that might be null? "null" is the answer that the language asks for; StringBuilder(null)
    // would throw. So ecj puts String.valueOf in front of it, javac lets append deal with it.
    static String unknownFirst(String text, int limit) {
        return text + limit;
    }

    // Does it matter here? Not for the safepoint: C2 turns all these chains of appends into the same code where it can
    // (OptimizeStringConcat). It matters when two class files are compared: most lines of the difference are concat,
    // and the one line that decides over the hang is the goto in front of a loop.
}
