"""Demo: a queue that is always empty fills the old generation with dead nodes, because one line is missing."""

from safepointlab.course import demo_code
from safepointlab.course.demo_script import Demo, Facts, Measured, Page, Step, facts_of, still
from safepointlab.course.nb07_nepotism import experiments as nepotism

JDK = 17
JAVA = f"java -XX:+UseSerialGC {nepotism.HEAP} NepotismQueue"


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
            (
                "First as the textbook has it: the dead node keeps its link.",
                "A heap of 256 MiB, and Serial. It fills up, a full collection empties it, and so on.",
            ),
            _kept,
            lambda: _collected(nepotism.KEPT),
            14,
            f"{JAVA} NepotismQueue {2 * nepotism.PAIRS}",
        ),
        Step(
            "cut",
            ("Now with one more line: old.next = null.", "Look at the pauses."),
            _cut,
            lambda: _collected(nepotism.CUT),
            14,
            f"{JAVA} UnlinkedQueue {2 * nepotism.PAIRS}",
        ),
        Step(
            "why",
            (
                "One System.gc() makes the first node old. No young collection asks whether it's alive.",
                "Akka cuts the link. JCTools and the JDK link the node to itself.",
            ),
            still(
                "NEPOTISM",
                "One node got old, and died.",
                "Young collections take its pointer for a root.",
                "So the next dead node stays, and gets old in turn.",
                "Generational ZGC and Shenandoah have it, too (JEP 439, 404).",
            ),
        ),
    ),
)
