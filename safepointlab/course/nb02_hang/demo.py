"""Demo: a program that should exit and does not, who holds it up, and the collector with which it exits."""

from safepointlab.course import demo_code
from safepointlab.course.demo_script import Demo, Facts, Measured, Page, Step, ended, facts_of, fate, still
from safepointlab.course.nb02_hang import experiments as hang

JDK = 17
ASKED = ("SIGQUIT", "jcmd", "jstack", "SIGTERM")


def _hangs() -> Facts:
    run = hang.killer(JDK)
    facts = {**facts_of(run), "returned": "main returns" in run.output}
    if run.overdue:
        silent = [who for who in ASKED if run.forensics.answered(who) is False]
        facts |= {"holdup": run.forensics.holdup or "", "silent": silent}
    return facts


def _ran(measured: Measured) -> Page:
    facts = measured["run"]
    first = "It printed: main returns." if facts["returned"] else "It has not printed: main returns."
    return Page(ended(facts), (first, fate(facts)))


def _who(measured: Measured) -> Page:
    facts = measured["run"]
    if not (holdup := facts.get("holdup")):
        return Page("NO THREAD", ("This time no thread held it up.", "Press b, b to look at the run again, or go on."))
    silent = ", ".join(facts["silent"]) or "none of those asked"
    return Page(holdup.upper(), (f"The JVM waits for the thread {holdup}.", f"No answer to {silent}."))


def _cured(measured: Measured) -> Page:
    before, after = measured["run"], measured["cure"]
    lines = (f"Serial: {fate(before)}", f"G1: {fate(after)}", "Same class, same JDK, another collector.")
    return Page(ended(after), lines)


DEMO = Demo(
    "hang",
    "When will this program exit?",
    "02-when-will-it-exit",
    (
        Step(
            "question",
            ("Ask for hands: at once, late, or never?", "Java's rule: daemon threads don't keep a JVM alive."),
            still("WILL IT EXIT?", "A daemon thread counts.", "main sleeps for 0.6 s and returns."),
        ),
        Step(
            "code",
            ("Two loops, each with an int index. No lock, no call, no allocation.", "Called 100,000 times before."),
            lambda _: Page("THE LOOP", code=demo_code.lines(hang.KILLER, "static long countOdds")),
        ),
        Step(
            "run",
            (
                "Live, count aloud with the timer: at 3 s, time is up.",
                "Then the lab looks for the late thread for 4 s, and kills the JVM.",
            ),
            _ran,
            _hangs,
            20,
            "java -XX:+UseSerialGC KillerTask 600",
            hang.HANGS_S,
        ),
        Step(
            "who",
            ("The counting thread is a daemon. All the others wait for it.", "Ctrl-C needs a thread of the JVM, too."),
            _who,
        ),
        Step(
            "cure",
            ("Change one word on the command line: the collector.", "Nothing here makes garbage. Why should it help?"),
            _cured,
            lambda: facts_of(hang.killer(JDK, gc="G1")),
            12,
            "java -XX:+UseG1GC KillerTask 600",
            hang.HANGS_S,
        ),
        Step(
            "why",
            ("No thread is stopped by force: each one checks, at a poll.", "Small containers get Serial up to JDK 26."),
            still(
                "NO POLL",
                "To exit, the JVM stops every thread at a safepoint.",
                "C2 leaves the poll out of a counted loop.",
                "G1 puts it back: strip mining, JDK-8186027, JDK 10.",
            ),
        ),
    ),
)
