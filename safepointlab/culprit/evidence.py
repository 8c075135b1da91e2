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

from safepointlab.culprit.watch import FILE as WATCH
from safepointlab.culprit.witness import INTERVAL_MS, pids, stop_logs
from safepointlab.errors import LabError
from safepointlab.logs import flight, jfr, safepoint
from safepointlab.process import recording
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
    "within": "string", "line": "Int64", "bci": "Int64", "kind": "string", "stack": "string", "lines": "string",
    "waited_ms": "float64",
}  # fmt: skip
SLACK = pd.Timedelta(milliseconds=30)  # the log's time of day has whole ms, and 8's is computed from its uptime
LITTLE = pd.Timedelta(milliseconds=5)  # if samples come from the whole run, not from waits alone
ROW_OF_8 = re.compile(r"[\d.]+: .*\[ *\d+ +\d+ +\d+ *\] +\[")
HALTING = re.compile(
    r"SafepointSynchronize::block|SafepointMechanism::process|polling_page|pthread_cond|futex|lll_lock"
)
PROFILER = "libasyncProfiler.so::"
LIBRARY = re.compile(r"\.so[.\d]*$")


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
            return dict(json.loads(recording.text_of(self.folder / WATCH)))
        except (OSError, ValueError):
            return {"sightings": [], "asked": {}, "waited_s": {}}

    @cached_property
    def stops(self) -> pd.DataFrame:
        """Every stop; the last one may not have been over when the log ended."""
        rows: list[dict[str, Any]] = []
        for pid in self.pids:
            table = safepoint.read(stop_logs(self.folder, pid), timeout_delay_ms=self.after_ms)
            ended = table[(table["kind"] == "safepoint") & table["ttsp_ms"].notna()].to_dict("records")
            for number, row in enumerate(ended):
                begin_s = row["begin_s"] if pd.notna(row["begin_s"]) else row["uptime_s"]
                stop = {
                    "pid": pid,
                    "stop": number,
                    "at_s": begin_s,
                    "over": True,
                    "time": self._time(pid, row, begin_s),
                }
                lengths = {"waited_ms": row["ttsp_ms"], "total_ms": row["total_ms"]}
                rows.append({**stop, "operation": row["operation"], **lengths})
            waited_s = self.watch["waited_s"].get(str(pid))
            if waited_s is not None:
                last = {"pid": pid, "stop": len(ended), "at_s": table.attrs.get("begun_s"), "over": False}
                rows.append({**last, "operation": "(never logged)", "waited_ms": waited_s * 1000 + self.after_ms})
        return _frame(rows, STOPS)

    def _time(self, pid: int, row: dict[Any, Any], begin_s: float) -> Any:
        """When the stop began; 8's log has no time of day, but async-profiler knows when the JVM was started."""
        if pd.notna(row["time"]):
            return (pd.Timestamp(row["time"]) - pd.Timedelta(milliseconds=row["total_ms"])).tz_localize("UTC")
        return self._started[pid] + pd.Timedelta(seconds=begin_s) if pid in self._started else pd.NaT

    @cached_property
    def _started(self) -> dict[int, pd.Timestamp]:
        started = {}
        for pid in self.pids if any(self.folder.glob("vm-*.log")) else ():
            events = self._events(self.folder / f"ttsp-{pid}.jfr", "jdk.JVMInformation")
            if len(events) and "jvm_start_time" in events:
                started[pid] = pd.Timestamp(str(events["jvm_start_time"].iloc[0]))
        return started

    @cached_property
    def classpath(self) -> list[str]:
        """The class path that the JVMs themselves report, each part as an absolute path."""
        parts: list[str] = []
        for pid in self.pids:
            parts += [part for part in str(self.started(pid).get("classpath", "")).split(":") if part]
        return list(dict.fromkeys(parts))

    def started(self, pid: int) -> dict[str, Any]:
        """How a JVM was started: the fields of `started.Started`; {} if nobody looked."""
        return dict(self.watch.get("started", {}).get(str(pid), {}))

    @cached_property
    def names(self) -> pd.DataFrame:
        """The threads that the JVM named, and what the kernel reports of them."""
        timeouts = [row for pid in self.pids for row in self._timeouts[pid]]
        return _frame(
            timeouts + [self._sighted(each) | {"what": each["text"]} for each in self.watch["sightings"]], NAMES
        )

    @cached_property
    def _timeouts(self) -> dict[int, list[dict[str, Any]]]:
        """The threads that each JVM named; read once, since each sighting and sample needs it."""
        named = {}
        for pid in self.pids:
            late = safepoint.stragglers(stop_logs(self.folder, pid))
            stops, rows = self._stops_of(pid), late[late["told_by"] == "timeout"].to_dict("records")
            if rows and pd.isna(rows[0]["uptime_s"]):
                numbers = _stops_without_times(stop_logs(self.folder, pid), stops)
            else:
                numbers = [_stop_at(stops, row["uptime_s"]) for row in rows]
            named[pid] = [
                {"pid": pid, "stop": stop, "tid": row["native_id"], "thread": row["thread"], "what": row["state"]}
                | {"witness": "timeout"}
                for row, stop in zip(rows, numbers, strict=False)
            ]
        return named

    def _sighted(self, sighting: dict[str, Any]) -> dict[str, Any]:
        """Whom a witness from outside saw, and in which stop: it counts those in which the JVM named late threads."""
        pid, number = sighting["pid"], sighting["stop"]
        named = sorted({row["stop"] for row in self._timeouts.get(pid, []) if pd.notna(row["stop"])})
        stop = named[number - 1] if 0 < number <= len(named) else pd.NA
        return {name: sighting[name] for name in ("pid", "tid", "thread", "witness")} | {"stop": stop}

    @cached_property
    def samples(self) -> pd.DataFrame:
        """The stacks of late threads by async-profiler, JFR and the agent."""
        rows = [row for pid in self.pids for row in (*self._ttsp(pid), *self._latency(pid))]
        for sighting in self.watch["sightings"]:
            if frames := sighting["frames"]:
                stack = ";".join(frame[0] for frame in reversed(frames))
                lines = ";".join(str(frame[2] or "") for frame in reversed(frames))
                rows.append(self._sighted(sighting) | place(stack, lines, frames[0][1], frames[0][3]))
        return _frame(rows, SAMPLES)

    def _ttsp(self, pid: int) -> list[dict[str, Any]]:
        """async-profiler's samples; of a stop in which the JVM named threads, only those of these threads."""
        events = self._events(self.folder / f"ttsp-{pid}.jfr", "jdk.ExecutionSample")
        stops, slack = self._stops_of(pid), SLACK if self.sample_ms == INTERVAL_MS else LITTLE
        named = {(row["stop"], row["tid"]) for row in self._timeouts[pid] if pd.notna(row["stop"])}
        named_stops = {stop for stop, _ in named}
        samples = []
        for row in events.to_dict("records"):
            if _is_innocent(row):
                continue
            time = row["time"]
            stop = _longest_between(stops, time, time)
            if stop is pd.NA:
                stop = _longest_between(stops, time - slack, time + slack)
            if stop is pd.NA or stop not in named_stops or (stop, row["os_thread_id"]) in named:
                samples.append(self._sample(pid, "ttsp", stop, row))
        return samples

    def _latency(self, pid: int) -> list[dict[str, Any]]:
        """JFR's sampler waits by itself: its events need no stop, but may overlap one."""
        samples = []
        for row in self._events(self.folder / f"latency-{pid}.jfr", "jdk.SafepointLatency").to_dict("records"):
            if row["duration_ms"] >= self.after_ms:
                end = row["time"] + pd.Timedelta(milliseconds=row["duration_ms"])
                stop = _longest_between(self._stops_of(pid), row["time"], end)
                samples.append(self._sample(pid, "latency", stop, row) | {"waited_ms": row["duration_ms"]})
        return samples

    def _sample(self, pid: int, witness: str, stop: Any, row: dict[Any, Any]) -> dict[str, Any]:
        """One stack; at the end of a run the main thread is called DestroyJavaVM, but SafepointTimeout knows better."""
        tid = row["os_thread_id"]
        names = {named["tid"]: named["thread"] for named in self._timeouts[pid] if pd.notna(named["tid"])}
        thread = names.get(tid, "main" if row["thread"] == "DestroyJavaVM" else row["thread"])
        location = place(row["frames"], row["lines"], row["bci"], row["code"])
        return {"pid": pid, "stop": stop, "tid": tid, "thread": thread, "witness": witness} | location

    def _stops_of(self, pid: int) -> pd.DataFrame:
        return self.stops[self.stops["pid"] == pid]

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


def _frame(rows: list[dict[str, Any]], columns: dict[str, str]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=list(columns))
    if "time" in columns:
        frame["time"] = pd.to_datetime(frame["time"], utc=True)
    return frame.astype(columns)


def _is_innocent(row: dict[Any, Any]) -> bool:
    """Whether the thread delays no stop: one of the VM's own, about to block at the safepoint, or in our profiler."""
    vms_own = VM_THREAD.match(row["thread"] or "") or HALTING.search(row["frames"] or "")
    return bool(vms_own or pd.isna(row["method"]) or is_profilers(row["frames"] or ""))


def _stop_at(stops: pd.DataFrame, uptime_s: float) -> Any:
    """The stop that was under way at this uptime; the last one may never have been over."""
    end_s = stops["at_s"] + stops["waited_ms"] / 1e3
    under_way = stops[(stops["at_s"] <= uptime_s + 0.005) & (uptime_s <= end_s + 0.05)]
    found = under_way if len(under_way) else stops[~stops["over"]]
    return found["stop"].iloc[-1] if len(found) else pd.NA


def _longest_between(stops: pd.DataFrame, begin: pd.Timestamp, end: pd.Timestamp) -> Any:
    """The longest of the stops whose wait overlaps this time."""
    wait_end = stops["time"] + pd.to_timedelta(stops["waited_ms"], unit="ms")
    found = stops[(stops["time"] <= end) & (wait_end >= begin)].sort_values("waited_ms")["stop"]
    return found.iloc[-1] if len(found) else pd.NA


def _stops_without_times(files: list[Path], stops: pd.DataFrame) -> list[Any]:
    """The stop of each thread named in a log without time stamps, as up to 16.

    On 8 the stop's own row follows in the same file. Later it is in another file, and some stops about as long as the
    limit have no names: the names belong to the longest stops.
    """
    naming, over, positions = -1, 0, []
    for line in bounded_text(files[-1], 50_000_000).replace("&quot;", '"').splitlines():
        naming += NAMED in line
        over += ROW_OF_8.match(line) is not None
        positions += [(naming, over)] if LATE.search(line) else []
    if len(files) == 1:
        numbers, places = stops["stop"].tolist(), [over for _, over in positions]
    else:
        numbers = sorted(stops.nlargest(naming + 1, "waited_ms")["stop"])
        places = [naming for naming, _ in positions]
    return [numbers[place] if place < len(numbers) else pd.NA for place in places]


def place(stack: str, lines: str, bci: Any, kind: Any) -> dict[str, Any]:
    """The innermost Java frame of a stack (root first, separated by ";"), and the native function that it is in.

    async-profiler names native frames "lib.so::function" or "::function"; a stub of the VM has no library, and a
    library without symbols is named by its file alone.

    >>> place("Odd::main;Odd::copy;::jbyte_disjoint_arraycopy", "7;12;", 0, "C++")["within"]
    'jbyte_disjoint_arraycopy'
    """
    frames, numbers = stack.split(";")[::-1], [int(line) if line.isdigit() else 0 for line in lines.split(";")][::-1]
    own = min(_profilers_frames(frames), len(frames) - 1)
    java = next((depth for depth, frame in enumerate(frames) if _is_java(frame)), own)
    is_native = java > own or not _is_java(frames[own])
    return {
        "method": frames[java],
        "line": (numbers[java] if java < len(numbers) else 0) or None,
        "kind": kind,
        "bci": None if java else bci,
        "within": frames[own].partition("::")[2].rpartition("/")[2] if is_native else None,
        "stack": ";".join(frames[java:][::-1]),
        "lines": ";".join(str(number or "") for number in numbers[java:][::-1]),
    }


def is_profilers(stack: str) -> bool:
    """Whether the whole stack is the profiler's: no thread of the program was late there.

    >>> is_profilers("libc.so.6::__restore_rt;libasyncProfiler.so::AllocTracer::trapHandler")
    True
    """
    frames = stack.split(";")[::-1]
    return _profilers_frames(frames) == len(frames)


def _profilers_frames(frames: list[str]) -> int:
    """How many of the frames, the innermost first, are the profiler's signal handler and what that calls."""
    handler = max((depth for depth, frame in enumerate(frames, 1) if frame.startswith(PROFILER)), default=0)
    returning = 0 < handler < len(frames) and frames[handler].endswith("::__restore_rt")
    return handler + returning


def _is_java(frame: str) -> bool:
    """Whether it is a Java frame; a native one is "::name" or "lib.so::name"."""
    owner, colons, _ = frame.partition("::")
    return bool(colons and owner) and not LIBRARY.search(owner)
