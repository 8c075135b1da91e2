"""What several commands take alike: lists of values, deadlines, numbers, a misplaced first word, files to read."""

import argparse
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from safepointlab.culprit.command import PLAN
from safepointlab.errors import BadInput, UnreadableLog
from safepointlab.process.shell import usable
from safepointlab.run.options import OPTIONS

JDK = re.compile(r"\d{1,2}(?!\d|-\d)|\w+:|[/~.]")  # how a JDK begins: 8, 25.0.3, 28-ea, temurin:25, or a folder
STDIN = "standard input"


def add_run_options(parser: argparse.ArgumentParser, *names: str, deadline_s: int) -> None:
    """An option for each of these OPTIONS of a run."""
    special: dict[str, dict[str, Any]] = {
        "jdk": {"default": ["25"]}, "compiler": {"default": ["javac"]}, "gc": {"default": [None]},
        "jars": {"default": []}, "log": {"default": [], "nargs": "+", "action": "extend"},
        "deadline": {"default": deadline_s, "type": seconds},
        "cores": {"default": None, "type": whole(1)}, "repeat": {"default": 1, "type": whole(1)},
    }  # fmt: skip
    shown = {"jdk": " (25)", "deadline": f" ({deadline_s})", "repeat": " (1)"}
    for name in names:
        option, how = OPTIONS[name], special.get(name, {"default": ""})
        several: dict[str, Any] = {"nargs": "+", "action": Several} if option.several else {}
        parser.add_argument(f"--{name}", help=option.about + shown.get(name, ""), **how, **several)


class Several(argparse.Action):
    """`--jdk 8 17`, `--jdk 8,17` and `--jdk 8 --jdk 17` are the same two values."""

    def __call__(
        self,
        _parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        _option: str | None = None,
    ) -> None:
        """Put the values behind those of an earlier `--jdk`; the first takes the place of the default."""
        given = several([values] if isinstance(values, str) else values or [])
        if not given:
            raise argparse.ArgumentError(self, "separate values by commas, such as 8,17; one value is missing")
        earlier = getattr(namespace, self.dest)
        setattr(namespace, self.dest, given if earlier is self.default else [*earlier, *given])


def several(words: Sequence[str]) -> list[str]:
    """The values in these words, divided by blanks or commas; what names a file or a folder stays whole.

    >>> several(["8,17", "21, 25"]), several(["8", "17"]), several([","])
    (['8', '17', '21', '25'], ['8', '17'], [])
    """
    return [part for word in words for part in ([word] if _exists(word) else re.split(r"[,\s]+", word)) if part]


def _exists(word: str) -> bool:
    try:
        return Path(word).expanduser().exists()
    except (OSError, ValueError, RuntimeError):  # longer than a name may be, with a NUL, or of no user's home
        return False


def is_jdk(word: str) -> bool:
    """Whether a word can name a JDK, whether or not that is here.

    >>> is_jdk("8"), is_jdk("28-ea"), is_jdk("temurin:25"), is_jdk("hang/KillerTask"), is_jdk("000-12")
    (True, True, True, False, False)
    """
    return bool(JDK.match(word)) and not word.endswith(".java") or (_exists(word) and Path(word).is_dir())


def take_misplaced(arguments: argparse.Namespace, fits: Mapping[str, Callable[[str], bool]]) -> list[str]:
    """Take off what stands behind the values of these options: the words from the first that does not fit on.

    argparse gives an option of several values all words up to the next option: in `run --jdk 8 17 hang/KillerTask`
    the sample, too. An option keeps its first value whatever that is.
    """
    taken: list[str] = []
    for name, is_value in fits.items():
        values = getattr(arguments, name) or []
        end = next((place for place, word in enumerate(values) if place and not is_value(word)), len(values))
        taken += values[end:]
        del values[end:]
    return taken


def whole(least: int) -> Callable[[str], int]:
    """What reads a whole number, `least` or more; argparse prints what it says of anything else."""

    def read(text: str) -> int:
        if not (text.isascii() and text.isdecimal()) or int(text) < least:
            raise argparse.ArgumentTypeError(f"must be a whole number, {least} or more; got {text!r}")
        return int(text)

    return read


def seconds(text: str) -> float:
    """A deadline as typed, in seconds.

    Raises:
        ArgumentTypeError: it is no number, not above 0, or longer than any run; argparse prints that.
    """
    try:
        return usable(float(text))
    except (ValueError, BadInput) as cause:
        told = f"a deadline is a number of seconds above 0 and below 10,000,000, such as 10; got {text!r}"
        raise argparse.ArgumentTypeError(told) from cause


@contextmanager
def readable(names: Sequence[str]) -> Iterator[dict[str, Path]]:
    """The files by name, each once; "-" is stdin, and is called STDIN; a folder stands for the files in it.

    What can be read only once (stdin, a pipe such as <(...), a terminal) is a copy that lives until the end: a second
    open would miss what the first has read.

    Raises:
        UnreadableLog: stdin is closed, or a folder has no file.
    """
    names = [name for given in names for name in (_files_of(Path(given)) if Path(given).is_dir() else [given])]
    if "-" in names and sys.stdin is None:
        raise UnreadableLog("standard input is closed. Name the logs, or pipe one: cat gc.log | safepoint report -")
    with tempfile.TemporaryDirectory(prefix="safepoint-logs-") as folder:
        files = {}
        for place, name in enumerate(dict.fromkeys(names)):
            path = Path(name)
            if name == "-" or path.is_fifo() or path.is_char_device():
                copy = Path(folder, str(place), "stdin" if name == "-" else path.name)
                copy.parent.mkdir()
                once = nullcontext(sys.stdin.buffer) if name == "-" else path.open("rb")
                with once as source, copy.open("wb") as target:
                    shutil.copyfileobj(source, target)
                path = copy
            files[STDIN if name == "-" else name] = path
        yield files


def _files_of(folder: Path) -> list[str]:
    """The files of a folder; of one that `safepoint late --keep` left only the JVM's, not the lab's own."""
    try:
        paths = sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))
        ours = any(path.name == PLAN for path in paths)
        logs = [path for path in paths if path.suffix in (".log", ".jfr") and not path.match("started-*")]
        files = [str(path) for path in (logs if ours else paths)]
    except OSError as cause:
        raise UnreadableLog(f"cannot read the folder {folder}: {cause.strerror}. Check its permissions.") from cause
    if not (files or ours):  # a JVM of 8 that ran already may have none
        raise UnreadableLog(f"no file in the folder {folder}. Name the logs, or the folder that they are in.")
    return files
