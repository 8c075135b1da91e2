"""Listings of code -> what one call of each case of KnownAnswer executes, line by line, and where it polls on the way.

    polls.calls(serial, g1, interpreter)        what pictures.sliding draws

The lines and their order are those of the bytecode. The polls of compiled code are those that C2 wrote in these runs;
the interpreter's are in the templates that its JVM printed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from safepointlab.course.nb20_blame.output import CASES, CULPRITS
from safepointlab.errors import BadInput, RunFailed
from safepointlab.logs import bytecode, interpreter
from safepointlab.logs.assembly import loops
from safepointlab.run.load import runs
from safepointlab.run.run import Run

CLASS, DRIVER = "KnownAnswer", "drive"
C2 = 4  # the tier
BYTES = 50_000  # that the hot loop sums in one call
LISTENERS = 3  # in the list that the setters walk
STRIP = 1000  # LoopStripMiningIter where strip mining is on by default
COLUMNS = {
    "jdk": "int64", "polls": "string", "case": "string", "method": "string", "first": "int64", "last": "int64",
    "text": "string", "iterations": "int64", "every": "Int64", "named_method": "string", "named_line": "Int64",
}  # fmt: skip


@dataclass(frozen=True)
class Place:
    """A method of the sample, and a line of the file."""

    method: str
    line: int


@dataclass(frozen=True)
class Stretch:
    """Lines that run one after the other: a whole loop, or a part of one line."""

    method: str
    first: int
    last: int
    iterations: int = 1
    every: int | None = None  # iterations between two polls; none without one
    named: Place | None = None  # what a look at such a poll has on top of the stack


class Compiled:
    """The polls in C2's versions: of each case's lambda, of what is not inlined there, and of the driver."""

    def __init__(self, machine: pd.DataFrame) -> None:
        standard = machine[machine["osr_bci"].isna() & machine["tier"].notna()]  # entered at the beginning
        rank = 1_000_000 * standard["tier"] + standard["compile_id"]
        best = standard[rank == rank.groupby(standard["method"]).transform("max")]
        self.units: dict[str, pd.DataFrame] = {}
        for method, code in best.groupby("method", sort=False):
            name = str(method).partition("::")[2]
            if "$$Lambda" in str(method):  # it is called by the case that is inlined there
                comments = " ".join(code["comment"].dropna())
                name = next((case for case in CASES if f"{CLASS}::{case}@" in comments), str(method))
            self.units[name] = code

    def is_unit(self, method: str) -> bool:
        """Whether the method has code of its own that its caller calls: then it has an entry in the listing."""
        return method in self.units

    def in_loop(self, unit: str, loop: Sequence[Any]) -> int | None:
        """The iterations between two polls of this loop (its rows of bytecode) in the code of `unit`."""
        code, lines = self._code(unit), {row["line"] for row in loop}
        polled = ((code["poll"] == "loop") & code["line"].isin(lines)).any()
        return iterations_between_polls(code, lines) if polled else None

    def at_return(self, unit: str, row: Any, caller: Place) -> Place | None:
        """Who is on top of the stack at the poll of this return: the caller, as the frame is gone; none without one."""
        own = row["method"] == unit and (self._code(unit)["poll"] == "return").any()
        return caller if own else None

    def _code(self, unit: str) -> pd.DataFrame:
        if unit not in self.units or (unit != DRIVER and self.units[unit]["tier"].iloc[0] < C2):
            raise RunFailed(
                f"C2 did not compile {unit} before the program ended, so its polls are not known. "
                "Looked in the listing of its machine code. Run it again on a quieter machine."
            )
        return self.units[unit]


class Interpreted:
    """The polls in the templates of the interpreter, as Compiled has them."""

    def __init__(self, templates: pd.DataFrame) -> None:
        self.polled = set(templates.loc[templates["poll"].notna(), "bytecode"])

    def is_unit(self, method: str) -> bool:  # noqa: ARG002 - as in Compiled
        """Each method is called."""
        return True

    def in_loop(self, unit: str, loop: Sequence[Any]) -> int | None:  # noqa: ARG002 - as in Compiled
        """The branch back is taken in every iteration."""
        return 1 if loop[-1]["opcode"] in self.polled else None

    def at_return(self, unit: str, row: Any, caller: Place) -> Place | None:  # noqa: ARG002 - as in Compiled
        """It polls before the frame is removed."""
        return Place(row["method"], row["line"]) if row["opcode"] in self.polled else None


Polls = Compiled | Interpreted


def iterations_between_polls(code: pd.DataFrame, lines: set[int]) -> int:
    """The iterations between two polls of these lines' loop: those of a strip if it was strip mined, else one.

    C2 multiplies LoopStripMiningIter by the stride of the inner loop (OuterStripMinedLoopNode::adjust_strip_mined_loop
    in loopnode.cpp), and unrolling makes that stride longer: a strip of 1,000 iterations of a loop that was unrolled 16
    times are 16,000 of the source. The code of the outer loop compares with that product.
    """
    spans = loops(code)
    header, back = spans["header"].map(_number), spans["back_edge"].map(_number)
    spans = spans.assign(start=header, end=back, length=back - header)
    poll = _number(code.loc[(code["poll"] == "loop") & code["line"].isin(lines), "address"].iloc[0])
    around = spans[spans["start"].le(poll) & spans["end"].ge(poll)].sort_values(["depth", "length"], kind="stable")
    if around.empty:
        return 1
    outer = around[around["depth"] == around["depth"].max()].iloc[0]
    places = code["address"].map(_number)
    for inner in spans[~spans["polled"].astype(bool)].to_dict("records"):
        # by the branch back: compilers rotate loops, so the header may lie before that of the loop around it
        outside = spans[spans["start"].le(inner["end"]) & spans["end"].ge(inner["end"])]
        outside = outside[outside["depth"] == inner["depth"] - 1]
        if len(outside) and outside["length"].idxmin() == outer.name:
            own = places.between(outer["start"], outer["end"]) & ~places.between(inner["start"], inner["end"])
            compared = code[own]["instruction"].str.extract(r"^cmp.*?\b0x([0-9a-f]+)\b(?!\()", expand=False).dropna()
            limits = [number for number in map(_number, compared) if number and number % STRIP == 0]
            return max(limits, default=STRIP)
    return 1


def _number(digits: str) -> int:
    return int(digits, 16)


def calls(*results: Any) -> pd.DataFrame:
    """One row per stretch of a call, in the order in which it runs.

    Args:
        results: runs of KnownAnswer that list the machine code of its cases (log="assembly=..."), and runs with
            -XX:+PrintInterpreter and log="compilation"; or frames of `lab.sweep` that name such runs.

    Returns:
        jdk, polls (which code: "C2, G1", "interpreter"; with the JDK if there are several) and case; method, first and
        last line, and the text of the first; how many iterations of it a call has; every (iterations between two
        polls; missing without a poll), and the method and line that a look at that poll has on top of the stack.

    Raises:
        BadInput: no run lists the machine code of KnownAnswer.
        RunFailed: C2 did not compile a case before the program ended.
    """
    given = runs(*results)
    compiled = [run for run in given if run.name == CLASS and "assembly" in {log.kind for log in run.request.log}]
    if not compiled:
        raise BadInput(f'No run here lists the machine code of {CLASS}. Run it with log="assembly=...".')
    known: list[tuple[Run, str, Polls]] = [
        (run, f"C2, {run.request.gc or 'default collector'}", Compiled(run.assembly)) for run in compiled
    ]
    for run in given:
        if "-XX:+PrintInterpreter" in run.request.flags:
            templates = interpreter.read(run.logs("compilation"))
            # JDK 8 exchanges its dispatch table instead of polling, and 8 and 11 print instructions only with hsdis
            known += [(run, "interpreter", Interpreted(templates))] if templates["poll"].notna().any() else []
    several = len({run.major for run, _, _ in known}) > 1
    methods = methods_of(bytecode.read(compiled[0].program.javap().splitlines()))
    source = compiled[0].source.splitlines()
    rows = []
    for run, name, polls in known:
        for case in CASES[:4]:
            for one in stretches(methods, case, polls):
                text = source[one.first - 1].partition("//")[0].strip()
                named = (one.named.method, one.named.line) if one.named else (None, None)
                place = [run.major, f"{name}, JDK {run.major}" if several else name, case, one.method]
                rows.append([*place, one.first, one.last, text, one.iterations, one.every, *named])
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(COLUMNS)


def methods_of(code: pd.DataFrame) -> dict[str, list[dict[Any, Any]]]:
    """The bytecodes of each method of the class, by the method's name."""
    short = code.assign(method=code["method"].str.replace(rf"^{CLASS}::", "", regex=True))
    return {str(name): rows.to_dict("records") for name, rows in short.groupby("method", sort=False)}


def stretches(methods: dict[str, list[dict[Any, Any]]], case: str, polls: Polls) -> Iterator[Stretch]:
    """One call: the case as the driver's loop calls it, and that loop's own way back."""
    loop = methods[DRIVER][:-1]
    line = next(row["line"] for row in loop if row["opcode"] == "invokeinterface")
    yield from _of_call(methods, case, case, Place(DRIVER, line), polls)
    every = polls.in_loop(DRIVER, [row for row in loop if row["line"] == line])
    yield Stretch(DRIVER, line, line, 1, every, Place(DRIVER, line) if every else None)


def _of_call(
    methods: dict[str, list[dict[Any, Any]]], method: str, unit: str, caller: Place, polls: Polls
) -> Iterator[Stretch]:
    """The stretches of one call, those of the methods that it calls among them."""
    rows, place = methods[method], 0
    while place < len(rows):
        row = rows[place]
        callee = str(row["operand"]).partition("// Method ")[2].partition(":")[0]
        end = next((other["bci"] for other in rows[place:] if other["target"] == row["bci"]), None)
        if end is not None:
            loop = [other for other in rows[place:] if other["bci"] <= end]
            lines, every = [other["line"] for other in loop], polls.in_loop(unit, loop)
            times = BYTES if method in CULPRITS else LISTENERS
            named = Place(method, loop[-1]["line"]) if every else None
            yield Stretch(method, min(lines), max(lines), times, every, named)
            place += len(loop)
            continue
        if row["opcode"] == "invokestatic" and callee in methods:
            yield Stretch(method, row["line"], row["line"])
            inner = callee if polls.is_unit(callee) else unit
            yield from _of_call(methods, callee, inner, Place(method, row["line"]), polls)
        elif row["opcode"].endswith("return"):
            named = polls.at_return(unit, row, caller)
            yield Stretch(method, row["line"], row["line"], 1, 1 if named else None, named)
        place += 1
