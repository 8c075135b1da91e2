"""A URL with its size and checksum -> the file, verified; continues where an interrupted download stopped."""

import fcntl
import hashlib
import re
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

from safepointlab.errors import InstallFailed

CHUNK = 256 * 1024
SILENCE_S = 20  # after this long without a byte the connection is closed
EVERY_S = 5.0  # between two lines of progress
ATTEMPTS = 4
PAUSE_S = 1.0  # before the second attempt; each later one waits longer


def fetch(url: str, target: Path, size: int, sha256: str, say: Callable[[str], object]) -> Path:
    """Download to `target`, unless it is there already; an incomplete download is kept beside it as *.part.

    Of two that want the same file at once, the second waits, and finds it there.

    Raises:
        InstallFailed: the server cannot be reached, or what it sends has another checksum or is longer.
    """
    part = target.with_name(target.name + ".part")
    with part.open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if target.exists() and _sum(target) == sha256:
            part.unlink(missing_ok=True)
            return target
        _complete(url, part, size, say)
        if (checksum := _sum(part)) != sha256:
            part.unlink()
            raise InstallFailed(f"{target.name} arrived damaged: sha256 {checksum}, expected {sha256}; it was deleted")
        return part.replace(target)


def _complete(url: str, part: Path, size: int, say: Callable[[str], object]) -> None:
    """Append to the part until it has its size; a broken connection is resumed where it broke."""
    for attempt in range(ATTEMPTS):
        try:
            while _length(part) < size:
                _append(url, part, size, say)
            return
        except (OSError, urllib.error.URLError) as broken:
            # another attempt is pointless if there is no such host or no such file
            refused = isinstance(broken, urllib.error.HTTPError) or re.search("Name or service|refused", str(broken))
            if attempt == ATTEMPTS - 1 or refused:
                raise InstallFailed(f"cannot download {part.stem}: {broken}") from broken
            time.sleep(attempt * PAUSE_S + PAUSE_S)


def _append(url: str, part: Path, size: int, say: Callable[[str], object]) -> None:
    length = _length(part)
    request = urllib.request.Request(url, headers={"Range": f"bytes={length}-"} if length else {})
    with urllib.request.urlopen(request, timeout=SILENCE_S) as answer:
        continued = answer.status == 206
        if length:
            say(f"  {part.stem}: " + (f"going on at {mb(length)} of {mb(size)}" if continued else "starting afresh"))
        with part.open("ab" if continued else "wb") as file:
            reported_at = time.monotonic()
            while chunk := answer.read(CHUNK):
                if file.tell() + len(chunk) > size:
                    part.unlink()
                    raise InstallFailed(f"{part.stem}: the server sends more than its {mb(size)}; nothing was kept")
                file.write(chunk)
                if time.monotonic() - reported_at > EVERY_S:
                    reported_at = time.monotonic()
                    say(f"  {part.stem}: {mb(file.tell())} of {mb(size)}")
    if _length(part) < size:
        raise ConnectionError(f"the connection broke at {mb(_length(part))} of {mb(size)}")


def _length(part: Path) -> int:
    return part.stat().st_size if part.exists() else 0


def _sum(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def mb(size: int) -> str:
    return f"{size / 1e6:.0f} MB" if size >= 1e6 else f"{size / 1e3:.0f} kB"
