"""What the post says of stops, compiling and polls in general, beside its pause: claims 002-11 to 002-15 on one JDK."""

from safepointlab.claims.base import Claim, Evidence, Judgement, changed, fails, holds, unclear
from safepointlab.claims.biased import GONE
from safepointlab.topics import biased

POSTS_RATE = 2.5  # bytes read and added in a nanosecond
HANDSHAKES = "JEP 312: deoptimisation and revocation are handshakes by now, with one thread at a time"


def _usual(jdk: int) -> Evidence:
    return {"usual_ms": biased.today(jdk).values["typical_ms"]}


def _well_below(measured: Evidence, jdk: int) -> Judgement:
    if measured["usual_ms"] < 1:
        return holds("the median of some thousand sleeps is below a millisecond")
    return fails("this machine's timer is far slower") if measured["usual_ms"] > 10 else unclear("a busy machine")


KINDS = {
    "collection": "GC|Collect",
    "deoptimisation": "Deoptimize",
    "bias": "Revoke",
    "thread dump": "PrintThreads",
}


def _reasons(jdk: int) -> Evidence:
    log = biased.who(jdk).safepoints
    kinds = {name: set(log.loc[log["operation"].str.contains(pattern), "kind"]) for name, pattern in KINDS.items()}
    return {name: "safepoint" if "safepoint" in seen else min(seen, default="none") for name, seen in kinds.items()}


def _all_stop(measured: Evidence, jdk: int) -> Judgement:
    others = [name for name, kind in measured.items() if kind != "safepoint"]
    if not others:
        return holds("four of the six were provoked; the code cache and class redefinition were not")
    if jdk > 11 and not {"collection", "thread dump"} & set(others):
        return changed(f"{HANDSHAKES}{'; ' + GONE if jdk >= 18 else ''}")
    return fails(f"no safepoint for {', '.join(others)}")


def _thresholds(jdk: int) -> Evidence:
    versions = {"by default": "", "counter limit out of reach": biased.OUT_OF_REACH}
    return {name: _osr_compiles(jdk, flags) for name, flags in versions.items()}


def _osr_compiles(jdk: int, flags: str) -> int:
    log = biased.compiled(jdk, flags).compilations
    return int((log["method"].eq("ByteSummer::sum") & log["osr"] & log["event"].eq("compiled")).sum())


def _counted(measured: Evidence, jdk: int) -> Judgement:
    if measured["by default"] and not measured["counter limit out of reach"]:
        return holds("the loop's OSR versions disappear when its jumps back no longer suffice")
    return fails("the limit makes no difference")


def _polls(jdk: int) -> Evidence:
    loops = biased.uncounted_loop(jdk).loops
    if loops.empty:
        return {"loops": 0}
    alone = loops[loops["calls"].eq(0)]
    return {"loops": len(loops), "without a call": len(alone), "of these polled": int(alone["polled"].sum())}


def _at_calls_only(measured: Evidence, jdk: int) -> Judgement:
    if not measured["loops"]:
        return unclear("no machine code was printed: this JDK needs a disassembler (hsdis)")
    if measured["of these polled"]:
        return fails("incomplete: a loop that calls nothing is polled at its jump back, if C2 cannot count its turns")
    return holds("no loop without a call was polled")


def _rate(jdk: int) -> Evidence:
    return {"bytes_per_ns": biased.today(jdk).values["bytes_per_ns"]}


def _about_the_same(measured: Evidence, jdk: int) -> Judgement:
    ratio = measured["bytes_per_ns"] / POSTS_RATE
    if 1 / 3 < ratio < 3:
        return holds("within three times of the post's processor")
    if ratio > 3 and jdk >= 21:
        return changed("C2 adds up vectors, which pays for such sums since JDK-8302652 (21)")
    return fails("far slower than compiled code should be") if ratio < 0.1 else unclear("another processor")


CLAIMS = [
    Claim(
        "002-11",
        "As a rule sleep(1) returns less than half a millisecond late",
        then="0.4 ms",
        measure=_usual,
        judge=_well_below,
        refuted_by=({"usual_ms": 15.6}, 8),
    ),
    Claim(
        "002-12",
        "Collections, deoptimisation, code cache flushes, class redefinition, bias and debugging stop all threads",
        then="a list of six",
        measure=_reasons,
        judge=_all_stop,
        refuted_by=({"collection": "safepoint", "deoptimisation": "none", "bias": "none", "thread dump": "none"}, 8),
    ),
    Claim(
        "002-13",
        "A method is compiled when its counted calls and jumps back pass a limit, and in a loop by OSR",
        then="stated",
        measure=_thresholds,
        judge=_counted,
        refuted_by=({"by default": 2, "counter limit out of reach": 2}, 8),
    ),
    Claim(
        "002-14",
        "The places where a thread can stop are its calls and its ways into and out of native code",
        then="stated",
        measure=_polls,
        judge=_at_calls_only,
        refuted_by=({"loops": 3, "without a call": 3, "of these polled": 3}, 8),
    ),
    Claim(
        "002-15",
        "A core reads and adds 2.5 bytes in a nanosecond",
        then="2.5 per ns",
        measure=_rate,
        judge=_about_the_same,
        refuted_by=({"bytes_per_ns": 0.05}, 8),
    ),
]
