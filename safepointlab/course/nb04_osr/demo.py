"""Demo: one loop, called once or often before; a collection waits for the end of the second and not of the first."""

from safepointlab.course import demo_code
from safepointlab.course.demo_script import Demo, Facts, Measured, Page, Step, facts_of, still
from safepointlab.course.nb04_osr import experiments as osr

JDK = 17


def _measured(past: str) -> Facts:
    return facts_of(osr.entered(JDK, past, log=osr.COMPILED))


def _wait(facts: Facts) -> str:
    when = "until the loop ended" if facts["values"]["heard"] == "at_its_end" else "while the loop went on"
    return f"System.gc() took {facts['values']['gc_ms']:,.0f} ms, {when}."


def _once(measured: Measured) -> Page:
    facts = measured["once"]
    return Page(f"{facts['values']['gc_ms']:,.0f} MS", ("Called once, cold:", _wait(facts)))


def _often(measured: Measured) -> Page:
    once, often = measured["once"], measured["often"]
    lines = (f"Called once: {_wait(once)}", f"Called often: {_wait(often)}")
    return Page(f"{often['values']['gc_ms']:,.0f} MS", lines)


DEMO = Demo(
    "osr",
    "Can a method's history decide how long System.gc() waits?",
    "04-osr-vs-xcomp",
    (
        Step(
            "question",
            ("A test calls a method once. A server calls it all day.", "Ask: which of the two would you debug?"),
            still(
                "WARM OR COLD?", "One loop of about a second, and a System.gc() meanwhile.", "How long does it wait?"
            ),
        ),
        Step(
            "code",
            ("The only difference is the history of this method:", "none, or 200,000 short calls."),
            lambda _: Page("THE LOOP", code=demo_code.lines(osr.ENTERED, "static long countOdds")),
        ),
        Step(
            "once",
            ("The test: one call, cold. The interpreter begins,", "and the JVM swaps the code under the thread."),
            _once,
            lambda: _measured("once"),
            14,
            "java -XX:+UseSerialGC EnteredOnce once",
        ),
        Step(
            "often",
            ("Production: the same call, after many short ones.", "The seconds say how long all others waited."),
            _often,
            lambda: _measured("often"),
            14,
            "java -XX:+UseSerialGC EnteredOnce often",
        ),
        Step(
            "why",
            ("OSR code polls here by accident. Don't rely on it.", "So your benchmark may measure other code, too."),
            still(
                "2 VERSIONS",
                "Cold: on-stack replacement enters the loop in its middle.",
                "C2 does not count that loop, so its poll stays.",
                "Warm: entered at the top, counted, no poll.",
                "Strip mining (JDK-8186027) brings it back, with G1.",
            ),
        ),
    ),
)
