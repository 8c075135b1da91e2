"""A method and a bytecode index in it -> the loop around that place, by javap: its lines, and does C2 call it counted.

A counted loop has an int for a counter, a fixed step, and a test against a value that the loop does not change: C2
knows how often it goes round, and by default takes the poll out of it (G1, Z and Shenandoah from 10 on leave one for
1000 rounds, JDK-8186027). javap shows how the loop looks; what the JIT made of it only its machine code tells.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import pandas as pd

from safepointlab.errors import LabError
from safepointlab.jdks import Jdk
from safepointlab.process import shell
from safepointlab.read import bytecode


@dataclass(frozen=True)
class Loop:
    """The innermost loop around a place, and how many loops there are around it."""

    first_line: int | None
    last_line: int | None
    depth: int
    counter: str  # "int", "long", or "" where there is no counter to be seen

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
    own = code[code["method"] == method]
    if bci is None:
        own = own[own["parameters"].isin(own[own["line"] == line]["parameters"])]
    places = [
        (one, bci if bci is not None else int(one[one["line"] == line]["bci"].iloc[-1]))
        for _, one in own.groupby("parameters")
    ]
    return next((loop for one, place in places if (loop := _innermost(one, place))), None)


@lru_cache(maxsize=64)
def _code(jdk: Jdk, classpath: tuple[str, ...], name: str) -> pd.DataFrame | None:
    """The class's bytecode; hidden classes and those of other class loaders cannot be had."""
    javap = jdk.tool("javap")
    if not javap or not re.fullmatch(r"[\w.$]+", name):
        return None
    try:
        text = shell.output_of([str(javap), "-c", "-l", "-p", "-cp", ":".join(classpath) or ".", name])
    except LabError:
        return None
    return bytecode.read(text.splitlines())


def _innermost(code: pd.DataFrame, bci: int) -> Loop | None:
    edges = bytecode.back_edges(code)
    on = edges[(edges["to_bci"] <= bci) & (bci <= edges["from_bci"])]
    if on.empty:
        return None
    heads = on.groupby("to_bci")["from_bci"].max()
    start = int(heads.index.max())
    body = code[(code["bci"] >= start) & (code["bci"] <= heads[start])]
    lines = body["line"].dropna()
    first, last = (int(lines.min()), int(lines.max())) if len(lines) else (None, None)
    return Loop(first, last, len(heads), _counter(body))


def _counter(body: pd.DataFrame) -> str:
    """What the loop counts with: C2's rule as far as bytecode shows it."""
    opcodes = body["opcode"]
    if (opcodes == "iinc").any() and opcodes.str.match(r"if_icmp|if(lt|ge|gt|le|eq|ne)$").any():
        return "int"
    return "long" if opcodes.eq("lcmp").any() and opcodes.eq("ladd").any() else ""
