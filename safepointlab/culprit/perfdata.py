"""/tmp/hsperfdata_USER/PID -> what HotSpot counts there; to read it disturbs the JVM in no way.

Every HotSpot from 8 on keeps that file (unless -XX:-UsePerfData) and shares it with jstat.
"""

import struct
import tempfile
from pathlib import Path

import psutil

PERFDATA = b"\xca\xfe\xc0\xc0"


def file_of(pid: int) -> Path:
    """The file of this JVM; one that does not exist if it has none."""
    folders = dict.fromkeys((tempfile.gettempdir(), f"/proc/{pid}/root/tmp", "/tmp"))
    files = [file for folder in folders for file in sorted(Path(folder).glob(f"hsperfdata_*/{pid}"))]
    return files[0] if files else Path("/nonexistent")


def pids() -> list[int]:
    """The processes of this machine that have such a file; a JVM that was killed has left its own behind."""
    folders = dict.fromkeys((tempfile.gettempdir(), "/tmp"))
    found = {int(file.name) for folder in folders for file in Path(folder).glob("hsperfdata_*/[0-9]*")}
    return sorted(pid for pid in found if psutil.pid_exists(pid))


def read_perfdata(file: Path) -> dict[str, int]:
    """The counters that are one whole number each, by name; {} if the file is of no such kind, or cut off.

    Each entry: its length, where its name and its data begin, and their type, of which J is a long.
    """
    values = {}
    try:
        data = file.read_bytes()
        order = "<" if data[4:5] == b"\1" else ">"
        at, entries = struct.unpack_from(f"{order}ii", data, 24) if data[:4] == PERFDATA else (0, 0)
        for _ in range(entries):
            length, name_at, vector, kind, _, _, _, data_at = struct.unpack_from(f"{order}iii4Bi", data, at)
            if vector == 0 and kind == ord("J"):
                name = data[at + name_at : data.index(b"\0", at + name_at)].decode("ascii", "replace")
                values[name] = struct.unpack_from(f"{order}q", data, at + data_at)[0]
            at += length
    except (OSError, ValueError, struct.error):
        return {}
    return values
