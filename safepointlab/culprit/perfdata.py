"""/tmp/hsperfdata_USER/PID -> what HotSpot counts and says of itself there, which disturbs it in no way.

Every HotSpot from 8 on keeps that file (unless -XX:-UsePerfData) and shares it with jstat: counters, and texts such as
its class path. These are the JVM's own, whatever started it: a script, @argfiles, an environment variable.
"""

import struct
import tempfile
from dataclasses import dataclass
from pathlib import Path

PERFDATA = b"\xca\xfe\xc0\xc0"
CLASS_PATH, COMMAND, ARGUMENTS = "java.property.java.class.path", "sun.rt.javaCommand", "java.rt.vmArgs"


@dataclass(frozen=True)
class Started:
    """What a JVM says of its start: its class path, its flags, and the main class or jar with its arguments."""

    classpath: str
    flags: str
    command: str
    folder: str  # its current one


def file_of(pid: int) -> Path:
    """The file of this JVM; one that does not exist if it has none."""
    folders = dict.fromkeys((tempfile.gettempdir(), f"/proc/{pid}/root/tmp", "/tmp"))
    files = [file for folder in folders for file in sorted(Path(folder).glob(f"hsperfdata_*/{pid}"))]
    return files[0] if files else Path("/nonexistent")


def started(pid: int) -> Started | None:
    """How this JVM was started; None if it does not say, or not yet."""
    texts = read_texts(file_of(pid))
    try:
        folder = str(Path(f"/proc/{pid}/cwd").readlink())
    except OSError:
        return None
    if not texts.get(COMMAND):
        return None
    return Started(texts.get(CLASS_PATH, ""), texts.get(ARGUMENTS, ""), texts[COMMAND], folder)


def read_perfdata(file: Path) -> dict[str, int]:
    """The counters that are one whole number each, by name; {} if the file is of no such kind, or cut off."""
    return {name: value for name, value in _entries(file).items() if isinstance(value, int)}


def read_texts(file: Path) -> dict[str, str]:
    """The texts, by name; {} if the file is of no such kind, or cut off."""
    return {name: value for name, value in _entries(file).items() if isinstance(value, str)}


def _entries(file: Path) -> dict[str, int | str]:
    """Each entry: its length, where its name and its data begin, and their type: J is a long, B a byte of a text."""
    values: dict[str, int | str] = {}
    try:
        data = file.read_bytes()
        order = "<" if data[4:5] == b"\1" else ">"
        at, entries = struct.unpack_from(f"{order}ii", data, 24) if data[:4] == PERFDATA else (0, 0)
        for _ in range(entries):
            length, name_at, vector, kind, _, _, _, data_at = struct.unpack_from(f"{order}iii4Bi", data, at)
            name = data[at + name_at : data.index(b"\0", at + name_at)].decode("ascii", "replace")
            if vector == 0 and kind == ord("J"):
                values[name] = struct.unpack_from(f"{order}q", data, at + data_at)[0]
            elif kind == ord("B"):
                values[name] = data[at + data_at :][:vector].partition(b"\0")[0].decode("utf-8", "replace")
            at += length
    except (OSError, ValueError, struct.error):
        return {}
    return values
