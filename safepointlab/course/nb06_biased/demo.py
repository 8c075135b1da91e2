"""Demo: a thread that oversleeps once, when the JVM is four seconds old; on a later JDK it does not."""

from safepointlab.course import demo_code
from safepointlab.course.demo_script import Demo, Facts, Measured, Page, Step, facts_of, still
from safepointlab.course.nb06_biased import experiments as biased

OLD, NEW = 8, 17
JAVA = f"java -XX:+Use{biased.GC}GC ByteSummer"


def _slept(jdk: int) -> Facts:
    run = biased.summer(jdk)
    switched = biased.switches(run)
    at_s = round(float(switched["begin_s"].max()), 2) if len(switched) else None
    line = run.raw("safepoint", lines=1, around=biased.SWITCH).strip() if len(switched) else ""
    return {**facts_of(run), "at_s": at_s, "ttsp_ms": biased.switch_ms(run, "ttsp_ms"), "line": line}


def _old(measured: Measured) -> Page:
    late, typical = (measured["old"]["values"][name] for name in ("overslept_ms", "typical_ms"))
    lines = (f"JDK {OLD}: the worst sleep of 1 ms overran by that much.", f"The median one: {typical:.2f} ms.")
    return Page(f"{late:,.0f} MS", lines)


def _finding(measured: Measured) -> Page:
    facts = measured["old"]
    if facts["at_s"] is None:
        return Page("NO SWITCH", ("The log of this run has no such stop.",))
    waited = f"Waiting for all threads: {facts['ttsp_ms']:,.0f} ms. The work: next to nothing."
    return Page(f"AT {facts['at_s']:.1f} S", ("The JVM's own log at that moment:", biased.SWITCH, waited))


def _new(measured: Measured) -> Page:
    old, new = (measured[name]["values"]["overslept_ms"] for name in ("old", "new"))
    lines = (f"JDK {OLD}: {old:,.0f} ms late at worst.", f"JDK {NEW}: {new:,.0f} ms, the same class and flags.")
    return Page(f"{new:,.0f} MS", lines)


DEMO = Demo(
    "pause",
    "How can a plain for loop make another thread late?",
    "06-biased-locking-pause",
    (
        Step(
            "question",
            ("One thread adds up bytes. Another sleeps for 1 ms, over and over.", "They share nothing. Who is late?"),
            still(
                "WHO WOKE LATE?",
                "A loop adds up bytes: no lock, no call, no allocation.",
                "Meanwhile another thread sleeps.",
            ),
        ),
        Step(
            "code",
            (
                "C2 can count both loops, so with Parallel, JDK 8's default, it leaves their polls out.",
                "The suspects: collector, scheduler, compiler.",
            ),
            lambda _: Page("THE LOOP", code=demo_code.lines(biased.SUMMER, "static long sum")),
        ),
        Step(
            "old",
            ("Five seconds. Live, watch the timer at four.", "There's nothing to see on the screen; it's in the log."),
            _old,
            lambda: _slept(OLD),
            18,
            f"{JAVA}      # JDK {OLD}",
        ),
        Step(
            "finding",
            (
                "No collection, no compile: the JVM switched biased locking on.",
                "For that it had to stop all the threads.",
            ),
            _finding,
        ),
        Step(
            "new",
            ("The same class on a later JDK: five seconds more.", "Where did the pause go?"),
            _new,
            lambda: _slept(NEW),
            18,
            f"{JAVA}      # JDK {NEW}",
        ),
        Step(
            "why",
            (
                "The delay of four seconds was found by trial, in 2009.",
                "The next collection waits for the loop as well.",
            ),
            still(
                "4000 MS",
                "BiasedLockingStartupDelay=4000, and a loop without a poll.",
                "JDK-8180421 (JDK 10): the delay is 0.",
                "JEP 374 (15): off. JDK-8256425 (18): gone.",
            ),
        ),
    ),
)
