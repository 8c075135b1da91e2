"""Which loops are counted, and lose their poll: claims 003e-13 and 003e-14, each run again on one JDK, with Serial."""

from safepointlab.claims.base import Claim, Evidence, Judgement, fails, holds
from safepointlab.topics import counted
from safepointlab.topics.hang import TOP


def _shapes(jdk: int) -> Evidence:
    shapes = counted.clocked(counted.shapes(jdk)).dropna()
    bare = sorted(shapes.loc[~shapes["polled"].astype(bool), "shape"])
    return {"shapes": len(shapes), "without a poll": len(bare), "these": " ".join(bare)}


def _neither_all_nor_none(measured: Evidence, jdk: int) -> Judgement:
    if 0 < measured["without a poll"] < measured["shapes"]:
        return holds("the same work in other words is polled or not; only the compiled code tells")
    return fails("all shapes are alike, so that there is no rule to look for")


def _endless(jdk: int) -> Evidence:
    flags = {"default flags": "", "everything compiled": TOP}
    return {name: counted.endless(jdk, line).outcome for name, line in flags.items()}


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
