"""Which loops are counted, and lose their poll: claims 003e-13 and 003e-14, each run again on one JDK."""

from typing import TYPE_CHECKING

from safepointlab.claims.base import Change, Claim, Evidence, Judgement, decide, differs, holds, unclear
from safepointlab.course.nb02_hang.experiments import ECJ, KILLER, TOP, fate
from safepointlab.course.nb05_counted import experiments as counted
from safepointlab.errors import RunFailed

if TYPE_CHECKING:
    import pandas as pd

COMPARED = "intParameter strideTwo whilePostfix iterator"
ONCE, TWICE = "loops that poll after one compile and not after another", "loops that do so twice in a row"
COMPILES = {  # name -> compiler of the class, and what is added to the arguments
    "javac's class, entered at the top": ("javac", ""),
    "javac's class, entered in mid-loop": ("javac", "cold"),
    "Eclipse's class, entered in mid-loop": (ECJ, "cold"),
}
STRIPS = "JDK-8186027 (JDK 10): G1's counted loops poll once in 1,000 iterations"
DEFAULT, COMPILED = "with default flags", "with everything compiled"
LOOPS, POLLED = "loops in its code", "loops in its code that poll"


def _compiled(jdk: int, gc: str | None, names: str) -> "pd.DataFrame":
    """Whether each of these loops is stopped in mid-loop, by the clock: a row per loop, a column per compile."""
    import pandas as pd

    columns = {}
    for name, (compiler, cold) in COMPILES.items():
        clock = counted.clocked(counted.shapes(jdk, f"{names} {cold}".strip(), gc=gc, compiler=compiler))
        columns[name] = clock.set_index("shape")["polled"]
    return pd.DataFrame(columns).dropna().astype(bool)


def _compiles(jdk: int, gc: str | None) -> Evidence:
    """The loops that are stopped in mid-loop after one compile and not after another, twice in a row."""
    first = _compiled(jdk, gc, COMPARED)
    suspects = first.index[first.nunique(axis=1) > 1]
    differing = list[str]()
    if len(suspects):
        again = _compiled(jdk, gc, " ".join(sorted(suspects))).reindex(suspects)
        differing = sorted(again.index[(again == first.loc[suspects]).all(axis=1)])
    return {
        "loops": len(first),
        "loops that poll after each compile": int(first.all(axis=1).sum()),
        ONCE: len(suspects),
        TWICE: len(differing),
        **{name: " ".join(sorted(first.index[first[name]])) or "none" for name in COMPILES},
    }


def _compile_decides(measured: Evidence) -> Judgement:
    loops, always = measured["loops"], measured["loops that poll after each compile"]
    found = (
        f"of {loops} loops {always} poll after each compile, {measured[ONCE]} after one and not after another, "
        f"{measured[TWICE]} of these twice in a row"
    )
    return decide(
        (not loops, unclear("each loop was over too soon to tell")),
        (measured[TWICE] > 0, holds(found)),
        (measured[ONCE] > 0, unclear(found)),
        (always == loops, differs(found, Change(10, STRIPS))),
        otherwise=differs(found),
    )


def _endless(jdk: int, gc: str | None, sample: str = counted.ENDLESS, method: str = "turnsFrom") -> Evidence:
    """How the program ends, and how many loops C2's standard version of the method has, and how many of them poll.

    For the listing the program waits for the compiler (-Xbatch): the loop's OSR versions come first, and by itself the
    program may be over before the method's own code is made and printed.

    Raises:
        RunFailed: the JDK prints no instructions.
    """
    ends = {
        name: fate(counted.endless(jdk, flags, gc, sample=sample)) for name, flags in ((DEFAULT, ""), (COMPILED, TOP))
    }
    log = f"assembly={sample.rpartition('/')[2]}.{method}"
    loops = counted.standard_loops(counted.endless(jdk, counted.BATCH, gc, log, sample))
    if loops.empty:
        raise RunFailed("the JDK prints no instructions: 8 and 11 need the disassembler hsdis")
    return {**ends, LOOPS: len(loops), POLLED: int(loops["polled"].sum())}


def _exits(measured: Evidence) -> Judgement:
    found = (
        f"{DEFAULT} it {measured[DEFAULT]}, {COMPILED} it {measured[COMPILED]}; {measured[POLLED]} of "
        f"{measured[LOOPS]} loops in its code poll"
    )
    exited = measured[DEFAULT] == measured[COMPILED] == "exited"
    return holds(found) if exited and measured[POLLED] == measured[LOOPS] else differs(found)


CLAIMS = [
    Claim(
        "003e-13",
        "Whether a loop loses its poll may depend on how it was compiled, not on its source alone",
        as_published="“the classification may depend on differences in bytecode, compiler mode, and so on”: that of "
        "loops as counted, which lose their polls, or uncounted; a list of examples",
        measure=_compiles,
        judge=_compile_decides,
        rule="of four loops at least one is stopped in mid-loop after one compile and waited for after another, twice "
        "in a row: the classes are javac's and Eclipse's, their code entered at the top (standard version) or in "
        "mid-loop (OSR)",
        mechanism="C2 counts a loop whose exit test is at its back edge. In a standard version it moves the test "
        "there (loop inversion, after ciTypeFlow::clone_loop_heads); at the entry of an OSR version it does not, so "
        "the bytecode's shape, which differs by compiler, counts for more; a later pass may still turn the loop "
        "around (-XX:+PartialPeelLoop). With G1 on JDK 10 and later, counted loops poll between strips (JDK-8186027), "
        "so whether a loop is counted is not seen there; that it polls, is.",
        setup="The lab's own loops. The post lists ways in which a loop comes to be counted or not; asked here is what "
        "that is to a stop: whether the loop polls, told by the clock, by whether a collection comes in mid-loop or "
        "after the loop.",
        collectors=True,
        times=True,
        version=2,
    ),
    Claim(
        "003e-14",
        "A loop that steps over Integer.MAX_VALUE never ends, but it is not counted, so the program still exits",
        as_published="one of the examples of counted and uncounted loops",
        measure=_endless,
        judge=_exits,
        rule="the program exits with default flags and where C2 compiles everything before its first call, and each "
        "loop in C2's standard version of the method polls",
        mechanism="If an index may step over the largest int C2 counts the loop behind a check of the limit, made "
        "once before the loop (PhaseIdealLoop::is_counted_loop). Against a constant limit of Integer.MAX_VALUE that "
        "check would fail for certain, so the loop is not counted and keeps its poll.",
        setup="The lab's own program with the post's loop, i += 2 up to Integer.MAX_VALUE; main sleeps for 0.5 s.",
        collectors=True,
        refuted_by=lambda jdk: _endless(jdk, "Serial", KILLER, "countOdds"),  # its loops do end, and are counted
        version=2,
    ),
]
