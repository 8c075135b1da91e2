"""Demo: one source, compiled by javac and by Eclipse; one of the two classes lets the JVM exit."""

from safepointlab.course import demo_code
from safepointlab.course.demo_script import Demo, Measured, Page, Step, ended, facts_of, fate, still
from safepointlab.course.nb02_hang.experiments import ECJ
from safepointlab.course.nb03_compilers import experiments as compilers

JDK = 17


def _both(measured: Measured) -> Page:
    lines = (f"javac: {fate(measured['javac'])}", f"ecj: {fate(measured['ecj'])}")
    return Page(ended(measured["ecj"]), lines)


def _finding(measured: Measured) -> Page:
    different = measured["javac"]["outcome"] != measured["ecj"]["outcome"]
    big = "1 JUMP" if different else "NO DIFFERENCE"
    lines = (
        "javac tests at the top of the loop, ecj at the bottom.",
        "The JVM enters the running loop where the jump back leads:",
        "javac's class at the test, ecj's at the body.",
    )
    return Page(big, lines)


DEMO = Demo(
    "ecj",
    "Can the choice of the Java compiler decide whether a JVM exits?",
    "03-eclipse-vs-javac",
    (
        Step(
            "question",
            ("Who has shipped classes made by Eclipse? VS Code, Tomcat's JSPs ...", "Ask: may a compiler do this?"),
            still("WHOSE CLASS?", "One source, two compilers: javac and Eclipse's ecj.", "Same JVM, same flags."),
        ),
        Step(
            "code",
            ("A daemon thread calls outer once. It runs for many minutes.", "main sleeps for 0.8 s and returns."),
            lambda _: Page("THE LOOP", code=demo_code.lines(compilers.HANGS, "static long outer")),
        ),
        Step(
            "javac",
            ("javac first: what you'd expect.", "The JVM is gone soon after main's sleep."),
            lambda measured: Page(ended(measured["javac"]), (f"javac: {fate(measured['javac'])}",)),
            lambda: facts_of(compilers.hangs(JDK, "javac", log="")),
            16,
            "javac EclipseHangs.java; java -XX:+UseSerialGC EclipseHangs",
            compilers.HANGS_S,
        ),
        Step(
            "ecj",
            (
                "Now the same file through Eclipse's compiler.",
                "At 4 s its time is up. The lab looks into it, then kills it.",
            ),
            _both,
            lambda: facts_of(compilers.hangs(JDK, ECJ, log="")),
            24,
            "ecj EclipseHangs.java; java -XX:+UseSerialGC EclipseHangs",
            compilers.HANGS_S,
        ),
        Step(
            "finding",
            ("Both class files are right: the language does not say", "where a compiler puts the test of a loop."),
            _finding,
        ),
        Step(
            "why",
            ("C2 wants body, step, test, repeat. Seen from its entry,", "ecj's loop has that order. An accident."),
            still(
                "COUNTED",
                "Entered at the body, the loop is counted: no poll.",
                "Entered at the test, it is not: its poll stays.",
                "HotSpot: ciTypeFlow::clone_loop_heads",
            ),
        ),
    ),
)
