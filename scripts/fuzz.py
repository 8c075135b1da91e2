"""Logs -> how the readers take lines that were damaged in many ways, and logs that end anywhere.

    .venv/bin/python scripts/fuzz.py [--lines 1000000] [--seed 1]
    .venv/bin/python scripts/fuzz.py --cuts [--every 97] [FOLDER ...]

Each line is changed in one of MUTATIONS, and read with its neighbours, as it would stand in a file. Counted are lines,
errors that are not the lab's own, and batches that took longer than a second. With --cuts each log is read up to every
97th byte: counted are raw errors, and rows that the whole log does not have. Exit status 1 if there is one.
"""

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from types import ModuleType

import pandas as pd

from safepointlab.errors import LabError
from safepointlab.logs import guess, kinds

LOGS = Path(__file__).parents[1] / "tests" / "data"
FROM_ELSEWHERE = ["begin_s", "line"]  # 8's table in batches has the begins of stops above it, javap's the lines of code
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
    return cut(arguments.folders or [LOGS], arguments.every) if arguments.cuts else damage(arguments)


def damage(arguments: argparse.Namespace) -> int:
    """Read so many damaged lines; 1 if a reader raised a raw error, or took long."""
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


def cut(folders: list[Path], every: int) -> int:
    """Read each log up to each of these bytes; 1 if a reader raised a raw error, or made a row of its own."""
    cuts, wrong = 0, list[str]()
    for path, _, reader, _ in chain.from_iterable(map(logs, folders)):
        whole, content = reader.read(path), path.read_bytes()
        for place in range(every, len(content), every):
            cuts += 1
            if error := invented(reader, content[:place], whole):
                wrong.append(f"{path}, cut at {place}: {error}")
    print(f"{cuts:,} cuts, {len(wrong)} with a raw error or a row of their own", *wrong[:20], sep="\n")
    return bool(wrong)


def invented(reader: ModuleType, content: bytes, whole: pd.DataFrame) -> str:
    """What is wrong with the frame of a log that ends here; "" if nothing. One row may be of the event that was cut."""
    with tempfile.NamedTemporaryFile(suffix=".log") as file:
        Path(file.name).write_bytes(content)
        try:
            part = reader.read(Path(file.name))
        except LabError:
            return ""
        except Exception as error:
            return f"{type(error).__name__}: {error}"
    if len(part) > len(whole):
        return f"{len(part)} rows, where the whole log has {len(whole)}"
    part = part.drop(columns=FROM_ELSEWHERE, errors="ignore")
    whole = whole.reindex(columns=part.columns)
    own = part[~_as_in(part, whole.head(len(part)))]
    own = own[~_hashes(own).isin(_hashes(whole))] if len(own) > 1 else own[:0]  # rows may change places
    return f"{len(own)} rows of its own, the first {own.iloc[0].dropna().to_dict()}" if len(own) > 1 else ""


def _as_in(part: pd.DataFrame, whole: pd.DataFrame) -> "pd.Series[bool]":
    """Whether each row says nothing else than that of the whole log, though perhaps less."""
    return (part.isna() | (part == whole)).fillna(True).astype(bool).all(axis=1)


def _hashes(frame: pd.DataFrame) -> "pd.Series[int]":
    return pd.util.hash_pandas_object(frame.astype(str), index=False)


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
        _, kind, reader, lines = dice.choice(known)
        start = dice.randrange(max(1, len(lines) - AT_ONCE))
        yield kind, reader, damaged(lines[start : start + AT_ONCE], dice)


def logs(folder: Path = LOGS) -> list[tuple[Path, str, ModuleType, list[str]]]:
    """Each log in a folder: its path, its kind, the reader of that kind, the lines."""
    texts = [
        (path, path.read_text("utf-8", "replace"))
        for path in sorted(folder.rglob("*") if folder.is_dir() else [folder])
        if _may_be_log(path)
    ]
    known = [(path, text, kind) for path, text in texts for kind in guess(text[:20_000])[:1]]
    return [(path, kind, kinds()[kind], text.splitlines()) for path, text, kind in known]


def _may_be_log(path: Path) -> bool:
    packed = (".gz", ".xz", ".png", ".class", ".csv")
    return path.is_file() and path.suffix not in packed and path.stat().st_size < 2**20


def _with(line: str, dice: random.Random, wanted: Callable[[str], bool], text: str) -> str:
    places = [place for place, letter in enumerate(line) if wanted(letter)]
    place = dice.choice(places) if places else 0
    return line[:place] + text + line[place + 1 :]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=1_000_000, help="how many lines to damage (default: 1,000,000)")
    parser.add_argument("--seed", type=int, default=1, help="the same seed damages the same lines the same way")
    parser.add_argument("--cuts", action="store_true", help="cut each log instead")
    parser.add_argument("--every", type=int, default=97, help="bytes from one cut to the next (default: 97)")
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER", help="of the logs to cut; the tests' own")
    return parser


if __name__ == "__main__":
    sys.exit(main())
