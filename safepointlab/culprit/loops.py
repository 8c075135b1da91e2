"""A place in a method -> the loop around it, and whether C2 knows how often that loop runs.

C2 calls a loop counted (loopnode.cpp, PhaseIdealLoop::is_counted_loop) if a local variable changes by the same constant
in each iteration, and a test that leaves the loop compares it with a limit that stays. Then it removes the loop's poll
(G1, Z and Shenandoah from 10 on keep one per strip of 1000 iterations, JDK-8186027; a loop over a long has an inner one
over an int since 16, JDK-8223051). The bytecode shows all of that but what calls and fields hold: whether such a limit
stays, C2 decides after inlining.

>>> from safepointlab.logs import bytecode
>>> code = '''class Odd {
...   static void odds(int);
...     Code:
...        0: iconst_0
...        1: istore_1
...        2: iload_1
...        3: iload_0
...        4: if_icmpge     13
...        7: iinc_w        1, 200
...       10: goto          2
...       13: return
... '''
>>> counter(bytecode.read(code.splitlines()), 2, 10)
'int'
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import pandas as pd

from safepointlab.errors import LabError
from safepointlab.jdks import Jdk
from safepointlab.logs import bytecode
from safepointlab.process import shell
from safepointlab.process.replay import answered

KINDS = {
    "int": "counted by an int",
    "long": "counted by a long",
    "perhaps": "counted if its limit stays: that is a field or a call",
    "": "not counted: no test of it compares a counter of constant steps with a limit that stays",
}
NEW_ARRAY = re.compile(r"reflect\.Array::(newArray|multiNewArray)|Object::clone|Unsafe::allocateUninitializedArray0?$")
INLINED = 8  # callers that the innermost method may have been inlined into


@dataclass(frozen=True)
class Loop:
    """The innermost loop around a place, and how many loops there are around it; `counter` is one of KINDS."""

    first_line: int | None
    last_line: int | None
    depth: int
    counter: str
    calls: bool = True  # whether it calls a method

    @property
    def lines(self) -> str:
        if not self.first_line:
            return "no line numbers"
        one_line = self.first_line == self.last_line
        return f"line {self.first_line}" if one_line else f"lines {self.first_line} to {self.last_line}"

    def __str__(self) -> str:
        return f"{KINDS[self.counter]}, {self.lines}" + (f", innermost of {self.depth}" if self.depth > 1 else "")


def loop_of_stack(
    jdk: Jdk, classpath: Sequence[str], frames: list[tuple[str, str]], bci: Any
) -> tuple[Loop | None, str]:
    """The loop around the innermost of these frames, and its method.

    A method without a loop is late only as a part of a caller that it was inlined into: it would poll at its return.
    """
    for depth, (method, number) in enumerate(frames[: INLINED + 1]):
        at = bci if depth == 0 and bci != "" else None
        if loop := loop_around(jdk, classpath, method, at, int(number) if number.isdigit() else None):
            return loop, method
    return None, ""


def loop_around(
    jdk: Jdk, classpath: Sequence[str], method: str, bci: int | None = None, line: int | None = None
) -> Loop | None:
    """The loop around this bytecode, or else around this line; None if there is none, or the class cannot be read."""
    code = class_code(jdk, tuple(classpath), method.rpartition("::")[0])
    if code is None or (bci is None and line is None):
        return None
    for _, overload in code[code["method"] == method].groupby("parameters"):
        of_line = overload[overload["line"] == line]["bci"]
        if bci is None and of_line.empty:
            continue
        if bci is not None and line is not None and of_line.empty:  # another method of that name
            continue
        edges = bytecode.back_edges(overload)
        places = [bci] if bci is not None else of_line.tolist()[::-1]  # of a whole method in one line, one in its loop
        around = (edges[(edges["to_bci"] <= at) & (at <= edges["from_bci"])] for at in places)
        enclosing = next((found for found in around if len(found)), edges.iloc[:0])
        if not enclosing.empty:
            return _innermost(overload, enclosing)
    return None


def counted_loops(jdk: Jdk, classpath: Sequence[str], method: str, line: int | None = None) -> list[Loop]:
    """The loops of a method from which C2 may remove the poll, without those around another of them.

    The line, if there is one, only chooses among methods of the same name.
    """
    code = class_code(jdk, tuple(classpath), method.rpartition("::")[0])
    if code is None:
        return []
    overloads = [overload for _, overload in code[code["method"] == method].groupby("parameters")]
    of_line = [overload for overload in overloads if line is not None and overload["line"].eq(line).any()]
    found = []
    for overload in of_line or overloads:
        edges = bytecode.back_edges(overload)
        ends, inner = edges.groupby("to_bci")["from_bci"].max(), list[int]()
        for start in sorted(ends.index, reverse=True):
            around = edges[(edges["to_bci"] <= start) & (edges["from_bci"] >= start)]
            loop = _innermost(overload, around)
            if loop.counter and not any(start < other <= ends[start] for other in inner):
                inner.append(start)
                found.append(loop)
    return sorted(found, key=lambda loop: loop.first_line or 0)


def _innermost(method: pd.DataFrame, enclosing: pd.DataFrame) -> Loop:
    """The innermost of the loops of these backward branches, which are around one place."""
    heads = enclosing.groupby("to_bci")["from_bci"].max()
    start = int(heads.index.max())
    body = method[(method["bci"] >= start) & (method["bci"] <= heads[start])]
    lines = body["line"].dropna()
    first, last = (int(lines.min()), int(lines.max())) if len(lines) else (None, None)
    calls = bool(body["opcode"].str.startswith("invoke").any())
    return Loop(first, last, len(heads), counter(method, start, int(heads[start])), calls)


def allocates_array(jdk: Jdk, classpath: Sequence[str], method: str, line: str) -> bool:
    """Whether this line of the method makes a new array, as far as its bytecode or the method's own name shows."""
    if NEW_ARRAY.search(method):
        return True
    code = class_code(jdk, tuple(classpath), method.rpartition("::")[0])
    if code is None or not line.isdigit():
        return False
    there = code[(code["method"] == method) & (code["line"] == int(line))]
    return bool(there["opcode"].isin(["newarray", "anewarray", "multianewarray"]).any())


@lru_cache(maxsize=64)
def class_code(jdk: Jdk, classpath: tuple[str, ...], name: str) -> pd.DataFrame | None:
    """The class's bytecode; None for hidden classes and those of other class loaders, which javap cannot read."""
    javap = jdk.tool("javap")
    if not javap or not re.fullmatch(r"[\w.$]+", name):
        return None
    try:
        command = [str(javap), "-c", "-l", "-p", "-cp", ":".join(classpath) or ".", name]
        text = answered("printed", " ".join(command), lambda: shell.output_of(command))
    except LabError:
        return None
    return bytecode.read(text.splitlines())


@dataclass(frozen=True)
class Value:
    """What is known of a value on the stack: `local` plus `offset`, a constant `offset`, or only what it depends on."""

    local: int | None = None
    offset: int | None = None
    locals: frozenset[int] = frozenset()
    fields: frozenset[str] = frozenset()
    known: bool = True  # not the result of a call, nor of what is not modelled here
    long: bool = False

    def shifted(self, other: "Value", sign: int) -> "Value":
        """The sum or the difference of this value and another."""
        joined = self.joined(other)
        if self.offset is None or other.offset is None:
            return joined
        if other.local is None:
            return replace(joined, local=self.local, offset=self.offset + sign * other.offset)
        if self.local is None and sign > 0:
            return replace(joined, local=other.local, offset=self.offset + other.offset)
        return joined

    def joined(self, other: "Value") -> "Value":
        """A value that depends on both."""
        known, is_long = self.known and other.known, self.long or other.long
        return Value(None, None, self.locals | other.locals, self.fields | other.fields, known, is_long)


UNKNOWN = Value(known=False)
LOAD, STORE = re.compile(r"([ilfda])load(?:_(\d))?"), re.compile(r"([ilfda])store(?:_(\d))?")
CONSTANT = re.compile(r"(?:[ilfda]const_(m?\d|null)|[bs]ipush|ldc(?:2)?)")
BINARY = re.compile(r"[ilfd](add|sub|mul|div|rem|shl|shr|ushr|and|or|xor)")
INVOKED, ARGUMENT = re.compile(r":\((.*)\)(.)"), re.compile(r"\[*(?:L[^;]+;|\w)")
ENDS = re.compile(r"\w?return|athrow|goto|tableswitch|lookupswitch|ret")
OPPOSITE = {"if_icmpne", "if_icmpeq", "ifne", "ifeq"}


@dataclass
class Body:
    """A loop's bytecode, run through once: how its locals change, and between what its branches choose."""

    steps: dict[int, list[int | None]] = field(default_factory=lambda: defaultdict(list))
    fields: set[str] = field(default_factory=set)
    calls: bool = False
    tests: list[tuple[dict[Any, Any], Value, Value]] = field(default_factory=list)
    compared: tuple[Value, Value] | None = None  # by lcmp, for the branch that follows

    def run(self, rows: list[dict[Any, Any]], targets: set[int]) -> "Body":
        """Follow the instructions in their order; at the target of a branch nothing is known of the stack."""
        stack: list[Value] = []
        for row in rows:
            stack = [] if row["bci"] in targets else stack
            self._step(stack, row["opcode"].removesuffix("_w"), row["operand"] or "", row)
        return self

    def _step(self, stack: list[Value], opcode: str, operand: str, row: dict[Any, Any]) -> None:
        def pop() -> Value:
            return stack.pop() if stack else UNKNOWN

        if match := LOAD.fullmatch(opcode):
            number = int(match[2] or operand)
            stack.append(Value(number, 0, frozenset({number}), long=match[1] == "l"))
        elif match := STORE.fullmatch(opcode):
            number, value = int(match[2] or operand), pop()
            self.steps[number].append(value.offset if value.local == number else None)
        elif opcode == "iinc":
            number, step = (int(part) for part in operand.split(","))
            self.steps[number].append(step)
        elif CONSTANT.fullmatch(opcode):
            stack.append(Value(offset=_constant(opcode, operand), long=opcode.startswith(("l", "ldc2"))))
        elif match := BINARY.fullmatch(opcode):
            right, left = pop(), pop()
            sign = {"add": 1, "sub": -1}.get(match[1], 0)
            stack.append(left.shifted(right, sign) if sign else left.joined(right))
        elif opcode in ("lcmp", "fcmpl", "fcmpg", "dcmpl", "dcmpg"):
            right, left = pop(), pop()
            self.compared = (left, right) if opcode == "lcmp" else (UNKNOWN, UNKNOWN)
            stack.append(UNKNOWN)
        elif opcode.startswith("if_"):
            right, left = pop(), pop()
            self.tests.append((row, left, right))
        elif opcode.startswith("if"):
            value = pop()
            self.tests.append((row, *(self.compared or (value, Value(offset=0)))))
            self.compared = None
        elif opcode in ("i2b", "i2c", "i2s", "checkcast", "nop", "ineg", "lneg"):
            if opcode.endswith("neg"):
                stack.append(pop().joined(Value()))
        elif opcode in ("arraylength", "i2l", "l2i", "i2f", "i2d", "getfield"):
            value = pop().joined(Value())
            stack.append(value.joined(Value(fields=frozenset({operand}))) if opcode == "getfield" else value)
        elif opcode == "getstatic":
            stack.append(Value(fields=frozenset({operand})))
        elif re.fullmatch(r"[ilfdabcs]aload", opcode):
            index, array = pop(), pop()
            stack.append(index.joined(array).joined(Value(fields=frozenset({"[]"}))))
        elif opcode in ("dup", "dup2"):
            stack += stack[-1:]
        else:
            if opcode in ("putfield", "putstatic"):
                self.fields.add(operand)
            if re.fullmatch(r"[ilfdabcs]astore", opcode):
                self.fields.add("[]")
            if not (call := INVOKED.search(operand)) or not opcode.startswith("invoke"):
                stack.clear()
                return
            self.calls = True
            has_receiver = opcode not in ("invokestatic", "invokedynamic")
            size = len(ARGUMENT.findall(call[1])) + has_receiver
            del stack[len(stack) - min(size, len(stack)) :]
            stack += [] if call[2] == "V" else [UNKNOWN]


def _constant(opcode: str, operand: str) -> int | None:
    """The whole number that a constant is: "sipush 4096", "iconst_m1", "ldc #7 // int 65536"; None of other types."""
    text = opcode.partition("_")[2].replace("m", "-") or operand.rpartition(" ")[2].removesuffix("l")
    return int(text) if re.fullmatch(r"-?\d+", text) else None


def counter(method: pd.DataFrame, start: int, end: int) -> str:
    """Which of KINDS the loop between these two bytecodes is."""
    rows = [row for row in method.to_dict("records") if start <= row["bci"] <= end]
    targets = {int(target) for target in method["target"].dropna()}
    body, kinds = Body().run(rows, targets), set[str]()
    for place, left, right in body.tests:
        if not _leaves(rows, place, start, end):
            continue
        for value, limit in ((left, right), (right, left)):
            steps = body.steps.get(value.local, []) if value.local is not None else []
            if len(steps) != 1 or not steps[0]:
                continue
            if place["opcode"] in OPPOSITE and abs(steps[0]) != 1:
                continue
            if limit.locals & body.steps.keys():
                continue
            kind = "long" if value.long else "int"
            stays = limit.known and not (limit.fields and (body.calls or limit.fields & body.fields))
            kinds.add(kind if stays else "perhaps")
    return next((kind for kind in ("int", "long", "perhaps") if kind in kinds), "")


def _leaves(rows: list[dict[Any, Any]], test: dict[Any, Any], start: int, end: int) -> bool:
    """Whether one of the test's two ways is out of the loop: its target, or what follows it."""
    if not start <= test["target"] <= end:
        return True
    following = [row for row in rows if row["bci"] > test["bci"]]
    last = next((row for row in following if ENDS.match(row["opcode"]) or pd.notna(row["target"])), None)
    if last is None:
        return True  # it ends the loop: its target is the next iteration
    is_jump = last["opcode"].startswith("goto")
    return (is_jump and not start <= last["target"] <= end) or bool(re.match(r"\w?return|athrow", last["opcode"]))
