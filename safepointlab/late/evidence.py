"""The folder of a command that has ended -> three frames: the stops, the late threads by each witness, their lines.

    stops     one row a stop of one JVM: pid, at_s, operation, waited_ms (TTSP), total_ms, over, time, stop (its number)
    names     one row a late thread in one stop: pid, stop, tid, thread, witness, what
    samples   one row a stack: pid, stop (NA if none was on), tid, thread, witness, method and line of the innermost
              Java frame, its bci if it is the innermost of all, and else what it calls (within): a stub, the VM

`stop` joins them. Witnesses tell time differently: the log by uptime and time of day, SafepointTimeout up to 16 not at
all (then the k-th naming belongs to the k-th stop that was late enough), JFR files by time of day.
"""

import json
import re
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from safepointlab.errors import LabError
from safepointlab.forensics.late_threads import LATE, NAMED
from safepointlab.forensics.thread_samples import VM_THREAD
from safepointlab.late.agent import Frame
from safepointlab.late.place import place
from safepointlab.late.watch import FILE as WATCH
from safepointlab.late.witness import pids, stop_logs
from safepointlab.logs import flight
from safepointlab.process.files import bounded_text
from safepointlab.read import jfr, safepoint

STOPS = {
    "pid": "int64", "stop": "Int64", "at_s": "float64", "operation": "string", "waited_ms": "float64",
    "total_ms": "float64", "over": "bool", "time": "datetime64[ns, UTC]",
}  # fmt: skip
NAMES = {"pid": "int64", "stop": "Int64", "tid": "Int64", "thread": "string", "witness": "string", "what": "string"}
SAMPLES = {
    "pid": "int64", "stop": "Int64", "tid": "Int64", "thread": "string", "witness": "string", "method": "string",
    "within": "string",
    "line": "Int64", "bci": "Int64", "kind": "string", "stack": "string", "lines": "string", "waited_ms": "float64",
}  # fmt: skip
SLACK = pd.Timedelta(milliseconds=30)  # the log's time of day has whole ms, and 8's is computed from its uptime
LITTLE = pd.Timedelta(milliseconds=5)  # where samples come from the whole run, not from waits alone
ROW_OF_8 = re.compile(r"[\d.]+: .*\[ *\d+ +\d+ +\d+ *\] +\[")
HALTING = re.compile(
    r"SafepointSynchronize::block|SafepointMechanism::process|polling_page|pthread_cond|futex|lll_lock"
)


class Evidence:
    """What all witnesses left in one folder."""

    def __init__(self, folder: Path, after_ms: int, sample_ms: int = 1) -> None:
        self.folder, self.after_ms, self.sample_ms = folder, after_ms, sample_ms
        self.pids = pids(folder)
        self.troubles: dict[str, str] = {}

    @cached_property
    def watch(self) -> dict[str, Any]:
        """What was seen from outside."""
        try:
            return dict(json.loads((self.folder / WATCH).read_text("utf-8")))
        except (OSError, ValueError):
            return {"sightings": [], "asked": {}, "waited_s": {}}

    @cached_property
    def stops(self) -> pd.DataFrame:
        """Every stop, and last the one that was not over when the log ended."""
        return _frame([row for pid in self.pids for row in self._stops_of(pid)], STOPS)

    def _stops_of(self, pid: int) -> list[dict[str, Any]]:
        files = stop_logs(self.folder, pid)
        read = safepoint.read(files)
        rows = read[(read["kind"] == "safepoint") & read["ttsp_ms"].notna()]
        found = [self._row(pid, number, row) for number, row in enumerate(rows.to_dict("records"))]
        waited = self.watch["waited_s"].get(str(pid))
        if waited is not None:
            begun = read.attrs.get("begun_s")
            last = {"pid": pid, "stop": len(found), "operation": "(never logged)", "over": False}
            last["time"] = pd.NaT
            found.append({**last, "at_s": begun, "waited_ms": waited * 1000 + self.after_ms, "total_ms": float("nan")})
        return found

    def _row(self, pid: int, number: int, row: dict[Any, Any]) -> dict[str, Any]:
        begin = row["begin_s"] if pd.notna(row["begin_s"]) else row["uptime_s"]
        time = (
            pd.Timestamp(row["time"]) - pd.Timedelta(milliseconds=row["total_ms"]) if pd.notna(row["time"]) else pd.NaT
        )
        if pd.isna(time) and pid in self._started:
            time = self._started[pid] + pd.Timedelta(seconds=begin)
        else:
            time = time.tz_localize("UTC") if pd.notna(time) else time
        told = {"pid": pid, "stop": number, "at_s": begin, "operation": row["operation"], "waited_ms": row["ttsp_ms"]}
        return {**told, "total_ms": row["total_ms"], "over": True, "time": time}

    @cached_property
    def _started(self) -> dict[int, pd.Timestamp]:
        """When each JVM started, by async-profiler: only 8's log tells no time of day."""
        found = {}
        for pid in self.pids if any(self.folder.glob("vm-*.log")) else ():
            events = self._events(self.folder / f"ttsp-{pid}.jfr", "jdk.JVMInformation")
            if len(events) and "jvm_start_time" in events:
                found[pid] = pd.Timestamp(str(events["jvm_start_time"].iloc[0]))
        return found

    @cached_property
    def classpath(self) -> list[str]:
        """Where the JVMs themselves say that their classes are: of a script's JVMs nobody else knows."""
        parts: list[str] = []
        for pid in self.pids:
            events = self._events(self.folder / f"ttsp-{pid}.jfr", "jdk.InitialSystemProperty")
            known = dict(zip(events["key"], events["value"], strict=True)) if "key" in events else {}
            here = Path(str(known.get("user.dir", ".")))
            parts += [str(here / part) for part in str(known.get("java.class.path", "")).split(":") if part]
        return list(dict.fromkeys(parts))

    @cached_property
    def names(self) -> pd.DataFrame:
        """Whom the JVM named, and what the kernel saw them do."""
        told = [row for pid in self.pids for row in self._timeouts.get(pid, [])]
        return _frame(told + [self._sighted(one) for one in self.watch["sightings"]], NAMES)

    @cached_property
    def _timeouts(self) -> dict[int, list[dict[str, Any]]]:
        """Whom the JVMs named, by JVM: read once, as each sighting and sample asks for it."""
        return {pid: self._named_by(pid) for pid in self.pids}

    def _named_by(self, pid: int) -> list[dict[str, Any]]:
        late = safepoint.stragglers(stop_logs(self.folder, pid))
        stops = self.stops[self.stops["pid"] == pid]
        rows = late[late["told_by"] == "timeout"].to_dict("records")
        unstamped = _unstamped(self.folder, pid, stops) if rows and pd.isna(rows[0]["uptime_s"]) else []
        found = []
        for number, row in enumerate(rows):
            stop = unstamped[number] if unstamped else _at(stops, row["uptime_s"])
            named = {"pid": pid, "stop": stop, "tid": row["native_id"], "thread": row["thread"], "witness": "timeout"}
            found.append({**named, "what": row["state"]})
        return found

    def _sighted(self, one: dict[str, Any]) -> dict[str, Any]:
        return {
            "pid": one["pid"], "stop": self._nth_named(one["pid"], one["stop"]), "tid": one["tid"],
            "thread": one["thread"], "witness": one["witness"], "what": one["text"],
        }  # fmt: skip

    def _nth_named(self, pid: int, number: int) -> Any:
        """The stop in which late threads were named for the nth time."""
        named = sorted({row["stop"] for row in self._timeouts.get(pid, []) if pd.notna(row["stop"])})
        return named[number - 1] if 0 < number <= len(named) else pd.NA

    @cached_property
    def samples(self) -> pd.DataFrame:
        """Stacks of late threads: async-profiler's, JFR's and the agent's."""
        rows = [row for pid in self.pids for row in (*self._ttsp(pid), *self._latency(pid))]
        agent = [one for one in self.watch["sightings"] if one["frames"]]
        return _frame(rows + [self._agent(one) for one in agent], SAMPLES)

    def _ttsp(self, pid: int) -> list[dict[str, Any]]:
        events = self._events(self.folder / f"ttsp-{pid}.jfr", "jdk.ExecutionSample")
        stops, names = self.stops[self.stops["pid"] == pid], self._thread_names(pid)
        rows = [row for row in events.to_dict("records") if not _has_come(row)]
        found = [
            self._sample(pid, "ttsp", _during(stops, row["time"], SLACK if self.sample_ms == 1 else LITTLE), row, names)
            for row in rows
        ]
        named = {(row["stop"], row["tid"]) for row in self._timeouts.get(pid, []) if pd.notna(row["stop"])}
        known = {stop for stop, _ in named}
        return [
            row
            for row in found
            if row["stop"] is pd.NA or row["stop"] not in known or (row["stop"], row["tid"]) in named
        ]

    def _latency(self, pid: int) -> list[dict[str, Any]]:
        """JFR's sampler waits by itself: its events need no stop, and a stop may fall into them."""
        events = self._events(self.folder / f"latency-{pid}.jfr", "jdk.SafepointLatency")
        stops, names = self.stops[self.stops["pid"] == pid], self._thread_names(pid)
        long = [row for row in events.to_dict("records") if row["duration_ms"] >= self.after_ms]
        found = [self._sample(pid, "latency", _over(stops, row), row, names) for row in long]
        return [row | {"waited_ms": event["duration_ms"]} for row, event in zip(found, long, strict=True)]

    def _thread_names(self, pid: int) -> dict[int, str]:
        """By SafepointTimeout: at the end of a run main's thread is called DestroyJavaVM."""
        return {int(row["tid"]): str(row["thread"]) for row in self._timeouts.get(pid, []) if pd.notna(row["tid"])}

    def _sample(self, pid: int, witness: str, stop: Any, row: dict[Any, Any], names: dict[int, str]) -> dict[str, Any]:
        tid = row["os_thread_id"]
        thread = names.get(tid, "main" if row["thread"] == "DestroyJavaVM" else row["thread"])
        who = {"pid": pid, "stop": stop, "tid": tid, "thread": thread, "witness": witness}
        return who | place(row["frames"], row["lines"], row["bci"], row["code"])

    def _agent(self, one: dict[str, Any]) -> dict[str, Any]:
        frames: list[Frame] = one["frames"]
        stack = ";".join(frame[0] for frame in reversed(frames))
        lines = ";".join(str(frame[2] or "") for frame in reversed(frames))
        known = {name: one[name] for name in ("pid", "tid", "thread", "witness")}
        found = place(stack, lines, frames[0][1], frames[0][3])
        return known | {"stop": self._nth_named(one["pid"], one["stop"])} | found

    def _events(self, file: Path, event: str) -> pd.DataFrame:
        """The events of one JFR file; printed once, as the tool is a JVM of its own."""
        if not file.exists() or not file.stat().st_size:
            return jfr.read([])
        printed = file.with_suffix(f".{event}.json")
        if not printed.exists():
            try:
                flight.print_events(file, event).replace(printed)
            except LabError as failed:
                self.troubles[file.name.partition("-")[0]] = str(failed).partition("\n")[0]
                return jfr.read([])
        return jfr.read(printed)


def _has_come(row: dict[Any, Any]) -> bool:
    """Is it a thread that runs although it keeps nobody waiting: the VM's own, or one on its last steps to a halt?"""
    return bool(VM_THREAD.match(row["thread"] or "") or HALTING.search(row["frames"] or "") or pd.isna(row["method"]))


def _frame(rows: list[dict[str, Any]], columns: dict[str, str]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=list(columns))
    if "time" in columns:
        frame["time"] = pd.to_datetime(frame["time"], utc=True)
    return frame.astype(columns)


def _at(stops: pd.DataFrame, uptime_s: float) -> Any:
    """The stop that was on at this uptime; the last one may never have been over."""
    on = stops[(stops["at_s"] <= uptime_s + 0.005) & (uptime_s <= stops["at_s"] + stops["waited_ms"] / 1e3 + 0.05)]
    if len(on):
        return on.iloc[-1]["stop"]
    unfinished = stops[~stops["over"]]
    return unfinished.iloc[-1]["stop"] if len(unfinished) else pd.NA


def _during(stops: pd.DataFrame, time: pd.Timestamp, slack: pd.Timedelta) -> Any:
    """The stop whose wait this moment falls into, give or take; the nearest of several."""
    begin = stops["time"]
    end = begin + pd.to_timedelta(stops["waited_ms"], unit="ms")
    near = stops[(begin - slack <= time) & (time <= end + slack)]
    if near.empty:
        return pd.NA
    inside = near[(near["time"] <= time) & (time <= end[near.index])]
    chosen = inside if len(inside) else near
    return chosen.sort_values("waited_ms")["stop"].iloc[-1]


def _over(stops: pd.DataFrame, row: dict[Any, Any]) -> Any:
    """The longest stop whose wait the span of the event overlaps."""
    until = row["time"] + pd.Timedelta(milliseconds=row["duration_ms"])
    end = stops["time"] + pd.to_timedelta(stops["waited_ms"], unit="ms")
    on = stops[(stops["time"] <= until) & (end >= row["time"])]
    return on.sort_values("waited_ms")["stop"].iloc[-1] if len(on) else pd.NA


def _unstamped(folder: Path, pid: int, stops: pd.DataFrame) -> list[Any]:
    """The stop of each thread named in a log without stamps, as up to 16.

    On 8 the stop's own row follows in the same file. Later it stands in another, and of stops about as long as
    the limit some name nobody: then the names belong to the longest.
    """
    [*_, names] = stop_logs(folder, pid)
    naming, over, found = -1, 0, []
    for line in bounded_text(names, 50_000_000).replace("&quot;", '"').splitlines():
        naming += NAMED in line
        over += ROW_OF_8.match(line) is not None
        found += [(naming, over)] if LATE.search(line) else []
    if names == stop_logs(folder, pid)[0]:
        numbers = stops["stop"].tolist()
        return [numbers[over] if over < len(numbers) else pd.NA for _, over in found]
    longest = sorted(stops.nlargest(naming + 1, "waited_ms")["stop"])
    return [longest[naming] if naming < len(longest) else pd.NA for naming, _ in found]
