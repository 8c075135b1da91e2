"""A method (of a Run or a Program) -> its source, bytecode and machine code side by side, polls marked.

    plot.code(run, "OddC::odds")

Every row carries the number and the colour of its source line. Jumps back are arrows, in the bytecode and in the
machine code: a full line where the loop has a poll, a broken one where it has none. What lies between is folded.

A line under the mouse or the cursor keys lights up in all columns. The VM notes lines at polls and calls only, so the
other instructions light up with the loop that the line belongs to. Without a script the same listing stands still.

Columns used: of `logs.bytecode` method, bci, opcode, operand, target, line; of `logs.assembly` method, compile_id,
tier, osr_bci, address, instruction, poll, line; of its `loops` method, compile_id, header, back_edge, polled, depth.
Without bytecode or machine code its column is left out; without loops no arrow is drawn in the machine code.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from safepointlab.errors import BadInput, LabError
from safepointlab.logs import bytecode as bytecode_reader
from safepointlab.plot import _columns, _listing, interactive
from safepointlab.plot._columns import Column
from safepointlab.plot._listing import Frame

NOTE = (
    "● poll in a loop · ○ poll at the return · full blue arrow: a loop with a poll · ✗ broken red arrow: a loop without"
)


@dataclass(frozen=True)
class Code:
    """The view: HTML in a notebook, one line in a terminal, and the counts for a check."""

    title: str
    columns: tuple[Column, ...]
    polls: int
    loops: int
    unpolled: int
    words: Mapping[int, str] = field(default_factory=dict)  # of each line that ends a loop: what became of that loop

    @property
    def still(self) -> str:
        """The listing that an untrusted notebook shows."""
        return _columns.listing(self.title, NOTE, self.columns)

    def _repr_html_(self) -> str:
        data = {"title": self.title, "note": NOTE, **_columns.data(self.columns, self.words)}
        return interactive.page("code", data, self.still, self.title)

    def __repr__(self) -> str:
        return f"<Code {self.title} · {' | '.join(column.title for column in self.columns)}>"


def code(subject: Any, method: str = "", *, compile_id: int | None = None, title: str | None = None) -> Code:
    """Show one method of a Run or a Program, as far as it has tables of it.

    Args:
        method: any part of `pkg.Class::name` that names it.
        compile_id: which of several compiles; by default the last standard version of the highest tier, or if there is
            none its last OSR version.

    Raises:
        BadInput: the subject is neither a Run nor a Program.
    """
    if not hasattr(subject, "source"):
        raise BadInput(f"plot.code cannot draw {type(subject).__name__}. It draws a method of a Run or a Program.")
    source = subject.source if isinstance(subject.source, str) else subject.source.read_text("utf-8")
    bytecode, assembly, loops = (captured(subject, kind) for kind in ("bytecode", "assembly", "loops"))
    opcodes = of_method(bytecode, method)
    machine = _listing.with_own_lines(one_compile(of_method(assembly, method), compile_id))
    own = of_method(loops, method)
    if own is not None and machine is not None and len(machine):
        own = own[own["compile_id"] == machine["compile_id"].iloc[0]]
    machine_loops = [] if machine is None or machine.empty else _listing.loops_of(own)
    polled_by_line = _listing.verdicts(opcodes, machine, machine_loops)
    nests = _listing.Nests(opcodes, machine, machine_loops)
    columns = [
        _listing.source(source, method, opcodes, polled_by_line, nests),
        _listing.bytecode(opcodes, polled_by_line, nests),
        _listing.assembly(machine, machine_loops, nests),
    ]
    shown_columns = tuple(column for column in columns if column is not None)
    polls = int(machine["poll"].notna().sum()) if machine is not None else 0
    unpolled = sum(not loop.polled for loop in machine_loops)
    finding = title or _finding(method, machine, machine_loops)
    return Code(finding, shown_columns, polls, len(machine_loops), unpolled, nests.words())


def captured(subject: Any, kind: str) -> Frame:
    """A table of a Run or a Program; None if the run did not capture it."""
    if kind == "bytecode" and hasattr(subject, "javap"):
        return bytecode_reader.read(subject.javap().splitlines())
    try:
        return getattr(subject, kind, None)
    except LabError:
        return None


def of_method(frame: Frame, method: str) -> Frame:
    """The rows of one method: the first whose name ends with `method`, else contains it; of its overloads the first."""
    if frame is None or frame.empty or not method:
        return frame
    names = frame["method"].astype("string")
    matches = [name for name in names.dropna().unique() if method in name]
    if not matches:
        return None
    best = next((name for name in matches if name.endswith(method)), matches[0])
    rows = frame[(names == best).fillna(False)]
    first: Frame = rows[rows["parameters"] == rows["parameters"].iloc[0]] if "parameters" in rows else rows
    return first


def one_compile(frame: Frame, compile_id: int | None = None) -> Frame:
    """The instructions of one compile: the given one, else the last of the highest tier (a missing tier is C2).

    Of that tier a standard version, if there is one, goes before those by OSR.
    """
    if frame is None or frame.empty:
        return None
    if compile_id is None:
        tier = frame["tier"].astype("Int64").fillna(4)
        highest = frame[tier == tier.max()]
        standard = highest[highest["osr_bci"].isna()]
        compile_id = (highest if standard.empty else standard)["compile_id"].iloc[-1]
    return frame[frame["compile_id"] == compile_id]


def _finding(method: str, machine: Frame, loops: list[_listing.Loop]) -> str:
    """How many loops have no poll, and how many of these lie in one that has."""
    if machine is None or machine.empty:
        return f"{method}: source and bytecode"
    name = f"{machine['method'].iloc[0]} ({_listing.compiler(machine)})"
    unpolled = [loop for loop in loops if not loop.polled]
    if not loops:
        return f"{name}: no loop, {int(machine['poll'].notna().sum())} polls"
    if not unpolled:
        return f"{name}: {'its loop has' if len(loops) == 1 else f'each of its {len(loops)} loops has'} a poll"
    if len(unpolled) == len(loops):
        return f"{name}: {'its loop has no' if len(loops) == 1 else f'none of its {len(loops)} loops has a'} poll"
    inside = sum(any(loop.polled and loop.around(bare_loop) for loop in loops) for bare_loop in unpolled)
    which = f"{inside} of them" if inside < len(unpolled) else "but it's" if inside == 1 else "each of them"
    rest = f", {which} inside a loop that has one" if inside else ""
    return f"{name}: {len(unpolled)} of {len(loops)} loops {'has' if len(unpolled) == 1 else 'have'} no poll{rest}"
