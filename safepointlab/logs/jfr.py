"""What `jfr print --json` prints of a recording -> one row per event, with thread, topmost frame, stack and fields.

Flag: -XX:StartFlightRecording (log="jfr"), JDK 8u262 to 28; any `jfr` from 17 on prints recordings of all of them.

>>> text = '''{"recording": {"events": [{"type": "jdk.ExecutionSample", "values": {
...   "startTime": "2026-11-20T05:32:06.851119234Z", "sampledThread": {"osName": "main", "javaThreadId": 1},
...   "stackTrace": {"truncated": false, "frames": [{"method": {"type": {"name": "java/lang/Math"}, "name": "max"},
...     "lineNumber": 12, "bytecodeIndex": 3, "type": "Inlined"}]}, "state": "STATE_RUNNABLE"}}]}}'''
>>> print(read(text)[["event", "thread", "method", "line", "code", "state"]].to_string(index=False))
              event thread              method  line    code          state
jdk.ExecutionSample   main java.lang.Math::max    12 Inlined STATE_RUNNABLE

Columns: event, time, duration_ms, thread, java_thread_id, os_thread_id, method, line, bci, code ("Interpreted", "JIT
compiled", "Inlined", "Native"), frames and lines (the root first, separated by ";", as in collapsed stacks),
truncated; then one per field of the events, such as operation, safepoint_id, sampling_period_ms. A field that is a
thread, class or method holds its name. `damaged` counts the event in which the text breaks off.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

import pandas as pd

from safepointlab.errors import ForeignLog
from safepointlab.logs.lines.source import Block, Count, Source, whole_files, with_counts

NAME = "jfr"
MARK = re.compile(r'"recording"\s*:\s*\{\s*"events"\s*:\s*\[')  # {"recording": {"events": [{"type": "jdk.CPULoad", ...
COLUMNS = {
    "event": "string", "time": "datetime64[ns, UTC]", "duration_ms": "float64", "thread": "string",
    "java_thread_id": "Int64", "os_thread_id": "Int64", "method": "string", "line": "Int64", "bci": "Int64",
    "code": "string", "frames": "string", "lines": "string", "truncated": "boolean",
}  # fmt: skip
DURATION = re.compile(r"PT(?:(-?\d+)H)?(?:(-?\d+)M)?(?:(-?[\d.]+)S)?")  # "PT0.137023974S", "PT1M2.5S", "PT-0.1S"
BETWEEN = re.compile(r"[\s,]*")
CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
Row = dict[str, Any]


def read(source: Source, strict: bool = False) -> pd.DataFrame:
    """One row per event, in the order printed (which is not always the order of time).

    Raises:
        DamagedLog: with strict, where the text breaks off.
        ForeignLog: for a recording itself; with strict, for any text that `jfr print --json` did not print.
    """
    count = Count()
    rows = [row for file in whole_files(source, count) for row in _rows(file, count, strict)]
    fields = list(dict.fromkeys(name for row in rows for name in row if name not in COLUMNS))
    frame = pd.DataFrame(rows, columns=[*COLUMNS, *fields])
    moments = pd.to_datetime(frame["time"], utc=True, format="ISO8601", errors="coerce")  # a broken one is missing
    frame["time"] = moments.astype("datetime64[ns, UTC]")
    whole = [field for field in fields if not field.endswith("_ms")]
    frame[whole] = frame[whole].convert_dtypes()  # whole numbers stay whole where another event has no such field
    return with_counts(frame.astype(COLUMNS), count, NAME, strict)


def _rows(file: Block, count: Count, strict: bool) -> Iterator[Row]:
    """The rows of one file. Each event is decoded by itself, so those before a break are kept.

    An event without a part that each has is damaged, and the next is read.
    """
    text = file.text
    if text.startswith("FLR\0"):
        raise ForeignLog(
            f"{file.name} is a recording itself. Print it first: jfr print --json {file.name} > events.json"
        )
    begin = MARK.search(text)
    if not begin:
        count.skipped += text.count("\n")
        return
    count.own = True
    count.skipped += text.count("\n", 0, text.rfind("{", 0, begin.start()) + 1)
    # no event has a number beyond 64 bits: one with more digits is broken, and missing
    decoder = json.JSONDecoder(parse_int=lambda digits: int(digits) if len(digits) < 19 else None)
    at = BETWEEN.match(text, begin.end()).end()  # type: ignore[union-attr]
    while not text.startswith("]", at):
        try:
            event, end = decoder.raw_decode(text, at)
            values = {"event": event["type"], **event["values"]}
        except (ValueError, KeyError, TypeError):
            count.damage(file, min(at, len(text) - 2), strict)
            return
        try:
            yield _row(values)
        except (KeyError, TypeError, AttributeError):
            count.damage(file, at, strict)
        at = BETWEEN.match(text, end).end()  # type: ignore[union-attr]


def _row(event: Row) -> Row:
    thread = event.pop("sampledThread", None) or event.pop("eventThread", None) or {}
    time = event.pop("startTime", None)  # "2026-11-20T06:32:06.85+01:00[Europe/Berlin]"
    row = {"event": event.pop("event"), "time": time and time.partition("[")[0], "thread": _name(thread)}
    row |= {f"{kind}_thread_id": thread.get(f"{kind}ThreadId") for kind in ("java", "os")}
    row |= _stack(event.pop("stackTrace", None) or {})
    return row | dict(_flat("", event))


def _stack(trace: Row) -> Row:
    """The topmost frame's columns, and the whole stack as two texts; negative lines and bcis mean none."""

    def natural(number: int | None) -> int | None:
        return None if number is None or number < 0 else number

    frames = trace.get("frames") or []
    if not frames:
        return {}
    names = [_name(frame["method"]) or "?" for frame in frames]
    lines = [natural(frame.get("lineNumber")) for frame in frames]
    top = {"method": names[0], "line": lines[0], "bci": natural(frames[0].get("bytecodeIndex"))}
    texts = ["" if line is None else str(line) for line in lines]
    stack = {"frames": ";".join(names[::-1]), "lines": ";".join(texts[::-1])}
    return {**top, "code": frames[0].get("type"), **stack, "truncated": trace.get("truncated")}


def _name(thing: Row | None) -> str | None:
    """The name of a thread, class or method.

    >>> _name({"type": {"name": "java/util/Map$Entry"}, "name": "getKey", "descriptor": "()V"})
    'java.util.Map$Entry::getKey'
    """
    if not thing:
        return None
    if "osName" in thing:
        return str(thing.get("javaName") or thing["osName"])
    name = str(thing["name"])
    owner = thing.get("type")
    return f"{owner['name'].replace('/', '.')}::{name}" if isinstance(owner, dict) else name.replace("/", ".")


def _flat(prefix: str, values: Row) -> Iterator[tuple[str, Any]]:
    """Fields as columns: snake_case, durations in ms, named objects by name, other objects field by field."""
    for key, value in values.items():
        name = prefix + CAPITAL.sub("_", key).lower()
        if isinstance(value, dict) and not {"osName", "name"} & set(value):
            yield from _flat(f"{name}_", value)
        elif isinstance(value, dict):
            yield name, _name(value)
        elif isinstance(value, str) and value.startswith("PT") and (spell := DURATION.fullmatch(value)):
            hours, minutes, seconds = (float(part or 0) for part in spell.groups())
            yield f"{name}_ms", (hours * 3600 + minutes * 60 + seconds) * 1000
        else:
            yield name, json.dumps(value) if isinstance(value, list) else value
