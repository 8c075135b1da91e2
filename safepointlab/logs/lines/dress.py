"""A log as it was kept or posted -> the lines that the JVM wrote: unpacked, decoded, and without what others added.

    gzip, UTF-16                      read as they are: a log may be rolled and packed, or come from PowerShell's `>`
    {"log":"[0.1s][info]...\\n",...}   one line of Docker's json-file driver
    app-1  | [0.1s][info]...          Docker Compose's prefix
    ESC[32m[0.1s]ESC[0m               colours of a terminal
    Safepoint &quot;Cleanup&quot;     copied from a page's source

Only what stands in a log's way is taken off; all else stays, byte for byte.
"""

import codecs
import gzip
import html
import json
import re
from pathlib import Path
from typing import BinaryIO, cast

GZIP, UTF_16 = b"\x1f\x8b", (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
COLOUR = re.compile(r"\x1b\[[\d;]*m")
COMPOSE = re.compile(r"^[\w.-]{1,64} +\| ", re.MULTILINE)
# 12M-&gt;3M, 12M(34%)-&gt;3M; it begins with the arrow, as a pattern that begins with a word is found fast
ARROW = re.compile(r"-&gt;(?:(?<=\d-&gt;)|(?<=\d[BKMG]-&gt;)|(?<=\d%\)-&gt;))")
LOOKED_AT = 20  # lines: a prefix that all of them have, all others have, too


def opened(path: Path) -> BinaryIO:
    """The file's text as UTF-8, however it is kept.

    Raises:
        OSError: it cannot be read; gzip.BadGzipFile is one.
    """
    with path.open("rb") as file:
        start = file.read(2)
    if start == GZIP:
        return cast(BinaryIO, gzip.open(path, "rb"))
    if start in UTF_16:
        return cast(BinaryIO, codecs.EncodedFile(path.open("rb"), "utf-8", "utf-16", "replace"))
    return path.open("rb")


def undressed(text: str) -> str:
    """Some whole lines without what a container, a terminal or a page added.

    >>> undressed('{"log":"[0.1s][gc] GC(1) Pause Full (System.gc())\\\\n","stream":"stdout"}\\n')
    '[0.1s][gc] GC(1) Pause Full (System.gc())\\n'
    >>> undressed("app-1  | 1.031: no vm operation [ 11 2 2 ]\\n")
    '1.031: no vm operation [ 11 2 2 ]\\n'
    """
    if text.startswith("\ufeff"):
        text = text[1:]
    if text.startswith('{"log":'):
        text = "".join(map(_message, text.splitlines(keepends=True)))
    if "\x1b" in text:  # a single letter is found fastest
        text = COLOUR.sub("", text)
    if "&" in text and ("Safepoint &quot;" in text or ARROW.search(text)):
        text = html.unescape(text)
    return COMPOSE.sub("", text) if _prefixed(text) else text


def _message(line: str) -> str:
    """A message longer than 16 KiB comes in parts, of which the last alone ends with a newline."""
    try:
        return str(json.loads(line)["log"])
    except (ValueError, KeyError, TypeError):
        return line


def _prefixed(text: str) -> bool:
    return " | " in text[:80] and all(map(COMPOSE.match, text.splitlines()[:LOOKED_AT]))
