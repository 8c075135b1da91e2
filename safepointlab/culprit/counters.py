"""/tmp/hsperfdata_USER/PID -> how often a JVM stopped, and how long it waited for its threads, while we look.

Every HotSpot from 8 on counts that (unless -XX:-UsePerfData) in a file that it shares with jstat. It is all that can be
known of the stops of an 8 that already runs. A look every few ms finds the longest wait, if stops are not too close.
"""

import struct
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from safepointlab.culprit.text import counted

MAGIC = b"\xca\xfe\xc0\xc0"
NAMES = {"stops": "sun.rt.safepoints", "waited": "sun.rt.safepointSyncTime", "frequency": "sun.os.hrt.frequency"}


@dataclass
class Counters:
    """The counters of one JVM from the first look on; `longest_ms` is the longest wait between two looks."""

    file: Path
    stops: int = 0
    waited_ms: float = 0.0
    longest_ms: float = 0.0
    _last: tuple[int, int] | None = None

    def look(self) -> None:
        """Read the counters, and add what they have grown by."""
        values = _values(self.file)
        if not set(NAMES.values()) <= values.keys():
            return
        now = (values[NAMES["stops"]], values[NAMES["waited"]])
        if self._last:
            grown_ms = (now[1] - self._last[1]) / values[NAMES["frequency"]] * 1000
            self.stops += now[0] - self._last[0]
            self.waited_ms += grown_ms
            self.longest_ms = max(self.longest_ms, grown_ms)
        self._last = now

    def __str__(self) -> str:
        if self._last is None:
            return "The JVM's counters cannot be read (-XX:-UsePerfData?), so nothing is known of its stops."
        if not self.stops:
            return "The JVM did not stop its threads while we looked: try it longer, or while it works."
        many, waited = counted(self.stops, "stop"), f"{self.waited_ms:,.1f} ms"
        return f"{many}: the JVM waited {waited} for its threads in all, {self.longest_ms:,.1f} ms of it at once."


def counters(pid: int) -> Counters:
    """The counters of this JVM, looked at once."""
    files = sorted(Path(tempfile.gettempdir()).glob(f"hsperfdata_*/{pid}")) or sorted(
        Path("/tmp").glob(f"hsperfdata_*/{pid}")
    )
    first = Counters(files[0] if files else Path("/nonexistent"))
    first.look()
    return first


def _values(file: Path) -> dict[str, int]:
    """The counters that are one whole number each, by name; {} if the file is of no such kind, or cut off."""
    try:
        data = file.read_bytes()
        return dict(_entries(data)) if data[:4] == MAGIC else {}
    except (OSError, ValueError, struct.error):
        return {}


def _entries(data: bytes) -> Iterator[tuple[str, int]]:
    """Each entry: its length, where its name and its data begin, and their type, of which J is a long."""
    order = "<" if data[4] == 1 else ">"
    at, entries = struct.unpack_from(f"{order}ii", data, 24)
    for _ in range(entries):
        length, name_at, vector, kind, _, _, _, data_at = struct.unpack_from(f"{order}iii4Bi", data, at)
        if vector == 0 and kind == ord("J"):
            name = data[at + name_at : data.index(b"\0", at + name_at)]
            yield name.decode("ascii", "replace"), struct.unpack_from(f"{order}q", data, at + data_at)[0]
        at += length
