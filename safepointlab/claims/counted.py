"""Which loops are counted, and lose their poll: claims 003e-13 and 003e-14, each run again on one JDK, with Serial."""

from safepointlab.claims.base import Claim, Evidence, Judgement, fails, holds
from safepointlab.run import launch

SHAPES = "intParameter longIndex intToLongLimit strideTwo strideVariable overflowing whilePostfix callNotInlined"
SLEEP_MS = 500


def _shapes(jdk: int) -> Evidence:
    from safepointlab.topics import counted_output

    args = f"30000000 {SHAPES}"
    run = launch.java("counted/LoopShapes", jdk, "-Xbatch", gc="Serial", args=args, deadline=60, reuse=True)
    found = counted_output.read(run.output.splitlines()).dropna()
    bare = sorted(found.loc[~found["polled"].astype(bool), "shape"])
    return {"shapes": len(found), "without a poll": len(bare), "these": " ".join(bare)}


def _neither_all_nor_none(measured: Evidence, jdk: int) -> Judgement:
    if 0 < measured["without a poll"] < measured["shapes"]:
        return holds("the same work in other words is polled or not; only the compiled code tells")
    return fails("all shapes are alike, so that there is no rule to look for")


def _endless(jdk: int) -> Evidence:
    flags = {"default flags": "", "everything compiled": "-XX:-TieredCompilation -Xcomp"}
    runs = {name: launch.java("counted/InfiniteYetExits", jdk, line, args=[SLEEP_MS], deadline=8, reuse=True)
            for name, line in flags.items()}  # fmt: skip
    return {name: run.outcome for name, run in runs.items()}


def _exits(measured: Evidence, jdk: int) -> Judgement:
    if set(measured.values()) == {"exited"}:
        return holds("C2 can't compute the number of turns, so the loop is not counted, and keeps its poll")
    return fails("the endless loop can't be stopped")


CLAIMS = [
    Claim(
        "003e-13",
        "One cannot tell from the source which loops are counted",
        then="a list of shapes, and an appeal to look at the assembly",
        measure=_shapes,
        judge=_neither_all_nor_none,
        refuted_by=({"shapes": 8, "without a poll": 0, "these": ""}, 8),
    ),
    Claim(
        "003e-14",
        "A loop that steps over Integer.MAX_VALUE never ends, and yet the program exits",
        then="exits",
        measure=_endless,
        judge=_exits,
        refuted_by=({"default flags": "exited", "everything compiled": "hung"}, 8),
    ),
]
