"""The machine code of a loop and its lines -> the iterations of the source between two polls, by its own constants.

C2 multiplies LoopStripMiningIter by the stride of the inner loop (OuterStripMinedLoopNode::adjust_strip_mined_loop in
loopnode.cpp), and unrolling makes that stride longer: a strip of 1,000 iterations of a loop that was unrolled 16 times
are 16,000 of the source. The code of the outer loop compares with that product.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from safepointlab.logs.assembly import loops

STRIP = 1000  # LoopStripMiningIter where strip mining is on by default


def between_polls(code: pd.DataFrame, lines: set[int]) -> int:
    """The iterations between two polls of these lines' loop: those of a strip if it was strip mined, else one."""
    spans = [_Span.of(row) for row in loops(code).to_dict("records")]
    poll = _number(code.loc[(code["poll"] == "loop") & code["line"].isin(lines), "address"].iloc[0])
    outer = max((span for span in spans if span.holds(poll)), key=lambda span: (span.depth, -span.length), default=None)
    inner = next((span for span in spans if not span.polled and outer and _around(span, spans) is outer), None)
    return _limit(code, outer, inner) if outer and inner else 1


@dataclass(frozen=True)
class _Span:
    """A loop of the machine code: from its header to its branch back."""

    header: int
    back: int
    depth: int
    polled: bool

    @classmethod
    def of(cls, row: dict[Any, Any]) -> "_Span":
        return cls(_number(row["header"]), _number(row["back_edge"]), int(row["depth"]), bool(row["polled"]))

    @property
    def length(self) -> int:
        return self.back - self.header

    def holds(self, address: int) -> bool:
        return self.header <= address <= self.back


def _around(inner: _Span, spans: Sequence[_Span]) -> _Span | None:
    """The loop around it, by the branch back: compilers rotate loops, so its header may lie before the outer's."""
    outer = (span for span in spans if span.depth == inner.depth - 1 and span.holds(inner.back))
    return min(outer, key=lambda span: span.length, default=None)


def _limit(code: pd.DataFrame, outer: _Span, inner: _Span) -> int:
    """The constant that the outer loop compares the rest of the iterations with."""
    places = code["address"].map(_number)
    own = code[places.between(outer.header, outer.back) & ~places.between(inner.header, inner.back)]
    compared = own["instruction"].str.extract(r"^cmp.*?\b0x([0-9a-f]+)\b(?!\()", expand=False).dropna()
    limits = [number for number in map(_number, compared) if number and number % STRIP == 0]
    return max(limits, default=STRIP)


def _number(digits: str) -> int:
    return int(digits, 16)
