"""A line under EXPECT and the output of a RUN line -> the terms of EXPECT that do not hold.

exited; heard = in_mid_loop; 3 * gc_ms < above.gc_ms; no /odd numbers/

hung, exited         the program was killed at its deadline, or ended by itself without an error
name = text          the program printed `name=text`
a > 2 * b            numbers: `name=12`, `At safepoint: 12 ns` in a log (At_safepoint), the score of a benchmark
median(a)            of a name that was printed several times: first, last, min, max, median, count
above.a              the value in the output of the RUN line before
/regex/              some line matches; `no /regex/`: no line; `/regex/ 5 times`, `/regex/ at least 5 times`
"""

import ast
import operator
import re
import statistics
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

COMPARED: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
COMPUTED: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
PICKED: dict[str, Callable[[list[float]], float]] = {
    "first": operator.itemgetter(0),
    "last": operator.itemgetter(-1),
    "min": min,
    "max": max,
    "median": statistics.median,
    "count": len,
}
# "gc_ms=929", "    558 heard=in_mid_loop" behind a line of the compilation log
NAMED = re.compile(r"\b([A-Za-z_]\w*)=([^\s,;]+)")
# "..., Reaching safepoint: 156984 ns, Cleanup: 69679 ns", "request 1: 1261 ms", "Copy: 5 times, 461 ms"
LABELLED = re.compile(r"(?:^|[,\]] )([A-Za-z][\w ]*): +(\d[\d.]*)", re.MULTILINE)
# "  17 default   cost.BesideDumps.beside avgt   2 contains1   55.663096   46.353206 us/op": benchmark, metric, score
SCORED = re.compile(r"\.(\w+) +(?:avgt|thrpt|sample|ss) +\d+ +(\S+) +([\d.]+)")


@dataclass(frozen=True)
class Printed:
    """The result of a RUN line: its end ("exited", "hung" or the exit code), its output, the line above's result."""

    outcome: str
    text: str
    above: "Printed | None" = None

    @cached_property
    def values(self) -> dict[str, list[str]]:
        """Each name with all its values, in the order of the output."""
        scores = [
            (method if metric == "score" else metric, score) for method, metric, score in SCORED.findall(self.text)
        ]
        values: dict[str, list[str]] = defaultdict(list)
        for name, value in [*NAMED.findall(self.text), *LABELLED.findall(self.text), *scores]:
            values[re.sub(r"\W", "_", name)].append(value)
        return values

    def numbers(self, name: str) -> list[float]:
        """The numbers under a name; for `above.gc_ms` those of the line above. A dot in a metric's name counts as `_`.

        Raises:
            LookupError: nothing of that name was printed.
        """
        if self.above and name.startswith("above."):
            return self.above.numbers(name.removeprefix("above."))
        if not (values := self.values.get(name.replace(".", "_"))):
            raise LookupError(name)
        return [float(value) for value in values]


@dataclass(frozen=True)
class Outcome:
    """`hung` or `exited`."""

    end: str

    def holds(self, printed: Printed) -> bool:
        """Whether the RUN line ended in this way."""
        return printed.outcome == self.end


@dataclass(frozen=True)
class Lines:
    """`/regex/`, and how many lines may match."""

    pattern: str
    least: int
    most: float

    def holds(self, printed: Printed) -> bool:
        """Whether the number of matching lines is within the bounds."""
        matching = sum(bool(re.search(self.pattern, line)) for line in printed.text.splitlines())
        return self.least <= matching <= self.most


@dataclass(frozen=True)
class Equal:
    """`name = text`, of a name that is printed once."""

    name: str
    text: str

    def holds(self, printed: Printed) -> bool:
        """Whether the name was printed once, with this value."""
        return printed.values.get(self.name) == [self.text]


@dataclass(frozen=True)
class Relation:
    """`left < right`, of printed numbers: the one kind of term that a busy machine may falsify."""

    left: ast.expr
    sign: str
    right: ast.expr

    def holds(self, printed: Printed) -> bool:
        """Whether the relation holds; false if one of its names was not printed."""
        try:
            return COMPARED[self.sign](_number(self.left, printed), _number(self.right, printed))
        except LookupError:
            return False


Term = Outcome | Lines | Equal | Relation


def parse(expectation: str) -> dict[str, Term]:
    """The terms of a line under EXPECT, by their text.

    Raises:
        ValueError: a term has none of the forms above.
    """
    return {text: _term(text) for text in re.split(r"; *", expectation)}


def wrong(expectation: str, printed: Printed) -> dict[str, Term]:
    """The terms that do not hold, by their text.

    >>> list(wrong("exited; gc_ms > 9; /main/", Printed("exited", "gc_ms=7")))
    ['gc_ms > 9', '/main/']
    """
    return {text: term for text, term in parse(expectation).items() if not term.holds(printed)}


def _term(text: str) -> Term:
    if text in ("hung", "exited"):
        return Outcome(text)
    if lines := re.fullmatch(r"(no )?/(.+)/(?: (at least )?(\d+) times)?", text):
        return _lines(*lines.groups())
    if equal := re.fullmatch(r"(\w+) = (\S+)", text):
        return Equal(equal[1], equal[2])
    if relation := re.fullmatch(r"(.+?) ([<>]=?) (.+)", text):
        left, right = (ast.parse(side, mode="eval").body for side in (relation[1], relation[3]))
        return Relation(left, relation[2], right)
    raise ValueError(f"no term of an expectation: {text!r}")


def _lines(negated: str | None, pattern: str, at_least: str | None, times: str | None) -> Lines:
    if negated:
        return Lines(pattern, 0, 0)
    return Lines(pattern, int(times or 1), int(times) if times and not at_least else float("inf"))


def _number(node: ast.expr, printed: Printed) -> float:
    match node:
        case ast.Constant(value=int() | float() as number):
            return number
        case ast.BinOp(left=left, op=op, right=right):
            return COMPUTED[type(op)](_number(left, printed), _number(right, printed))
        case ast.Call(func=ast.Name(id=name), args=names):
            return PICKED[name]([value for each in names for value in printed.numbers(ast.unparse(each))])
    (only,) = printed.numbers(ast.unparse(node))
    return only
