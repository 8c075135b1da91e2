"""Files -> those of one log that was rolled, in the order in which they were written.

    gc.log.0, gc.log.1, ..., gc.log             unified logging; the file without a number is the one it writes to
    gc.log.0, gc.log.1.current                  8 with -XX:+UseGCLogFileRotation
    gc.log.1, gc.log.2.gz, gc.log-20240501.xz   a tool that rolls logs, such as logrotate

The number tells no order: the JVM begins anew with 0 after the last (LogFileOutput::rotate, from 9 on; rotate_log of
8's gcLogFileStream), and logrotate counts backwards. The first time of day in each file does. Where the lines have
none, it is the order of numbers in which the uptime falls least often: each fall is a JVM that started anew.
"""

import lzma
import re
import zipfile
import zlib
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from safepointlab.errors import UnreadableLog
from safepointlab.logs.lines.packed import open_unpacked
from safepointlab.logs.lines.stamps import first_stamp

BEGINNING_BYTES = 64 * 1024
NAME = re.compile(
    r"(?P<log>.+?)(?:[.-](?P<date>\d{4}-?\d\d-?\d\d[\d_T-]*))?(?:\.(?P<number>\d{1,3}))?(?P<current>\.current)?"
    r"(?:\.(?:gz|bz2|xz|zip|zst))?"
)
Stamp = tuple[datetime | None, float | None]


def joined(paths: Iterable[Path]) -> list[list[Path]]:
    """The files of each log, in the order written; logs in the order given. A link to another of the files is left out.

    >>> joined([Path("gc.log"), Path("vm.log"), Path("gc.log.1"), Path("gc.log.0")])  # none of them is there
    [[PosixPath('gc.log.0'), PosixPath('gc.log.1'), PosixPath('gc.log')], [PosixPath('vm.log')]]
    """
    logs = dict[tuple[Path, str], list[Path]]()
    for path in paths:
        name = NAME.fullmatch(path.name)
        same = logs.setdefault((path.parent, name["log"] if name else path.name), [])
        if not any(path != other and path.resolve() == other.resolve() for other in same):
            same.append(path)
    return [_in_order(same) if len(same) > 1 else same for same in logs.values()]


def log_name(path: Path) -> str:
    """The name that all files of a rolled log have in common.

    >>> log_name(Path("logs/gc.log.1.current")), log_name(Path("gc.log-20240501.gz"))
    ('gc.log', 'gc.log')
    """
    name = NAME.fullmatch(path.name)
    return name["log"] if name else path.name


def _in_order(paths: list[Path]) -> list[Path]:
    stamps = {path: _first_stamp(path) for path in paths}
    upward = sorted(paths, key=_place)
    if all(time or uptime is None for time, uptime in stamps.values()):
        begun, following = dict[Path, datetime](), datetime.max
        for path in reversed(upward):  # a file may have no stamp yet, or none but a header
            begun[path] = following = stamps[path][0] or following
        return sorted(upward, key=begun.__getitem__)
    numbered = [path for path in upward if not _is_last(path)]
    last = upward[len(numbered) :]
    turned = [numbered[turn:] + numbered[:turn] + last for turn in range(len(numbered) or 1)]
    return min([*turned, numbered[::-1] + last], key=lambda order: _falls([stamps[path][1] for path in order]))


def _place(path: Path) -> tuple[bool, str, int]:
    """By date, then by number, the file that is being written last."""
    name = NAME.fullmatch(path.name)
    if name is None or _is_last(path):
        return True, "", 0
    return False, name["date"] or "", int(name["number"] or 0)


def _is_last(path: Path) -> bool:
    name = NAME.fullmatch(path.name)
    return name is None or bool(name["current"]) or not (name["date"] or name["number"])


def _first_stamp(path: Path) -> Stamp:
    """The first time of day and the first uptime in a file; None where there is none, as in one that can't be read."""
    try:
        with open_unpacked(path) as file:
            text = file.read(BEGINNING_BYTES).decode("utf-8", "replace")
    except (OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, UnreadableLog):
        return None, None
    return first_stamp(text)


def _falls(uptimes: list[float | None]) -> int:
    known = [uptime for uptime in uptimes if uptime is not None]
    return sum(after < before for before, after in zip(known, known[1:], strict=False))
