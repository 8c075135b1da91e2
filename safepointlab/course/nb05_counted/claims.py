"""Which loops are counted, and lose their poll: claims 003e-13 and 003e-14, each run again on one JDK, with Serial."""

from safepointlab.claims.base import Claim, Evidence, Judgement, differs, holds, unclear
from safepointlab.course.nb02_hang.experiments import TOP, fate
from safepointlab.course.nb05_counted import experiments as counted

COMPARED = "intParameter intToLongLimit longIndex strideTwo strideVariable whilePostfix iterator"
DIFFERING = "polled in one of two compiles of the same class, not in the other"


def _compiles(jdk: int) -> Evidence:
    """A shape that one compile polls and the other does not counts if it does so twice in a row."""
    first = counted.compiles(jdk, COMPARED)
    suspects = first.index[first["standard"] != first["osr"]]
    differing = []
    if len(suspects):
        again = counted.compiles(jdk, " ".join(sorted(suspects))).reindex(suspects)
        differing = sorted(again.index[(again == first.loc[suspects]).all(axis=1)])
    return {"shapes": len(first), DIFFERING: len(differing), "these": " ".join(differing)}


def _compile_decides(measured: Evidence) -> Judgement:
    if not measured["shapes"]:
        return unclear("each loop was over too soon")
    if measured[DIFFERING]:
        return holds(
            "entered at the top or in mid-loop, the same source stops or does not: a run tells, the source not"
        )
    return differs("both compiles of each shape agree, so that a rule about the source would do")


def _endless(jdk: int) -> Evidence:
    """How it ends, and how many loops C2's standard version has, and how many of them poll.

    There is no listing where 8 or 11 lacks the disassembler. For the listing the program waits for the compiler
    (-Xbatch): the loop's OSR versions come first, and by itself the program may be over before the method's own code
    is made and printed.
    """
    flags = {"default flags": "", "everything compiled": TOP}
    ends = {name: fate(counted.endless(jdk, line, gc=counted.NO_POLLS)) for name, line in flags.items()}
    log = "assembly=InfiniteYetExits.turnsFrom"
    loops = counted.standard_loops(counted.endless(jdk, counted.BATCH, gc=counted.NO_POLLS, log=log))
    return {**ends, "loops in its code": len(loops), "loops that poll": int(loops["polled"].sum())}


def _exits(measured: Evidence) -> Judgement:
    if "hung" in (measured["default flags"], measured["everything compiled"]):
        return differs("the endless loop can't be stopped")
    if not measured["loops in its code"]:
        return unclear(
            "it exits; no listing of its code tells whether the loop polls (8 and 11 print one only with hsdis)"
        )
    if measured["loops that poll"] < measured["loops in its code"]:
        return differs("it exits, but its loop is compiled without a poll")
    return holds("C2 can't compute the number of iterations, so the loop is not counted: its code has a poll")


CLAIMS = [
    Claim(
        "003e-13",
        "Which loops are counted may depend on bytecode, compiler mode and so on, not on the source alone",
        as_published="a list of examples; “the line between counted and uncounted loops is a tad confusing”",
        measure=_compiles,
        judge=_compile_decides,
        refuted_by={"shapes": 7, DIFFERING: 0, "these": ""},
    ),
    Claim(
        "003e-14",
        "A loop that steps over Integer.MAX_VALUE never ends and is not counted, so that the program exits",
        as_published="one of the examples of counted and uncounted loops",
        measure=_endless,
        judge=_exits,
        refuted_by={
            "default flags": "exited",
            "everything compiled": "hung",
            "loops in its code": 1,
            "loops that poll": 1,
        },
    ),
]
