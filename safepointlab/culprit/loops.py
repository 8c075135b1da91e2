"""A method and a bytecode index in it -> the loop around that place, by javap: its lines, and whether it is counted.

A counted loop has an int counter, a constant step, and a test against a loop invariant: C2 knows the number of its
iterations, and by default removes its poll (G1, Z and Shenandoah from 10 on keep one per 1000 iterations, JDK-8186027).
javap shows the shape of the loop; only its machine code shows what the JIT made of it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import pandas as pd

from safepointlab.errors import LabError
from safepointlab.jdks import Jdk
from safepointlab.logs import bytecode
from safepointlab.process import shell
from safepointlab.process.replay import answered


@dataclass(frozen=True)
class Loop:
    """The innermost loop around a place, and how many loops there are around it."""

    first_line: int | None
    last_line: int | None
    depth: int
    counter: str  # "int", "long", or "" if the bytecode shows no counter

    def __str__(self) -> str:
        lines = f"lines {self.first_line} to {self.last_line}" if self.first_line else "no line numbers"
        kind = {"int": "counted by an int", "long": "counted by a long"}.get(
            self.counter, "not counted, as far as javap shows"
        )
        return f"{kind}, {lines}" + (f", innermost of {self.depth}" if self.depth > 1 else "")


def around(
    jdk: Jdk, classpath: Sequence[str], method: str, bci: int | None = None, line: int | None = None
) -> Loop | None:
    """The loop around this bytecode, or else around this line; None if there is none, or the class cannot be read."""
    code = _code(jdk, tuple(classpath), method.rpartition("::")[0])
    if code is None or (bci is None and line is None):
        return None
    overloads = code[code["method"] == method]
    if bci is None:
        overloads = overloads[overloads["parameters"].isin(overloads[overloads["line"] == line]["parameters"])]
    places = [
        (overload, bci if bci is not None else int(overload[overload["line"] == line]["bci"].iloc[-1]))
        for _, overload in overloads.groupby("parameters")
    ]
    return next((loop for overload, place in places if (loop := _innermost(overload, place))), None)


@lru_cache(maxsize=64)
def _code(jdk: Jdk, classpath: tuple[str, ...], name: str) -> pd.DataFrame | None:
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


def _innermost(code: pd.DataFrame, bci: int) -> Loop | None:
    edges = bytecode.back_edges(code)
    enclosing = edges[(edges["to_bci"] <= bci) & (bci <= edges["from_bci"])]
    if enclosing.empty:
        return None
    heads = enclosing.groupby("to_bci")["from_bci"].max()
    start = int(heads.index.max())
    body = code[(code["bci"] >= start) & (code["bci"] <= heads[start])]
    lines = body["line"].dropna()
    first, last = (int(lines.min()), int(lines.max())) if len(lines) else (None, None)
    return Loop(first, last, len(heads), _counter(body))


def _counter(body: pd.DataFrame) -> str:
    """The type of the loop's counter, by C2's rule as far as bytecode shows it."""
    opcodes = body["opcode"]
    if (opcodes == "iinc").any() and opcodes.str.match(r"if_icmp|if(lt|ge|gt|le|eq|ne)$").any():
        return "int"
    return "long" if opcodes.eq("lcmp").any() and opcodes.eq("ladd").any() else ""
