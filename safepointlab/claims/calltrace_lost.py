"""The samples that get lost, and in which bucket: claims 003b-03 to 003b-05 and 003b-07 to 003b-09 on one JDK."""

from safepointlab.claims.base import Claim, Evidence, Judgement, changed, fails, holds, unclear
from safepointlab.topics import calltrace
from safepointlab.topics.calltrace import MAIN, WALKED, share, unknown


def _copying(jdk: int) -> Evidence:
    shares = {work: unknown(work, jdk) for work in ("copy", "loop")}
    return {**shares, "copy, walked by VMStructs": unknown("copy", jdk, WALKED)}


def _lost_in_the_stub(measured: Evidence, jdk: int) -> Judgement:
    if measured["copy"] > 0.5 and measured["loop"] < 0.2:
        return holds("the stub has no frame that AsyncGetCallTrace could size (JDK-8178287, open)")
    return fails("the copying stub is walked like any other code")


def _checksums(jdk: int) -> Evidence:
    return {work: unknown(work, jdk) for work in ("crc32", "adler32", "loop")}


def _as_blind(measured: Evidence, jdk: int) -> Judgement:
    blind = [what for what in ("crc32", "adler32") if measured[what] > 0.3]
    if len(blind) == 2:
        return holds("both have a stub of their own")
    if blind == ["crc32"]:
        return fails(
            "CRC32 is lost; Adler32 is a native method here (its stub came with JDK-8266332), and can be walked"
        )
    return fails("neither is lost")


def _hidden(jdk: int) -> Evidence:
    samples = {work: calltrace.by_jfr(work, jdk).jfr("ExecutionSample") for work in ("loop", "copy")}
    counts = {f"samples of {work}": len(frame) for work, frame in samples.items()}
    return {**counts, "of these name copy": int((samples["copy"]["method"] == "StubTime::copy").sum())}


def _silent_about_it(measured: Evidence, jdk: int) -> Judgement:
    expected, sampled = measured["samples of loop"], measured["samples of copy"]
    if expected < 10:
        return unclear("JFR took hardly any sample of the control, on a machine this busy")
    if sampled < expected / 3:
        return holds("what JFR could not walk it dropped: no event, no count")
    if jdk >= 25 and measured["of these name copy"] < sampled / 2:
        return changed("JEP 518 (25): the thread samples itself at its next poll; none is lost, the caller is named")
    return fails("the samples of the stub are there")


def _collecting(jdk: int) -> Evidence:
    return {**_stackless(jdk, "gc"), "of these GC_active": share(calltrace.busy("gc", jdk), "^GC_active$", "lost")}


def _stackless(jdk: int, what: str) -> Evidence:
    """How much has no Java stack, on threads of the VM and in all."""
    run = calltrace.busy(what, jdk)
    workers = "GC |Gang|VM Thread|G1|C[12] Comp"  # 28 shortens the end of "C2 CompilerThread0"
    of_vm = run.stacks[run.stacks["thread"].str.contains(workers).fillna(False).astype(bool)]
    lost = int(of_vm.loc[of_vm["lost"].notna(), "count"].sum())
    parts = {"no Java stack": share(run, ".", "lost"), "when calm": share(calltrace.busy("calm", jdk), ".", "lost")}
    return {**parts, "on threads of the VM": round(lost / max(1, int(run.stacks["count"].sum())), 3)}


def _without_a_stack(measured: Evidence, jdk: int) -> Judgement:
    more = measured["no Java stack"] - measured["when calm"]
    if more > 0.2 and measured["on threads of the VM"] > measured["no Java stack"] / 2:
        return holds("they were taken on threads of the VM, which have no Java frames: [no_Java_frame]")
    return fails("as many samples have a Java stack as in the calm program")


def _compiling(jdk: int) -> Evidence:
    walked = share(calltrace.busy("compile", jdk, WALKED), r"Compiler::compile_method")
    return {**_stackless(jdk, "compile"), "VMStructs name the compiler": walked}


def _undoing(jdk: int) -> Evidence:
    undone, calm = calltrace.busy("deopt", jdk), calltrace.busy("calm", jdk)
    return {
        "lost": share(undone, ".", "lost", MAIN),
        "when calm": share(calm, ".", "lost", MAIN),
        "as deoptimization": share(undone, "^deoptimization$", "lost", MAIN),
        "samples": int(undone.stacks["count"].sum()),
    }


def _taken_apart(measured: Evidence, jdk: int) -> Judgement:
    if measured["as deoptimization"] > 0:
        return holds("a few samples hit a frame that was just being taken apart, and say so")
    if measured["lost"] > measured["when calm"] + 0.02:
        return fails("more samples are lost than in the calm program, but none under that name")
    return unclear(f"none of {measured['samples']} samples hit the moment")


CLAIMS = [
    Claim(
        "003b-03",
        "Most samples in System.arraycopy are lost as ticks_unknown_java",
        then="62.9 %",
        measure=_copying,
        judge=_lost_in_the_stub,
        refuted_by=({"copy": 0.1, "loop": 0.0, "copy, walked by VMStructs": 0.0}, 8),
    ),
    Claim(
        "003b-04",
        "Java Mission Control does not tell how many samples it lost",
        then="2,617 samples in 60 s, shown as 66.0, 12.6, 7.9 ... %",
        measure=_hidden,
        judge=_silent_about_it,
        refuted_by=({"samples of loop": 60, "samples of copy": 60, "of these name copy": 58}, 8),
    ),
    Claim(
        "003b-05",
        "CRC32 and Adler32 are the same blind spot",
        then="failed samples",
        measure=_checksums,
        judge=_as_blind,
        refuted_by=({"crc32": 0.9, "adler32": 0.0, "loop": 0.0}, 8),
    ),
    Claim(
        "003b-07",
        "While the collector works samples have no Java stack (ticks_GC_active)",
        then="a bucket of its own",
        measure=_collecting,
        judge=_without_a_stack,
        refuted_by=(
            {"no Java stack": 0.02, "when calm": 0.02, "on threads of the VM": 0.01, "of these GC_active": 0},
            8,
        ),
    ),
    Claim(
        "003b-08",
        "While the compilers work samples have no Java stack (ticks_unknown_not_Java)",
        then="a bucket of its own",
        measure=_compiling,
        judge=_without_a_stack,
        refuted_by=(
            {"no Java stack": 0.02, "when calm": 0.02, "on threads of the VM": 0.0, "VMStructs name the compiler": 0},
            8,
        ),
    ),
    Claim(
        "003b-09",
        "Where code is deoptimised samples are lost as ticks_deopt",
        then="a bucket of its own",
        measure=_undoing,
        judge=_taken_apart,
        refuted_by=({"lost": 0.1, "when calm": 0.01, "as deoptimization": 0.0, "samples": 700}, 8),
    ),
]
