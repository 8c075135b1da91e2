"""The folder of a command that has ended -> three frames: the stops, the late threads by each witness, their lines.

    stops     one row per stop of a JVM: pid, at_s, operation, waited_ms (TTSP), total_ms, over, time, stop (its number)
    names     one row per late thread in one stop: pid, stop, tid, thread, witness, what
    samples   one row per stack: pid, stop (NA outside of stops), tid, thread, witness, method and line of the innermost
              Java frame, its bci if it is the innermost of all, and else what it calls (within): a stub, the VM

`stop` joins them. Witnesses have different clocks: the log has uptime and time of day, SafepointTimeout up to 16 none
(the k-th list of names then belongs to the k-th stop that was late enough), JFR files have time of day.
"""

import json
import re
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from safepointlab.culprit.agent import Frame
from safepointlab.culprit.place import is_profilers, place
from safepointlab.culprit.watch import FILE as WATCH
from safepointlab.culprit.witness import pids, stop_logs
from safepointlab.errors import LabError
from safepointlab.logs import flight, jfr, safepoint
from safepointlab.process.files import bounded_text
from safepointlab.run.forensics.late_threads import LATE, NAMED
from safepointlab.run.forensics.thread_samples import VM_THREAD

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
LITTLE = pd.Timedelta(milliseconds=5)  # if samples come from the whole run, not from waits alone
ROW_OF_8 = re.compile(r"[\d.]+: .*\[ *\d+ +\d+ +\d+ *\] +\[")
HALTING = re.compile(
    r"SafepointSynchronize::block|SafepointMechanism::process|polling_page|pthread_cond|futex|lll_lock"
)


class Evidence:
    """The files of all witnesses in one folder, as frames."""

    def __init__(self, folder: Path, after_ms: int, sample_ms: int = 1) -> None:
        self.folder, self.after_ms, self.sample_ms = folder, after_ms, sample_ms
        self.pids = pids(folder)
        self.troubles: dict[str, str] = {}
        self.unlogged = False  # the JVM has no log of its stops: a sample of a wait belongs to none of them

    @cached_property
    def watch(self) -> dict[str, Any]:
        """What `watch` observed from outside."""
        try:
            return dict(json.loads((self.folder / WATCH).read_text("utf-8")))
        except (OSError, ValueError):
            return {"sightings": [], "asked": {}, "waited_s": {}}

    @cached_property
    def stops(self) -> pd.DataFrame:
        """Every stop; the last one may not have been over when the log ended."""
        return _frame([row for pid in self.pids for row in self._stops_of(pid)], STOPS)

    def _stops_of(self, pid: int) -> list[dict[str, Any]]:
        files = stop_logs(self.folder, pid)
        table = safepoint.read(files, timeout_delay_ms=self.after_ms)
        rows = table[(table["kind"] == "safepoint") & table["ttsp_ms"].notna()]
        stops = [self._row(pid, number, row) for number, row in enumerate(rows.to_dict("records"))]
        waited_s = self.watch["waited_s"].get(str(pid))
        if waited_s is not None:
            begin_s = table.attrs.get("begun_s")
            last = {"pid": pid, "stop": len(stops), "operation": "(never logged)", "over": False}
            last["time"] = pd.NaT
            waited_ms = waited_s * 1000 + self.after_ms
            stops.append({**last, "at_s": begin_s, "waited_ms": waited_ms, "total_ms": float("nan")})
        return stops

    def _row(self, pid: int, number: int, row: dict[Any, Any]) -> dict[str, Any]:
        begin_s = row["begin_s"] if pd.notna(row["begin_s"]) else row["uptime_s"]
        time = (
            pd.Timestamp(row["time"]) - pd.Timedelta(milliseconds=row["total_ms"]) if pd.notna(row["time"]) else pd.NaT
        )
        if pd.isna(time) and pid in self._started:
            time = self._started[pid] + pd.Timedelta(seconds=begin_s)
        else:
            time = time.tz_localize("UTC") if pd.notna(time) else time
        stop = {"pid": pid, "stop": number, "at_s": begin_s, "operation": row["operation"], "over": True, "time": time}
        return {**stop, "waited_ms": row["ttsp_ms"], "total_ms": row["total_ms"]}

    @cached_property
    def _started(self) -> dict[int, pd.Timestamp]:
        """When each JVM started, by async-profiler; only 8's log needs it, which has no time of day."""
        started = {}
        for pid in self.pids if any(self.folder.glob("vm-*.log")) else ():
            events = self._events(self.folder / f"ttsp-{pid}.jfr", "jdk.JVMInformation")
            if len(events) and "jvm_start_time" in events:
                started[pid] = pd.Timestamp(str(events["jvm_start_time"].iloc[0]))
        return started

    @cached_property
    def classpath(self) -> list[str]:
        """The class path that the JVMs themselves report; the only source for JVMs that a script started."""
        parts: list[str] = []
        for pid in self.pids:
            events = self._events(self.folder / f"ttsp-{pid}.jfr", "jdk.InitialSystemProperty")
            properties = dict(zip(events["key"], events["value"], strict=True)) if "key" in events else {}
            folder = Path(str(properties.get("user.dir", ".")))
            parts += [str(folder / part) for part in str(properties.get("java.class.path", "")).split(":") if part]
        return list(dict.fromkeys(parts))

    @cached_property
    def names(self) -> pd.DataFrame:
        """The threads that the JVM named, and what the kernel reports of them."""
        timeouts = [row for pid in self.pids for row in self._timeouts.get(pid, [])]
        return _frame(timeouts + [self._sighted(sighting) for sighting in self.watch["sightings"]], NAMES)

    @cached_property
    def _timeouts(self) -> dict[int, list[dict[str, Any]]]:
        """The threads that each JVM named; read once, since each sighting and sample needs it."""
        return {pid: self._named_by(pid) for pid in self.pids}

    def _named_by(self, pid: int) -> list[dict[str, Any]]:
        late = safepoint.stragglers(stop_logs(self.folder, pid))
        stops = self.stops[self.stops["pid"] == pid]
        rows = late[late["told_by"] == "timeout"].to_dict("records")
        unstamped = _unstamped(self.folder, pid, stops) if rows and pd.isna(rows[0]["uptime_s"]) else []
        names = []
        for number, row in enumerate(rows):
            stop = unstamped[number] if unstamped else _at(stops, row["uptime_s"])
            columns = {"pid": pid, "stop": stop, "tid": row["native_id"], "thread": row["thread"], "witness": "timeout"}
            names.append({**columns, "what": row["state"]})
        return names

    def _sighted(self, sighting: dict[str, Any]) -> dict[str, Any]:
        return {
            "pid": sighting["pid"], "stop": self._nth_named(sighting["pid"], sighting["stop"]), "tid": sighting["tid"],
            "thread": sighting["thread"], "witness": sighting["witness"], "what": sighting["text"],
        }  # fmt: skip

    def _nth_named(self, pid: int, number: int) -> Any:
        """The stop in which the JVM named late threads for the nth time."""
        named = sorted({row["stop"] for row in self._timeouts.get(pid, []) if pd.notna(row["stop"])})
        return named[number - 1] if 0 < number <= len(named) else pd.NA

    @cached_property
    def samples(self) -> pd.DataFrame:
        """The stacks of late threads by async-profiler, JFR and the agent."""
        rows = [row for pid in self.pids for row in (*self._ttsp(pid), *self._latency(pid))]
        with_frames = [sighting for sighting in self.watch["sightings"] if sighting["frames"]]
        return _frame(rows + [self._agent(sighting) for sighting in with_frames], SAMPLES)

    def _ttsp(self, pid: int) -> list[dict[str, Any]]:
        events = self._events(self.folder / f"ttsp-{pid}.jfr", "jdk.ExecutionSample")
        stops, names = self.stops[self.stops["pid"] == pid], self._thread_names(pid)
        rows = [row for row in events.to_dict("records") if not _is_innocent(row)]
        samples = [
            self._sample(pid, "ttsp", _during(stops, row["time"], SLACK if self.sample_ms == 1 else LITTLE), row, names)
            for row in rows
        ]
        named = {(row["stop"], row["tid"]) for row in self._timeouts.get(pid, []) if pd.notna(row["stop"])}
        named_stops = {stop for stop, _ in named}
        return [
            row
            for row in samples
            if row["stop"] is pd.NA or row["stop"] not in named_stops or (row["stop"], row["tid"]) in named
        ]

    def _latency(self, pid: int) -> list[dict[str, Any]]:
        """JFR's sampler waits by itself: its events need no stop, but may overlap one."""
        events = self._events(self.folder / f"latency-{pid}.jfr", "jdk.SafepointLatency")
        stops, names = self.stops[self.stops["pid"] == pid], self._thread_names(pid)
        long = [row for row in events.to_dict("records") if row["duration_ms"] >= self.after_ms]
        samples = [self._sample(pid, "latency", _over(stops, row), row, names) for row in long]
        return [row | {"waited_ms": event["duration_ms"]} for row, event in zip(samples, long, strict=True)]

    def _thread_names(self, pid: int) -> dict[int, str]:
        """Thread names by SafepointTimeout: at the end of a run the main thread is called DestroyJavaVM."""
        return {int(row["tid"]): str(row["thread"]) for row in self._timeouts.get(pid, []) if pd.notna(row["tid"])}

    def _sample(self, pid: int, witness: str, stop: Any, row: dict[Any, Any], names: dict[int, str]) -> dict[str, Any]:
        tid = row["os_thread_id"]
        thread = names.get(tid, "main" if row["thread"] == "DestroyJavaVM" else row["thread"])
        thread_columns = {"pid": pid, "stop": stop, "tid": tid, "thread": thread, "witness": witness}
        return thread_columns | place(row["frames"], row["lines"], row["bci"], row["code"])

    def _agent(self, sighting: dict[str, Any]) -> dict[str, Any]:
        frames: list[Frame] = sighting["frames"]
        stack = ";".join(frame[0] for frame in reversed(frames))
        lines = ";".join(str(frame[2] or "") for frame in reversed(frames))
        thread = {name: sighting[name] for name in ("pid", "tid", "thread", "witness")}
        location = place(stack, lines, frames[0][1], frames[0][3])
        return thread | {"stop": self._nth_named(sighting["pid"], sighting["stop"])} | location

    def _events(self, file: Path, event: str) -> pd.DataFrame:
        """The events of one JFR file; printed once, since the tool is a JVM of its own, and packed without the file."""
        printed = file.with_suffix(f".{event}.json")
        if not printed.exists():
            if not file.exists() or not file.stat().st_size:
                return jfr.read([])
            try:
                flight.print_events(file, event).replace(printed)
            except LabError as error:
                self.troubles[file.name.partition("-")[0]] = str(error).partition("\n")[0]
                return jfr.read([])
        return jfr.read(printed)


def _is_innocent(row: dict[Any, Any]) -> bool:
    """Whether the thread delays no stop: one of the VM's own, about to block at the safepoint, or in our profiler."""
    vms_own = VM_THREAD.match(row["thread"] or "") or HALTING.search(row["frames"] or "")
    return bool(vms_own or pd.isna(row["method"]) or is_profilers(row["frames"] or ""))


def _frame(rows: list[dict[str, Any]], columns: dict[str, str]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=list(columns))
    if "time" in columns:
        frame["time"] = pd.to_datetime(frame["time"], utc=True)
    return frame.astype(columns)


def _at(stops: pd.DataFrame, uptime_s: float) -> Any:
    """The stop that was under way at this uptime; the last one may never have been over."""
    end_s = stops["at_s"] + stops["waited_ms"] / 1e3
    under_way = stops[(stops["at_s"] <= uptime_s + 0.005) & (uptime_s <= end_s + 0.05)]
    if len(under_way):
        return under_way.iloc[-1]["stop"]
    unfinished = stops[~stops["over"]]
    return unfinished.iloc[-1]["stop"] if len(unfinished) else pd.NA


def _during(stops: pd.DataFrame, time: pd.Timestamp, slack: pd.Timedelta) -> Any:
    """The stop whose wait contains this moment, within the slack; of several the longest, if one without the slack."""
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
    end_time = row["time"] + pd.Timedelta(milliseconds=row["duration_ms"])
    end = stops["time"] + pd.to_timedelta(stops["waited_ms"], unit="ms")
    overlapping = stops[(stops["time"] <= end_time) & (end >= row["time"])]
    return overlapping.sort_values("waited_ms")["stop"].iloc[-1] if len(overlapping) else pd.NA


def _unstamped(folder: Path, pid: int, stops: pd.DataFrame) -> list[Any]:
    """The stop of each thread named in a log without time stamps, as up to 16.

    On 8 the stop's own row follows in the same file. Later it is in another file, and some stops about as long as the
    limit have no names: the names belong to the longest stops.
    """
    [*_, names] = stop_logs(folder, pid)
    naming, over, positions = -1, 0, []
    for line in bounded_text(names, 50_000_000).replace("&quot;", '"').splitlines():
        naming += NAMED in line
        over += ROW_OF_8.match(line) is not None
        positions += [(naming, over)] if LATE.search(line) else []
    if names == stop_logs(folder, pid)[0]:
        numbers = stops["stop"].tolist()
        return [numbers[over] if over < len(numbers) else pd.NA for _, over in positions]
    longest = sorted(stops.nlargest(naming + 1, "waited_ms")["stop"])
    return [longest[naming] if naming < len(longest) else pd.NA for naming, _ in positions]
