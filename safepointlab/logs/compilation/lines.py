"""Lines of text -> the compile lines among them, column by column: uptimes, compile ids, and the rest of each line.

This module decides where a line of the VM begins and ends amid what the program printed around and within it. A
program can also print lines like the VM's, and digits directly in front of one. Two rules of the VM expose such lines:
within one run a compile id belongs to one method, and time does not run backwards (by more than the moment between
reading the clock and printing).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from safepointlab.logs.lines.columns import Array

SLACK_MS = 20.0  # compiler threads may print in another order than they read the clock
NEAR = 64  # consecutive lines in which digits may precede the time
FEW = 8  # lines; if time stays back for as many, another run's log begins

BLANKS = " " * 6  # the least before the method: a blank tier and the indentation
SAMPLE = 20_000  # characters from which to tell whether most lines are compile lines
WIDE = 12  # 7 for the time, a blank, 4 for the compile id: where these are right-aligned, no line of the VM is narrower

# Time and compile id, right-aligned up to 17.0.15, the time left-aligned from 17.0.21 and 21 on:
#     417   13 %     3       Odd::countOdds @ 12 (44 bytes)   made not entrant
# 121    7 %     3       Odd::countOdds @ 12 (44 bytes)   made not entrant: OSR invalidation of lower level
# The header of an assembly listing repeats the line, but is no event:
# Compiled method (c1)     322   13 %     3       Odd::countOdds @ 12 (44 bytes)
_NO_HEADER = r"(?<!method \(c[12]\))(?<!method \(n/a\))"
_CLOCK = rf"{_NO_HEADER}((?:(?<! ) +|(?<![ 0-9]))[0-9]{{1,10}} {{1,4}}[0-9]{{1,9}})"

# [0.093s][debug][jit,compilation]    4       3       java.lang.StringLatin1::hashCode (42 bytes)
_LAST = r"\[(?:jit,compilation|debug|info|trace|[0-9.,]+m?s|[0-9]+ns|[0-9]+-[0-9]+-[0-9]+T[^\]\n]{1,40}) {0,20}\]"
_DECORATED = (
    rf"((?:\[[^\]\n]{{1,90}}\]){{0,12}}{_LAST}) +([0-9]{{1,9}})"  # a line has twelve at most, a host's name too
)

# Behind both: five marks, each in its own place or blank, the tier, and the rest.
MARKS = r"[% ][s ][! ][b ][n ] (?:[0-4-] )?     "
LINE_START = rf"(?:{_DECORATED}|{_CLOCK}) {MARKS}"
_LINE = re.compile(rf"(?:{_DECORATED}|{_CLOCK}) ({MARKS}[^\n]+)\n")

# Up to 25 the VM writes a line in pieces, and what the program prints may come in between. Here it printed "0 ":
#    1924 0 130       4       java.lang.Integer::stringSize (47 bytes)   COMPILE SKIPPED: out of nodes parsing method
_ALIGNED_TIME = "|".join(rf" {{{7 - digits}}}[0-9]{{{digits}}}" for digits in range(1, 7))
_TIME = rf"((?<! )(?:{_ALIGNED_TIME})|(?<![ 0-9])[0-9]{{1,10}})"
_ID = r"( {3}[0-9]|  [0-9][0-9]| [0-9]{3}|[0-9]{4,9})"
_CUT_IN = (
    rf"[^\n]+?{_ID} ({MARKS})",
    rf"{_ID} [^\n]+?({MARKS})",
    rf"{_ID} ([% ][s ][! ][b ][n ] [0-4-] )[^\n]+?(     )",
    rf"{_ID} ([% ][s ][! ][b ][n ] )[^\n]+?((?:[0-4-] )?     )",
)
_METHOD_FOLLOWS = r"(?= [^\s(]\S*::\S+(?: @ -?[0-9]{1,6})? \((?:[0-9]{1,6} bytes|native)\))"
_TORN = re.compile(rf"{_NO_HEADER}{_TIME} (?:{'|'.join(_CUT_IN)}){_METHOD_FOLLOWS}")

# One of a decoration's stamps, or the end of the line
_STAMP = re.compile(r"\[([0-9]+(?:[.,][0-9]+)?)(ns|ms|s)\]|\n")


@dataclass(frozen=True)
class Lines:
    """`tails`: the lines from their marks on. `doubtful`: in the VM's format, but not in its columns."""

    uptimes: Array
    ids: Array
    tails: list[str]
    doubtful: Array


def compile_lines(text: str) -> Lines | None:
    """The compile lines among these lines; None if there is none."""
    text = _possible(text)
    parts = _LINE.split(text)
    narrow = _narrow(parts[3::5])
    aligned = narrow.size > 0 and bool(narrow.mean() < 0.1)
    if (aligned and narrow.any()) or any(map(_TORN.search, filter(None, parts[::5]))):
        parts = _LINE.split("\n".join(_mended(line, aligned) for line in text.split("\n")))
        narrow = _narrow(parts[3::5])
    if len(parts) == 1:
        return None
    decorations, ids, clocks, tails = (parts[group::5] for group in range(1, 5))
    return Lines(*_clocks(decorations, ids, clocks), tails, doubtful=narrow & aligned)


def _possible(text: str) -> str:
    """The text, without lines of inlining trees ("@ 3   Foo::bar") and of assembly if it begins with many of them."""
    sample = text[:SAMPLE]
    lines = sample.count("\n")
    if sample.count("::") > 0.8 * lines and sample.count("@ ") < 0.2 * lines:
        return text
    kept = [line for line in text.split("\n") if BLANKS in line and not line.lstrip(" ").startswith(("0x", ";"))]
    return "\n".join([line for line in kept if "@ " not in line or "::" in line.partition("@ ")[0]] + [""])


def _narrow(clocks: list[str | None]) -> Array:
    """True if time and id are narrower than the VM's columns; if few lines are, the VM of this log aligns them."""
    known = [clock or " " * WIDE for clock in clocks] if None in clocks else clocks
    return np.fromiter(map(len, known), np.int32, len(known)) < WIDE  # type: ignore[arg-type]


def _mended(line: str, aligned: bool) -> str:
    """A torn line, without what the program printed within it."""
    whole = _LINE.search(line + "\n")
    if whole and not (aligned and whole[3] and len(whole[3]) < WIDE):
        return line
    if torn := _TORN.search(line):
        time, number, *marks = (piece for piece in torn.groups() if piece)
        return f"{time} {number} {''.join(marks)}{line[torn.end() :]}"
    return line


def _clocks(decorations: list[Any], ids: list[str | None], clocks: list[str | None]) -> tuple[Array, Array]:
    """Uptimes in ms and compile ids, from `    417   13` or from the decorations."""
    if decorations.count(None) == len(decorations):
        both = np.fromstring(" ".join(clocks), np.int64, sep=" ").reshape(-1, 2)  # type: ignore[arg-type]
        return both[:, 0].astype(np.float64), both[:, 1].astype(np.int32)
    if None not in decorations:
        return _uptimes(decorations), np.fromstring(" ".join(ids), np.int32, sep=" ")  # type: ignore[arg-type]
    pairs = [
        (_uptimes([decoration])[0], int(number)) if decoration and number else tuple(map(int, str(clock).split()))
        for decoration, number, clock in zip(decorations, ids, clocks, strict=True)
    ]
    both = np.array(pairs, np.float64)
    return both[:, 0], both[:, 1].astype(np.int32)


def _uptimes(decorations: list[str]) -> Array:
    """Milliseconds: from uptimenanos if it agrees with the uptime, else from the uptime, else from uptimemillis.

    >>> _uptimes(["[0.093s][5093123456ns][93123456ns][debug][jit,compilation]", "[1795153743317ms][93ms]"])
    array([93.123456, 93.      ])
    """
    stamps = _STAMP.findall("\n".join([*decorations, ""]))
    units = [unit for _, unit in stamps]
    layout = units[: units.index("") + 1]
    if units != layout * len(decorations):
        return np.concatenate([_uptimes([decoration]) for decoration in decorations])
    columns = dict.fromkeys(("s", "ms", "ns"), np.full(len(decorations), np.nan))
    for place, unit in enumerate(layout[:-1]):  # of two with one unit the uptime comes last
        numbers = " ".join([number for number, _ in stamps[place :: len(layout)]])
        columns[unit] = np.fromstring(numbers.replace(",", "."), sep=" ")
    uptime = np.where(np.isnan(columns["s"]), columns["ms"], columns["s"] * 1000)
    exact = columns["ns"] / 1e6
    return np.where(np.isnan(uptime) | (abs(exact - uptime) < 2), exact, uptime)


def unglued(uptimes: Array) -> Array:
    """Uptimes without the digits that the program printed just before them: `step 1` + `465 ...` reads as 1465.

    >>> unglued(np.array([464.0, 7465.0, 1465.0, 466.0])).tolist()
    [464.0, 465.0, 465.0, 466.0]
    """
    for last in np.flatnonzero(uptimes[:-1] > uptimes[1:] + SLACK_MS):
        latest = uptimes[last + 1] + SLACK_MS
        late = last + 1 - int(np.argmin(np.append(uptimes[max(last + 1 - NEAR, 0) : last + 1][::-1] > latest, False)))
        for row in range(late, last + 1):
            earliest = (uptimes[row - 1] if row else 0.0) - SLACK_MS
            digits = str(int(uptimes[row]))
            ends = (float(digits[cut:]) for cut in range(1, len(digits)) if digits[cut] != "0")
            uptimes[row] = next((end for end in ends if earliest <= end <= latest), uptimes[row])
    return uptimes


def contradicting(uptimes: Array, ids: Array, methods: Array, osr: Array | None = None) -> Array:
    """True for lines of the program: their compile id is that of another method. Methods are codes, -1 is unknown.

    Which of two methods the VM means, time tells if it runs backwards in the lines of one. Otherwise it is the method
    whose line stands where the VM had come to this id, for the VM counts upwards.

    >>> uptimes, ids, methods = np.array([90.0, 500, 100, 510]), np.array([12, 13, 12, 14]), np.array([7, 8, 9, 5])
    >>> contradicting(uptimes, ids, methods).tolist()
    [False, False, True, False]
    """
    alien = np.zeros(len(ids), np.bool_)
    for start, end in _runs(uptimes):
        run, known = slice(start, end), methods[start:end]
        keys = _keys(ids[run], None if osr is None else osr[run])
        named = known >= 0  # the log does not name an unloaded method
        owners = np.full(int(keys.max(initial=-1)) + 1, -1, np.int32)
        owners[keys[named][::-1]] = known[named][::-1]  # of several values for one place numpy keeps the last
        if not (renamed := named & (known != owners[keys])).any():
            continue
        shared = np.zeros(len(owners), np.bool_)
        shared[keys[renamed]] = True
        disputed, times, place = named & shared[keys], uptimes[run], np.arange(end - start)
        before = np.maximum.accumulate(np.where(disputed, 0, place))  # the last undisputed line, and the next one
        after = np.minimum.accumulate(np.where(disputed, len(place) - 1, place)[::-1])[::-1]
        untimely = (times < times[before] - SLACK_MS) | (times > times[after] + SLACK_MS)
        distance = abs(ids[run] - np.maximum.accumulate(np.where(disputed, 0, ids[run])))
        likeliest_last = np.lexsort((-place, -distance, ~untimely))
        likeliest_last = likeliest_last[disputed[likeliest_last]]
        owners[keys[likeliest_last]] = known[likeliest_last]
        alien[run] = disputed & (known != owners[keys])
        if 2 * shared.sum() > len(np.unique(keys)):  # the lines of several JVMs, mixed
            alien[run] &= untimely
    return alien


def _keys(ids: Array, osr: Array | None) -> Array:
    """A small number for each compile id. A debug build counts OSR compiles separately, starting at 1 (CICountOSR)."""
    numbers = ids
    if osr is not None and osr.any() and (own := np.unique(ids[osr])).max() <= 2 * len(own):
        numbers = 2 * ids.astype(np.int64) + osr
    # the ids themselves are numbers small enough, unless they go far beyond the number of lines
    return pd.factorize(numbers)[0] if len(ids) and int(numbers.max()) > 4 * len(ids) else numbers


def _runs(uptimes: Array) -> Iterator[tuple[int, int]]:
    """Begin and end of each run in logs appended to one another."""
    begin = 0
    for back in np.flatnonzero(uptimes[1:] < uptimes[:-1] - SLACK_MS) + 1:
        following = uptimes[back : back + FEW]
        if len(following) == FEW and (following < uptimes[back - 1] - SLACK_MS).all():
            yield begin, int(back)
            begin = int(back)
    yield begin, len(uptimes)
