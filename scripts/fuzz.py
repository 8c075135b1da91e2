"""Logs of the tests -> how the readers take lines that were damaged in many ways: no raw error, no line without end.

    .venv/bin/python scripts/fuzz.py [--lines 1000000] [--seed 1]

Each line is changed in one of MUTATIONS, and read with its neighbours, as it would stand in a file. Counted are lines,
errors that are not the lab's own, and batches that took longer than a second. Exit status 1 if there is one.
"""

import argparse
import random
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

from safepointlab.errors import LabError
from safepointlab.read import guess, kinds

LOGS = Path(__file__).parents[1] / "tests" / "data"
AT_ONCE, SLOW_S = 50, 1.0  # lines are damaged and read in batches of so many
Mutation = Callable[[str, random.Random], str]
MUTATIONS: dict[str, Mutation] = {
    "cut": lambda line, dice: line[: dice.randrange(len(line) + 1)],
    "head lost": lambda line, dice: line[dice.randrange(len(line) + 1) :],
    "twice": lambda line, _: line + line,
    "glued": lambda line, dice: line[: dice.randrange(len(line) + 1)] + line,
    "large number": lambda line, dice: _with(line, dice, str.isdigit, "99999999999999999999"),
    "other digits": lambda line, dice: _with(line, dice, str.isdigit, "٣"),
    "no number": lambda line, dice: _with(line, dice, str.isdigit, ""),
    "minus": lambda line, dice: _with(line, dice, str.isdigit, "-"),
    "blank": lambda line, dice: _with(line, dice, str.isspace, "        "),
    "NUL": lambda line, dice: _with(line, dice, str.isalpha, "\0"),
    "umlaut": lambda line, dice: _with(line, dice, str.isalpha, "ü"),
    "bracket": lambda line, dice: _with(line, dice, lambda letter: letter in "[](){}", ""),
}


def main() -> int:
    arguments = _parser().parse_args()
    dice, read, raw, slow = random.Random(arguments.seed), 0, list[str](), list[str]()
    for kind, reader, lines in batches(dice):
        begin = time.perf_counter()
        if error := fails(reader, lines):
            raw.append(f"{kind}: {error}")
        if time.perf_counter() - begin > SLOW_S:
            slow.append(f"{kind}: {time.perf_counter() - begin:.1f} s for {lines[:1]!r}")
        read += len(lines)
        if read >= arguments.lines:
            break
    print(
        f"{read:,} damaged lines, {len(raw)} batches with a raw error, {len(slow)} slow ones",
        *raw[:20],
        *slow[:20],
        sep="\n",
    )
    return bool(raw or slow)


def fails(reader: ModuleType, lines: list[str]) -> str:
    """What the reader raised that is not the lab's own error; "" if nothing."""
    try:
        reader.read(lines)
    except LabError:
        return ""
    except Exception as error:
        return f"{type(error).__name__}: {error} in {smallest(reader, lines)!r}"
    return ""


def smallest(reader: ModuleType, lines: list[str]) -> list[str]:
    """The one line that does it, if it does it alone."""
    return next(([line] for line in lines if len(lines) > 1 and fails(reader, [line])), lines)[:3]


def damaged(lines: list[str], dice: random.Random) -> list[str]:
    """Each line, changed in one of MUTATIONS or left as it is."""
    ways = [lambda line, _: line, *MUTATIONS.values()]
    return [dice.choice(ways)(line, dice) for line in lines]


def batches(dice: random.Random) -> Iterator[tuple[str, ModuleType, list[str]]]:
    """Damaged lines of one log each, with the kind and its reader; without end."""
    known = logs()
    while True:
        kind, reader, lines = dice.choice(known)
        start = dice.randrange(max(1, len(lines) - AT_ONCE))
        yield kind, reader, damaged(lines[start : start + AT_ONCE], dice)


def logs() -> list[tuple[str, ModuleType, list[str]]]:
    """Each log of the tests: its kind, the reader of that kind, the lines."""
    return [(kind, kinds()[kind], text.splitlines()) for text in _texts() for kind in guess(text[:20_000])[:1]]


def _texts() -> Iterator[str]:
    for path in sorted(LOGS.rglob("*")):
        if (
            path.is_file()
            and path.suffix not in (".gz", ".xz", ".png", ".class", ".csv")
            and path.stat().st_size < 2**20
        ):
            yield path.read_text("utf-8", "replace")


def _with(line: str, dice: random.Random, wanted: Callable[[str], bool], text: str) -> str:
    places = [place for place, letter in enumerate(line) if wanted(letter)]
    place = dice.choice(places) if places else 0
    return line[:place] + text + line[place + 1 :]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lines", type=int, default=1_000_000, help="how many lines to damage (default: 1,000,000)")
    parser.add_argument("--seed", type=int, default=1, help="the same seed damages the same lines the same way")
    return parser


if __name__ == "__main__":
    sys.exit(main())
