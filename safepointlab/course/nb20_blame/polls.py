"""Listings of code -> what one call of each case of KnownAnswer executes, line by line, and where it polls on the way.

    polls.calls(serial, g1, interpreter)        what pictures.sliding draws

The lines and their order are those of the bytecode. The polls of compiled code are those that C2 wrote in these runs;
the interpreter's are in the templates that its JVM printed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from safepointlab.course.nb20_blame import experiments, strips
from safepointlab.course.nb20_blame.output import CASES, CULPRITS
from safepointlab.errors import BadInput, RunFailed
from safepointlab.logs import bytecode, interpreter
from safepointlab.run.load import runs
from safepointlab.run.run import Run

if TYPE_CHECKING:
    import pandas as pd

CLASS, DRIVER = "KnownAnswer", "drive"
PRINT_INTERPRETER = "-XX:+PrintInterpreter"
C2 = 4  # the tier
LISTENERS = 3  # in the list that the setters walk
COLUMNS = {
    "jdk": "int64",
    "polls": "string",
    "case": "string",
    "method": "string",
    "first": "int64",
    "last": "int64",
    "text": "string",
    "iterations": "int64",
    "every": "Int64",
    "named_method": "string",
    "named_line": "Int64",
}


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


class Polls(Protocol):
    """Where some kind of code polls."""

    def in_loop(self, unit: str, loop: Sequence[Any]) -> int | None:
        """The iterations between two polls of this loop (its rows of bytecode) in the code of `unit`."""

    def at_return(self, unit: str, row: Any, caller: Place) -> Place | None:
        """Who is on top of the stack at the poll of this return; none if it has no poll."""

    def is_unit(self, method: str) -> bool:
        """Whether the method has code of its own that its caller calls."""


class Compiled:
    """The polls in C2's versions: of each case's lambda, of what is not inlined there, and of the driver."""

    def __init__(self, machine: "pd.DataFrame") -> None:
        self.units = {_unit(str(method), code): code for method, code in _last(machine).groupby("method", sort=False)}

    def is_unit(self, method: str) -> bool:
        """What is kept out of its callers has an entry of its own in the listing."""
        return method in self.units

    def in_loop(self, unit: str, loop: Sequence[Any]) -> int | None:
        """Strip mining leaves the inner loop without a poll, and puts one into the loop around it."""
        code, lines = self._code(unit), {row["line"] for row in loop}
        if not ((code["poll"] == "loop") & code["line"].isin(lines)).any():
            return None
        return strips.between_polls(code, lines)

    def at_return(self, unit: str, row: Any, caller: Place) -> Place | None:
        """Only what was called returns, and its frame is gone at the poll: the caller is on top."""
        own = row["method"] == unit and (self._code(unit)["poll"] == "return").any()
        return caller if own else None

    def _code(self, unit: str) -> "pd.DataFrame":
        if unit not in self.units or (unit != DRIVER and self.units[unit]["tier"].iloc[0] < C2):
            raise RunFailed(
                f"C2 did not compile {unit} before the program ended, so its polls are not known. "
                "Looked in the listing of its machine code. Run it again on a quieter machine."
            )
        return self.units[unit]


class Interpreted:
    """The polls in the templates of the interpreter."""

    def __init__(self, templates: "pd.DataFrame") -> None:
        self.polled = set(templates.loc[templates["poll"].notna(), "bytecode"])

    def is_unit(self, method: str) -> bool:  # noqa: ARG002 - as in Polls
        """Each method is called."""
        return True

    def in_loop(self, unit: str, loop: Sequence[Any]) -> int | None:  # noqa: ARG002 - as in Polls
        """The branch back is taken in every iteration."""
        return 1 if loop[-1]["opcode"] in self.polled else None

    def at_return(self, unit: str, row: Any, caller: Place) -> Place | None:  # noqa: ARG002 - as in Polls
        """It polls before the frame is removed."""
        return Place(row["method"], row["line"]) if row["opcode"] in self.polled else None


def calls(*results: Any) -> "pd.DataFrame":
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
    import pandas as pd

    given = runs(*results)
    compiled = [run for run in given if run.name == CLASS and "assembly" in {log.kind for log in run.request.log}]
    if not compiled:
        raise BadInput(f'No run here lists the machine code of {CLASS}. Run it with log="assembly=...".')
    known: list[tuple[Run, str, Polls]] = [(run, _code_of(run), Compiled(run.assembly)) for run in compiled]
    templates = ((run, _templates(run)) for run in given if PRINT_INTERPRETER in run.request.flags)
    # JDK 8 exchanges its dispatch table instead of polling, and 8 and 11 print instructions only with hsdis
    known += [(run, "interpreter", Interpreted(table)) for run, table in templates if table["poll"].notna().any()]
    several = len({run.major for run, _, _ in known}) > 1
    walks = _Walks(bytecode.read(compiled[0].program.javap().splitlines()))
    source = compiled[0].source.splitlines()
    rows = [
        [run.major, f"{name}, JDK {run.major}" if several else name, case, *_row(stretch, source)]
        for run, name, polls in known
        for case in CASES[:4]
        for stretch in walks.of_case(case, polls)
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(COLUMNS)


def _code_of(run: Run) -> str:
    return f"C2, {run.request.gc or 'default collector'}"


def _templates(run: Run) -> "pd.DataFrame":
    return interpreter.read(run.logs("compilation"))


def _row(stretch: Stretch, source: Sequence[str]) -> list[Any]:
    text = source[stretch.first - 1].partition("//")[0].strip()
    named = (stretch.named.method, stretch.named.line) if stretch.named else (None, None)
    return [stretch.method, stretch.first, stretch.last, text, stretch.iterations, stretch.every, *named]


class _Walks:
    """The bytecode of the class, and what runs when one of its methods is called."""

    def __init__(self, code: "pd.DataFrame") -> None:
        short = code.assign(method=code["method"].str.replace(rf"^{CLASS}::", "", regex=True))
        self.code = {str(name): rows.to_dict("records") for name, rows in short.groupby("method", sort=False)}

    def of_case(self, case: str, polls: Polls) -> Iterator[Stretch]:
        """One call: the case as the driver's loop calls it, and that loop's own way back."""
        loop = self.code[DRIVER][:-1]
        line = next(row["line"] for row in loop if row["opcode"] == "invokeinterface")
        yield from self.of_call(case, case, Place(DRIVER, line), polls)
        every = polls.in_loop(DRIVER, [row for row in loop if row["line"] == line])
        yield Stretch(DRIVER, line, line, 1, every, Place(DRIVER, line) if every else None)

    def of_call(self, method: str, unit: str, caller: Place, polls: Polls) -> Iterator[Stretch]:
        """The stretches of one call, those of the methods that it calls among them."""
        rows, place = self.code[method], 0
        while place < len(rows):
            end = next((row["bci"] for row in rows[place:] if row["target"] == rows[place]["bci"]), None)
            if end is not None:
                loop = [row for row in rows[place:] if row["bci"] <= end]
                yield _loop(loop, polls.in_loop(unit, loop))
                place += len(loop)
                continue
            yield from self._step(rows[place], unit, caller, polls)
            place += 1

    def _step(self, row: dict[Any, Any], unit: str, caller: Place, polls: Polls) -> Iterator[Stretch]:
        """What one bytecode adds: the call that it makes, or its line where that ends with a call or a return."""
        callee = str(row["operand"]).partition("// Method ")[2].partition(":")[0]
        if row["opcode"] == "invokestatic" and callee in self.code:
            yield Stretch(row["method"], row["line"], row["line"])
            inner = callee if polls.is_unit(callee) else unit
            yield from self.of_call(callee, inner, Place(row["method"], row["line"]), polls)
        elif row["opcode"].endswith("return"):
            named = polls.at_return(unit, row, caller)
            yield Stretch(row["method"], row["line"], row["line"], 1, 1 if named else None, named)


def _loop(rows: Sequence[Any], every: int | None) -> Stretch:
    method, back, lines = rows[0]["method"], rows[-1]["line"], [row["line"] for row in rows]
    times = experiments.BYTES if method in CULPRITS else LISTENERS
    return Stretch(method, min(lines), max(lines), times, every, Place(method, back) if every else None)


def _last(machine: "pd.DataFrame") -> "pd.DataFrame":
    """The best and last version of each method that is entered at its beginning."""
    standard = machine[machine["osr_bci"].isna() & machine["tier"].notna()]
    rank = 1_000_000 * standard["tier"] + standard["compile_id"]
    return standard[rank == rank.groupby(standard["method"]).transform("max")]


def _unit(method: str, code: "pd.DataFrame") -> str:
    """The method's own name; of a lambda's, that of the case which is inlined there."""
    if "$$Lambda" not in method:
        return method.partition("::")[2]
    comments = " ".join(code["comment"].dropna())
    return next((case for case in CASES if f"{CLASS}::{case}@" in comments), method)
