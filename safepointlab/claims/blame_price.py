"""What sampling at safepoints costs: claims 003d-07 to 003d-09 and 003d-14, each run again on one JDK."""

from safepointlab.claims.base import Claim, Evidence, Judgement, changed, fails, holds, unclear
from safepointlab.topics import blame
from safepointlab.topics.blame import DEEP, FEW, LOOKS_PER_S, MANY, SHALLOW

HUNDRED = 100
ONE_THREAD = (
    "JEP 312 (handshakes, JDK 10): one thread is asked without stopping the others; all of them, still at a stop"
)
LOOKS = {f"{mode} of {threads}, stop_ms": (mode, threads) for mode in ("all", "some") for threads in (FEW, MANY)}
MORE, LESS_DEEP = f"with {MANY // FEW} times the threads", f"of these with {DEEP // SHALLOW} times less depth"


def _overhead(jdk: int) -> Evidence:
    work = {mode: [_passes(jdk, mode, repeat) for repeat in (0, 1)] for mode in ("none", "all")}
    pauses = blame.stop_ms(jdk, "all", MANY, DEEP) * LOOKS_PER_S / 1000
    lost = 1 - sum(work["all"]) / sum(work["none"])
    spread = abs(work["none"][0] - work["none"][1]) / max(work["none"])
    return {"share of time in pauses": pauses, "work lost": lost, "spread without looks": spread}


def _passes(jdk: int, mode: str, repeat: int) -> float:
    """How much work was done in a millisecond."""
    return float(blame.looking(jdk, mode, MANY, DEEP, repeat).values["passes_per_ms"])


def _at_least_the_pauses(measured: Evidence, jdk: int) -> Judgement:
    pauses, lost, spread = (measured[name] for name in ("share of time in pauses", "work lost", "spread without looks"))
    if spread > max(lost, pauses) / 2:
        return unclear("the work varies too much by itself: look at a quieter machine")
    if lost > 0.7 * min(pauses, 1):
        return holds("while everybody stands, nobody works; and the sampler itself needs a core in between")
    return fails("less work is lost than the pauses take")


def _grows(jdk: int) -> Evidence:
    sizes = {"stop_ms": (FEW, DEEP), MORE: (MANY, DEEP), LESS_DEEP: (MANY, SHALLOW)}
    return {name: blame.stop_ms(jdk, "all", *size) for name, size in sizes.items()}


def _open_ended(measured: Evidence, jdk: int) -> Judgement:
    base, many, shallow = (measured[name] for name in ("stop_ms", MORE, LESS_DEEP))
    if many > 2.5 * base and many > 1.5 * shallow:
        return holds("each stack of each thread is walked while all stand still")
    return fails("the stop hardly grows")


def _one_thread(jdk: int) -> Evidence:
    """200 threads are asked one by one: what the VM did more than a hundred times is what that takes."""
    each = blame.looking(jdk, "each", FEW, DEEP).safepoints.groupby(["kind", "operation"]).size()
    often = each[each > HUNDRED]
    many = blame.looking(jdk, "all", FEW, DEEP).safepoints
    dumps = many.loc[many["operation"] == "ThreadDump", "kind"].mode()
    kinds = often.index.get_level_values("kind")
    return {"one thread": str(kinds[0]) if len(kinds) else "nothing", "all threads": "".join(dumps)}


def _global(measured: Evidence, jdk: int) -> Judgement:
    if measured["all threads"] != "safepoint":
        return fails("all stacks are taken without a stop")
    if measured["one thread"] == "nothing":
        return unclear("what one thread's stack takes is not in the log")
    if measured["one thread"] == "safepoint":
        return holds("even one thread's stack takes a stop of all")
    return changed(ONE_THREAD) if jdk >= 18 else fails("one thread is asked without a stop")


def _capped(jdk: int) -> Evidence:
    return {name: blame.stop_ms(jdk, mode, threads, DEEP) for name, (mode, threads) in LOOKS.items()}


def _flat(measured: Evidence, jdk: int) -> Judgement:
    all_few, all_many, some_few, some_many = (measured[name] for name in LOOKS)
    if all_many < 2 * all_few:
        return unclear("not even the stop for all grew")
    if some_many > 0.6 * all_many:
        return fails("the stop for a few threads is as long as the one for all")
    if some_many < 2 * max(some_few, 0.5):
        return holds("the stop is as long as the sample is large, not as the JVM")
    return holds("far shorter than for all; but here to reach a safepoint takes its time for every thread there is")


CLAIMS = [
    Claim(
        "003d-07",
        "A pause of 5 ms in each 100 ms costs 5 %, and really more",
        then="5 %, by arithmetic",
        measure=_overhead,
        judge=_at_least_the_pauses,
        refuted_by=({"share of time in pauses": 0.3, "work lost": 0.02, "spread without looks": 0.01}, 8),
    ),
    Claim(
        "003d-08",
        "The cost is open-ended: it grows with the number of threads, and with the depth of their stacks",
        then="said, not measured",
        measure=_grows,
        judge=_open_ended,
        refuted_by=({"stop_ms": 5.0, MORE: 5.2, LESS_DEEP: 5.1}, 8),
    ),
    Claim(
        "003d-09",
        "Sampling any thread brings the whole JVM to a safepoint",
        then="said, of JVMTI's GetStackTrace",
        measure=_one_thread,
        judge=_global,
        refuted_by=({"one thread": "handshake", "all threads": "safepoint"}, 25),
    ),
    Claim(
        "003d-14",
        "Looking at a few threads, chosen at random each time, would cap the cost",
        then="a proposal",
        measure=_capped,
        judge=_flat,
        refuted_by=(dict(zip(LOOKS, (4.0, 25.0, 4.0, 24.0), strict=True)), 8),
    ),
]
