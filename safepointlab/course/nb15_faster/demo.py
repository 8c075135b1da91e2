"""Demo: with a crowd of running threads, a request for a collection takes longer on a new JDK than on JDK 11."""

from safepointlab.course import demo_code
from safepointlab.course.demo_script import Demo, Facts, Measured, Page, Step, facts_of, still
from safepointlab.course.nb15_faster import experiments as faster
from safepointlab.process.machine import cores

OLD, NEW = faster.BEFORE, 25
GC = "Shenandoah"


def _requested(jdk: int) -> Facts:
    run = faster.scan(jdk, faster.MANY * cores(), GC)
    stops = faster.collector_stops(run.safepoints)
    phases = {name: float(stops[name].median()) for name in ("ttsp_ms", "leaving_ms") if stops[name].notna().any()}
    return {**facts_of(run), **{name: round(value, 2) for name, value in phases.items()}}


def _request_ms(facts: Facts) -> float:
    return float(facts["values"]["gc_ms"])


def _old(measured: Measured) -> Page:
    facts = measured["old"]
    return Page(f"{_request_ms(facts):,.0f} MS", (f"JDK {OLD}: the median of {faster.CYCLES} calls of System.gc().",))


def _new(measured: Measured) -> Page:
    old, new = _request_ms(measured["old"]), _request_ms(measured["new"])
    ratio = new / old
    told = f"{ratio:.1f} times as long" if ratio >= 1 else f"{1 / ratio:.1f} times as fast"
    return Page(f"{new:,.0f} MS", (f"JDK {OLD}: {old:,.0f} ms", f"JDK {NEW}: {new:,.0f} ms, {told}"))


def _phases(measured: Measured) -> Page:
    facts = measured["new"]
    lines = (
        f"One stop on JDK {NEW}, median:",
        f"reaching the safepoint   {facts.get('ttsp_ms', 0):8.2f} ms",
        f"leaving it               {facts.get('leaving_ms', 0):8.2f} ms",
    )
    return Page("THE WAY OUT", lines)


DEMO = Demo(
    "faster",
    "How much faster did safepoints get?",
    "15-faster-safepoints",
    (
        Step(
            "question",
            (
                "In a mail of 2019: eleven times as fast with ZGC,",
                "on 16 hardware threads. And with a crowd of threads?",
            ),
            still("FASTER?", "JDK-8203469 made safepoints faster, in JDK 13.", "Ask a thread that waits for one."),
        ),
        Step(
            "code",
            ("Eight such threads per core: no lock, no allocation.", "main calls System.gc() and takes the time."),
            lambda _: Page("THE CROWD", code=demo_code.lines(faster.PROGRAM, "static boolean contains")),
        ),
        Step(
            "old",
            (f"First on JDK {OLD}, which lacks the change.", "Shenandoah works while the program runs."),
            _old,
            lambda: _requested(OLD),
            18,
            f"java -XX:+UseShenandoahGC ScanAndCollect      # JDK {OLD}",
        ),
        Step(
            "new",
            (f"Now on JDK {NEW}. Ask for a bet first.", "The clock is main's own: it means the same on each JDK."),
            _new,
            lambda: _requested(NEW),
            22,
            f"java -XX:+UseShenandoahGC ScanAndCollect      # JDK {NEW}",
        ),
        Step(
            "phases",
            (f"JDK {NEW} logs how long leaving takes; JDK {OLD} doesn't.", "Reaching it is indeed quick."),
            _phases,
        ),
        Step(
            "why",
            (
                "The change pays where many threads run at once: on many cores.",
                "Compare JDKs by how long your own thread waits.",
            ),
            still(
                "ALL AT ONCE",
                "On JDK 13 and later all threads are woken at once. If they outnumber the cores, "
                "the VM thread queues behind the crowd that it has just woken. JDK-8350324",
            ),
        ),
    ),
)
