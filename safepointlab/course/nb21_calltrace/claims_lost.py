"""The samples that get lost in stubs, and what is left: claims 003b-03 to 003b-05, -17 and -18 on one JDK."""

from math import isnan

from safepointlab.claims.base import Claim, Evidence, Judgement, fails, holds, refuted, unclear
from safepointlab.course.nb21_calltrace import counts, experiments
from safepointlab.course.nb21_calltrace.counts import LARGE, SMALL
from safepointlab.course.nb21_calltrace.experiments import MAIN, WALKED, share, unknown

ADLER = "JDK-8266332 (17): Adler32 has a stub, too, and looks as much better than it is"
COOPERATIVE = "JEP 518 (25): the thread samples itself at its next poll, so the caller is named"
LEFT, COPY = "samples that JFR shows", "in the method that copies, percent"
FEWER, LARGER = f"lost of copies of {SMALL} bytes, percent", f"lost of copies of {LARGE:,} bytes, percent"


def _lost(work: str, jdk: int, walker: str = experiments.AGCT) -> float:
    return 100 * unknown(work, jdk, walker)


def _copying(jdk: int) -> Evidence:
    shares = {f"{work}, percent": _lost(work, jdk) for work in ("copy", "loop")}
    return {**shares, "copy, walked by VMStructs, percent": _lost("copy", jdk, WALKED)}


def _lost_in_the_stub(measured: Evidence, jdk: int) -> Judgement:
    if measured["loop, percent"] > 20 or measured["copy, walked by VMStructs, percent"] > 20:
        return unclear("the controls are lost, too")
    if measured["copy, percent"] > 50:
        return holds("the stub has no frame that AsyncGetCallTrace could size (JDK-8178287)")
    return (
        fails("the copying stub is walked like any other code") if measured["copy, percent"] < 30 else unclear("a part")
    )


def _checksums(jdk: int) -> Evidence:
    return {f"{work}, percent": _lost(work, jdk) for work in ("crc32", "adler32", "loop")}


def _looks_better(measured: Evidence, jdk: int) -> Judgement:
    crc32, adler32, loop = (measured[f"{work}, percent"] for work in ("crc32", "adler32", "loop"))
    if loop > 20:
        return unclear("the control is lost, too")
    if crc32 > 50 and adler32 < crc32 / 3:
        return holds("CRC32 is a stub; Adler32 is a native method, whose caller leaves a note in the thread")
    if crc32 > 50:
        return refuted("both are lost", jdk, 17, ADLER)
    return fails("CRC32 is seen") if crc32 < 30 else unclear("a part of CRC32 is lost")


def _hidden(jdk: int) -> Evidence:
    samples = {work: experiments.by_jfr(work, jdk).jfr("ExecutionSample") for work in ("loop", "copy")}
    counts = {f"samples of {work}": len(frame) for work, frame in samples.items()}
    return {**counts, "of these name copy": int((samples["copy"]["method"] == "StubTime::copy").sum())}


def _silent_about_it(measured: Evidence, jdk: int) -> Judgement:
    expected, sampled = measured["samples of loop"], measured["samples of copy"]
    if expected < 10:
        return unclear("JFR took hardly any sample of the control, on a machine this busy")
    if sampled < expected / 3:
        return holds("what JFR could not walk it dropped: no event, no count")
    if measured["of these name copy"] < sampled / 2:
        return refuted("the samples are there, under another name", jdk, 25, COOPERATIVE)
    return fails("the samples of the stub are there")


def _larger(jdk: int) -> Evidence:
    sizes = {FEWER: SMALL, LARGER: LARGE}
    return {name: 100 * share(counts.copied(jdk, size), "^unknown_Java$", "lost", MAIN) for name, size in sizes.items()}


def _loses_more(measured: Evidence, jdk: int) -> Judgement:
    if measured[LARGER] > measured[FEWER] + 15:
        return holds("the more time goes into the stub, the more samples hit it: the missing ones are the copy's")
    if measured[LARGER] < measured[FEWER] + 5:
        return fails("no more are lost")
    return unclear("hardly more")


def _left_over(jdk: int) -> Evidence:
    left = counts.left_over(jdk, SMALL)
    in_copy = float((left["method"] == "StubTime::copy").fillna(False).astype(bool).mean())  # NaN without a sample
    return {LEFT: len(left), COPY: 100 * in_copy}


def _shared_out(measured: Evidence, jdk: int) -> Judgement:
    if measured[LEFT] < 5 or isnan(measured[COPY]):
        return unclear(f"of copies of {SMALL} bytes JFR shows fewer than 5 samples: too few to be divided")
    if measured[COPY] < 40:
        return holds("what is left is elsewhere, and its percentages add up to 100 all the same")
    return fails("the method that copies has its share") if measured[COPY] > 60 else unclear("about half")


CLAIMS = [
    Claim(
        "003b-03",
        "Most samples in System.arraycopy are lost as ticks_unknown_java",
        as_published="62.9 %",
        measure=_copying,
        judge=_lost_in_the_stub,
        refuted_by=({"copy, percent": 10.0, "loop, percent": 0.0, "copy, walked by VMStructs, percent": 0.0}, 8),
    ),
    Claim(
        "003b-04",
        "Java Mission Control (JFR) does not tell how many samples it lost",
        as_published="2,617 samples in 60 s, shown as 66.0, 12.6, 7.9, 3.6, 3.4 %",
        measure=_hidden,
        judge=_silent_about_it,
        refuted_by=({"samples of loop": 60, "samples of copy": 60, "of these name copy": 58}, 8),
    ),
    Claim(
        "003b-05",
        "CRC32 is the same blind spot, so a program that goes from Adler32 to CRC32 looks better than it is",
        as_published="said of Cassandra 2 and 3; what CRC32 and arraycopy have in common is that they are intrinsics",
        measure=_checksums,
        judge=_looks_better,
        refuted_by=({"crc32, percent": 0.0, "adler32, percent": 0.0, "loop, percent": 0.0}, 8),
    ),
    Claim(
        "003b-17",
        "With a larger array more samples of System.arraycopy are lost",
        as_published="said: pick one to prove the point",
        measure=_larger,
        judge=_loses_more,
        refuted_by=({FEWER: 60.0, LARGER: 58.0}, 8),
    ),
    Claim(
        "003b-18",
        "Mission Control (JFR) divides the rest as if no sample had failed: most is not in the method that copies",
        as_published="66.0 % at the measurement loop's line 165; 20.6 % in systemArrayCopy, lines 41 and 42",
        measure=_left_over,
        judge=_shared_out,
        refuted_by=({LEFT: 60, COPY: 95.0}, 8),
    ),
]
