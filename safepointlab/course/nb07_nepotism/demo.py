"""Demo: a queue that is always empty fills the old generation with dead nodes, because one line is missing."""

from safepointlab.course import demo_code
from safepointlab.course.demo_script import Demo, Facts, Measured, Page, Step, facts_of, still
from safepointlab.course.nb07_nepotism import experiments as nepotism

JDK = 17


def _collected(queue: str) -> Facts:
    run = nepotism.long_queue(JDK, queue)
    promoted, stopped = nepotism.promoted_mib(run), nepotism.stopped_ms(run)
    return {**facts_of(run), "promoted_mib": promoted, "stopped_ms": stopped, "collections": len(run.gc)}


def _told(facts: Facts) -> str:
    stopped, promoted, count = facts["stopped_ms"], facts["promoted_mib"], facts["collections"]
    return f"{count} collections, {stopped:,.0f} ms of pauses, {promoted:,.0f} MiB promoted."


def _kept(measured: Measured) -> Page:
    kept = measured["kept"]
    return Page(f"{kept['promoted_mib']:,.0f} MIB", ("Dead nodes of an empty queue, promoted.", _told(kept)))


def _cut(measured: Measured) -> Page:
    kept, cut = measured["kept"], measured["cut"]
    return Page(f"{cut['promoted_mib']:,.0f} MIB", (f"Links kept: {_told(kept)}", f"Links cut: {_told(cut)}"))


DEMO = Demo(
    "nepotism",
    "Why does an empty queue fill the heap?",
    "07-nepotism",
    (
        Step(
            "question",
            ("Offer, poll, offer, poll: there is never more than one element.", "Ask: what is there to collect?"),
            still("AN EMPTY QUEUE", "30 million times: offer an element, poll it.", "What do young collections find?"),
        ),
        Step(
            "code",
            (
                "A polled node is garbage. It still points at the next one.",
                "part() does nothing here, or cuts that link.",
            ),
            lambda _: Page("ONE LINE", code=demo_code.lines(nepotism.QUEUE, "Object poll")),
        ),
        Step(
            "kept",
            ("First as the textbook has it: the dead node keeps its link.", "A heap of 256 MiB, and Serial."),
            _kept,
            lambda: _collected(nepotism.KEPT),
            14,
            "java -XX:+UseSerialGC -Xmx256m NepotismQueue NepotismQueue",
        ),
        Step(
            "cut",
            ("Now with one more line: old.next = null.", "Look at the pauses."),
            _cut,
            lambda: _collected(nepotism.CUT),
            14,
            "java -XX:+UseSerialGC -Xmx256m NepotismQueue UnlinkedQueue",
        ),
        Step(
            "why",
            (
                "A young collection doesn't check whether an old object is alive.",
                "Akka cuts the link. JCTools and the JDK link the node to itself.",
            ),
            still(
                "NEPOTISM",
                "One node got old, and died. Its pointer is a root",
                "for young collections: it keeps the next dead node,",
                "which gets old in turn. Generational ZGC (JEP 439)",
                "and Shenandoah (JEP 404) have it, too.",
            ),
        ),
    ),
)
