"""A claim -> a short text that changes when what it measures does: the result of an older measure is not current.

It covers the measure, every function and constant of `claims` and `topics` that it reaches by name, and the Java
source of each sample that these name. The judge is no part of it, since kept evidence is judged again; nor are the
lab's readers.
"""

import functools
import hashlib
import inspect
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from safepointlab.claims.base import Claim
from safepointlab.programs import benchmarks, build

OURS = ("safepointlab.claims", "safepointlab.topics")
SAMPLE = re.compile(r"\b([a-z]+)[/.]([A-Z]\w*)")  # hang/KillerTask, osr.AddOne.inline


def of(claim: Claim) -> str:
    """The fingerprint of a claim: 16 hexadecimal digits; "" of one that is not run."""
    if not claim.measure:
        return ""
    parts: dict[str, None] = {}
    _reach(claim.measure, parts, set())
    sources = sorted({text for part in parts for text in _samples(part)})
    return hashlib.sha256("\n".join([*parts, *sources]).encode()).hexdigest()[:16]


def _reach(thing: Any, parts: dict[str, None], seen: set[int]) -> None:
    """Add what the thing is made of, and all that it reaches."""
    if id(thing) in seen:
        return
    seen.add(id(thing))
    parts[_words(thing)] = None
    for other in _reached(thing):
        _reach(other, parts, seen)


def _words(thing: Any) -> str:
    if isinstance(thing, FunctionType):
        return _code(thing.__code__)
    return inspect.getsource(thing) if isinstance(thing, type) else _value(thing)


def _value(thing: Any) -> str:
    """A constant in words, the same in every session: sets in order, and nothing of what has only an address."""
    if isinstance(thing, Mapping):
        return f"{[(_value(key), _value(value)) for key, value in thing.items()]}"
    if isinstance(thing, list | tuple):
        return f"{[_value(each) for each in thing]}"
    if isinstance(thing, set | frozenset):
        return f"{sorted(_value(each) for each in thing)}"
    return "" if " at 0x" in (words := repr(thing)) else words


def _code(code: CodeType) -> str:
    """What the code does, without its place in the file, and without its docstring."""
    constants = [_code(each) if isinstance(each, CodeType) else _value(each) for each in code.co_consts]
    return f"{code.co_name} {code.co_code.hex()} {code.co_names} {code.co_varnames} {constants}"


def _reached(thing: Any) -> Iterator[Any]:
    if isinstance(thing, functools.partial):
        yield from (thing.func, *thing.args, *thing.keywords.values())
    elif isinstance(thing, FunctionType):
        yield from thing.__defaults__ or ()
        yield from (thing.__kwdefaults__ or {}).values()
        cells = [cell.cell_contents for cell in thing.__closure__ or ()]
        yield from (content for content in cells if not isinstance(content, list | dict | set))  # those may grow
        yield from _named(set(_names(thing.__code__)), thing.__globals__)
    elif isinstance(thing, Mapping):
        yield from thing.values()
    elif isinstance(thing, list | tuple | set | frozenset):
        yield from thing
    elif hasattr(thing, "__wrapped__"):
        yield thing.__wrapped__


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _names(each)


def _named(names: set[str], place: Mapping[str, Any]) -> Iterator[Any]:
    """What the claims and topics themselves define under those names: functions, classes and CONSTANTS, no variables.

    A name within a module of theirs counts, too.
    """
    for name in sorted(names & set(place)):
        thing = place[name]
        if isinstance(thing, ModuleType):
            if thing.__name__.startswith(OURS):
                yield from _named(names, vars(thing))
        elif name.isupper() or callable(thing) and str(getattr(thing, "__module__", "")).startswith(OURS):
            yield thing


def _samples(text: str) -> Iterator[str]:
    for match in SAMPLE.finditer(text):
        if source := _sources().get(match.groups()):  # type: ignore[arg-type]
            yield source.read_text("utf-8")


@functools.cache
def _sources() -> dict[tuple[str, str], Path]:
    return {(file.parent.name, file.stem): file for file in (*build.sample_files(), *benchmarks.sources())}
