"""Demo: a benchmark from 2002 keeps its JVM waiting; `safepoint late` names the thread and the line, and the cure."""

from safepointlab import jdks
from safepointlab.course.demo_script import Demo, Facts, Measured, Page, Step, still
from safepointlab.course.nb23_late import experiments
from safepointlab.culprit.command import late

JDK = 17
AFTER_MS, EVERY_MS = 30, 200
LENGTH_S = 0.2  # of each of SciMark's kernels
SERIAL = "-XX:+UseSerialGC"


def _watched(flags: str) -> Facts:
    report = late(experiments.command(flags, LENGTH_S), after=AFTER_MS, every=EVERY_MS, deadline=20, jdk=JDK)
    waits = report.all_stops["waited_ms"]
    worst_ms = round(float(waits.max()), 1) if len(waits) else 0.0
    facts: Facts = {"jdk": jdks.get(JDK).version, "stops": len(waits), "late": len(report.stops), "worst_ms": worst_ms}
    for worst in report.stops.head(1).to_dict("records"):
        facts |= {"thread": str(worst["thread"]), "where": str(worst["where"])}
    return facts


def _counted(facts: Facts) -> str:
    return f"{facts['late']} of {facts['stops']} stops waited longer than {AFTER_MS} ms."


def _as_it_was(measured: Measured) -> Page:
    facts = measured["late"]
    return Page(f"{facts['worst_ms']:,.0f} MS", (_counted(facts), "A stop that should take a tenth of a millisecond."))


def _who(measured: Measured) -> Page:
    facts = measured["late"]
    if not facts["late"]:
        return Page("NOBODY", ("This time no thread was late.",))
    lines = (
        f"The thread: {facts['thread']}",
        f"The line: {facts['where']}",
        "We had no source, and didn't compile it.",
    )
    return Page(facts["where"].rpartition(".")[2].partition("::")[0].upper(), lines)


def _cured(measured: Measured) -> Page:
    before, after = measured["late"], measured["cured"]
    lines = (f"as it was: {_counted(before)}", f"with polls: {_counted(after)}", experiments.POLLS)
    return Page(f"{after['worst_ms']:,.1f} MS", lines)


DEMO = Demo(
    "late",
    "Who is late?",
    "23-who-is-late",
    (
        Step(
            "question",
            ("SciMark 2 of NIST: one thread, classes from 2002.", "A monitoring agent stops it five times a second."),
            still(
                "WHO IS LATE?",
                "Collections are short, and yet the program stalls.",
                "The JVM waits for one last thread.",
            ),
        ),
        Step(
            "late",
            (
                "You put two words in front of your own command line.",
                "It runs as typed, and the report comes at its end.",
            ),
            _as_it_was,
            lambda: _watched(SERIAL),
            22,
            "safepoint late --every 200 -- java -cp scimark.jar ...",
        ),
        Step(
            "who",
            ("Told by the JVM's own timeout, and by async-profiler,", "which samples only while the JVM waits."),
            _who,
        ),
        Step(
            "cured",
            ("The report also says what to do: these two flags,", "or another collector. The same program again:"),
            _cured,
            lambda: _watched(f"{experiments.POLLS} {SERIAL}"),
            22,
            "safepoint late ... java -XX:+UseCountedLoopSafepoints ...",
        ),
        Step(
            "why",
            ("A poll has its price: page 23 measures it.", "Try it tonight on a program of your own."),
            still(
                "COUNTED",
                "An int index, a fixed step, a fixed limit:",
                "C2 knows that it ends, and leaves its poll out.",
                "Strip mining (JDK-8186027) puts one in again every 1,000 iterations, but not with Serial.",
            ),
        ),
    ),
)
