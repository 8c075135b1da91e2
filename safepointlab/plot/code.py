"""A method (of a Run, a Program or given frames) -> its source, bytecode and machine code side by side, polls marked.

    plot.code(run, "OddC::odds")

Every row carries the number and the colour of its source line. Jumps back are arrows, in the bytecode and in the machine
code: a full line where the loop has a poll, a broken one where it has none. What lies between is folded.

Columns used: of `read.bytecode` method, bci, opcode, operand, target and, where there is one, line; of `read.assembly`
method, compile_id, tier, osr_bci, address, instruction, poll, line; of its `loops` method, compile_id, header, back_edge,
polled. Any of them may be missing: then that column is left out, or no arrow is drawn.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from safepointlab.errors import LabError
from safepointlab.plot._columns import Arrow, Column, Row, fold, page

ADDRESS = re.compile(r"\b0x[0-9a-f]{8,16}\b")
NOTE = "● poll in a loop   ○ poll at the return   solid arrow: a loop with a poll   ✗ broken arrow: a loop without"
WIDTHS = {"source": 56, "bytecode": 34, "assembly": 52}


@dataclass(frozen=True)
class Code:
    """The view: HTML in a notebook, one line in a terminal, and the counts for a check."""

    title: str
    columns: tuple[Column, ...]
    polls: int
    loops: int
    unpolled: int

    def _repr_html_(self) -> str:
        return page(self.title, NOTE, self.columns)

    def __repr__(self) -> str:
        return f"<Code {self.title} · {' | '.join(column.title for column in self.columns)}>"


def code(
    subject: Any = None,
    method: str = "",
    *,
    source: str | Sequence[str] | None = None,
    bytecode: pd.DataFrame | None = None,
    assembly: pd.DataFrame | None = None,
    loops: pd.DataFrame | None = None,
    compile_id: int | None = None,
    rows: int = 60,
    title: str | None = None,
) -> Code:
    """Show one method; what is not given is taken from the Run or Program.

    Args:
        method: any part of `pkg.Class::name` that names it.
        source: the source text, or its lines from the first on.
        compile_id: which of several compiles; else the last one of the highest tier.
        rows: the most rows that a column may have.
    """
    source = _given(source, subject, "source")
    byte_rows = _of_method(_given(bytecode, subject, "bytecode"), method)
    compiled = _one_compile(_of_method(_given(assembly, subject, "assembly"), method), compile_id)
    found = _same_compile(_of_method(_given(loops, subject, "loops"), method), compiled)
    columns = (
        _source(source, byte_rows, compiled, found, method, rows),
        _bytecode(byte_rows, rows),
        _assembly(compiled, found, rows),
    )
    return _view(title, method, columns, compiled, found)
