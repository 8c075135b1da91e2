"""The folder of a command that has ended -> three frames: the stops, the late threads by each witness, their lines.

    stops     one row per stop of a JVM, or per wait that its counters tell if it has no log: pid, at_s, operation,
              waited_ms (TTSP), operation_ms, leaving_ms, total_ms, over, time, stop (its number), observed (by a
              witness that disturbs), examined_ms (the part of the wait during which the agent held up the JVM)
    names     one row per late thread in one stop: pid, stop, tid, thread, virtual (the virtual thread that it carries),
              witness, what
    samples   one row per stack: pid, stop (NA outside of stops), tid, thread, witness, method and line of the innermost
              Java frame, its bci if it is the innermost of all, and else what it calls (within): a stub, the VM; named
              if the JVM has not named others for this stop

`stop` joins them. Witnesses have different clocks: the log has uptime and time of day, SafepointTimeout up to 16 none
(the k-th list of names then belongs to the k-th stop that was late enough), JFR files have time of day.

SafepointTimeout of 8 to 12 names threads in native code as well, if it runs out while the VM waits for threads inside
of it ("while waiting for threads to stop": safepoint.cpp, _blocking_timeout). These do not delay a stop. Threads of our
own witnesses never do.
"""

import contextlib
import json
import re
from collections.abc import Collection
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from safepointlab.culprit.watch import FILE as WATCH
from safepointlab.culprit.watch import IDLE
from safepointlab.culprit.witness import INTERVAL_MS, NAMING, OURS, pids, stop_logs
from safepointlab.errors import LabError
from safepointlab.jdks import Jdk
from safepointlab.logs import flight, jfr, safepoint
from safepointlab.process import cgroups, recording, shell
from safepointlab.process.files import bounded_text
from safepointlab.run.forensics.late_threads import LATE, NAMED
from safepointlab.run.forensics.thread_samples import VM_THREAD

STOPS = {
    "pid": "int64", "stop": "Int64", "at_s": "float64", "operation": "string", "waited_ms": "float64",
    "operation_ms": "float64", "leaving_ms": "float64", "total_ms": "float64", "over": "bool",
    "time": "datetime64[ns, UTC]", "observed": "bool", "examined_ms": "float64",
}  # fmt: skip
NAMES = {
    "pid": "int64", "stop": "Int64", "tid": "Int64", "thread": "string", "virtual": "string", "witness": "string",
    "what": "string",
}  # fmt: skip
SAMPLES = {
    "pid": "int64", "stop": "Int64", "tid": "Int64", "thread": "string", "virtual": "string", "witness": "string",
    "method": "string", "within": "string", "library": "string", "line": "Int64", "bci": "Int64", "kind": "string",
    "stack": "string", "lines": "string", "waited_ms": "float64", "named": "bool", "time": "datetime64[ns, UTC]",
}  # fmt: skip
SLACK = pd.Timedelta(milliseconds=30)  # the log's time of day has whole ms, and 8's is computed from its uptime
LITTLE = pd.Timedelta(milliseconds=5)  # if samples come from the whole run, not from waits alone
ROW_OF_8 = re.compile(r"[\d.]+: .*\[ *\d+ +\d+ +\d+ *\] +\[")
BLOCKING = "Timed out while waiting for threads to stop"
SOURCE_LAUNCHER = re.compile(r"jdk\.compiler/com\.sun\.tools\.javac\.launcher\.(Main|SourceLauncher)")
IN_NATIVE = re.compile(r"\bIN_NATIVE\b|_thread_in_native\b")  # by the agent of 8, and of later JDKs
ARRIVED = re.compile(r", (BLOCKED|_thread_blocked)$")
HALTING = re.compile(
    r"SafepointSynchronize::block|SafepointMechanism::process|polling_page|pthread_cond|futex|lll_lock"
)
LINKER = re.compile(r"java\.lang\.invoke\.(LambdaForm|DirectMethodHandle|Invokers)|jdk\.internal\.foreign\.abi\.")
PROFILER = "libasyncProfiler.so::"
# Where a signal's handler returns to; of a libc without symbols async-profiler knows the file alone
RETURN_OF_SIGNAL = re.compile(r"::__restore_rt$|^::/.*/libc\b[^/]*$")
STARVED = 0.5  # the part of the CPU time that threads want, and queue for
NEAR_S = 1.5  # the account of a second stands at its end
OF_A_DUMP = ("PrintThreads", "FindDeadlocks", "PrintJNI")  # the operations of a thread dump through the socket
# defaultStream::start_log of 8: "<hotspot_log version='160 1' process='7' time_ms='1795172407862'>"
AT_ZERO = re.compile(r"<hotspot_log [^>]*\btime_ms='(\d+)'")
STAMP_S = 0.005  # a begin is computed from the stamp of the end, which has whole ms
NAMELESS = re.compile(r"^::/.*/")  # of a native frame: its library has no symbols
LIBRARY = re.compile(r"\.so[.\d]*$|^\[?vdso\]?$")


class Evidence:
    """The files of all witnesses in one folder, as frames."""

    def __init__(
        self,
        folder: Path,
        after_ms: int,
        sample_ms: int = 1,
        later: tuple[str, ...] = (),
        witnesses: Collection[str] = NAMING,
    ) -> None:
        self.folder, self.after_ms, self.sample_ms, self.later = folder, after_ms, sample_ms, later
        self.names_threads = not NAMING.isdisjoint(witnesses)  # whether a late thread would have had a name
        self.pids = pids(folder)
        self.troubles: dict[str, str] = {}
        self.exact_lines = True  # whether the JIT writes down the lines of all code, from the JVM's start
        self.unlogged = False  # the JVM has no log of its stops: its counters tell when it waited, and how long

    @cached_property
    def watch(self) -> dict[str, Any]:
        empty: dict[str, Any] = {"sightings": [], "asked": {}, "waited_s": {}, "started": {}, "demand": {}}
        empty |= {"switched_on": {}, "hangs": {}, "virtual": {}, "examined_s": None, "examinations": []}
        empty |= {"quota": {}, "vm_waits": {}, "waits": {}}
        try:
            return empty | dict(json.loads(recording.text_of(self.folder / WATCH)))
        except (OSError, ValueError):
            return empty

    @cached_property
    def stops(self) -> pd.DataFrame:
        """Every stop of the program's; those of our own questions are no evidence."""
        return self._every_stop[~self._every_stop["ours"]].drop(columns="ours").reset_index(drop=True)

    @cached_property
    def _every_stop(self) -> pd.DataFrame:
        """Every stop, and whether it is `ours`; the last one may not have been over when the log ended.

        Of a JVM without a log these are the waits that its counters tell, as long as we looked at them.
        """
        rows: list[dict[str, Any]] = []
        for pid in self.pids:
            for number, (end_s, waited_ms) in enumerate(self.watch["waits"].get(str(pid), []) if self.unlogged else ()):
                time = pd.Timestamp(end_s - waited_ms / 1e3, unit="s", tz="UTC")
                stop = {"pid": pid, "stop": number, "over": True, "time": time, "waited_ms": waited_ms}
                rows.append(stop | {"observed": True, "examined_ms": 0.0, "ours": False})
            table = safepoint.read(stop_logs(self.folder, pid), timeout_delay_ms=self.after_ms)
            ended = table[(table["kind"] == "safepoint") & table["ttsp_ms"].notna()].to_dict("records")
            for number, row in enumerate(ended):
                begin_s = row["begin_s"] if pd.notna(row["begin_s"]) else row["uptime_s"]
                time = self._time(pid, row, begin_s)
                stop = {"pid": pid, "stop": number, "at_s": begin_s, "over": True, "time": time}
                lengths = {name: row[name] for name in ("operation_ms", "leaving_ms", "total_ms")}
                if pd.isna(lengths["total_ms"]) and pd.notna(row["operation_ms"]):  # 8 logs the parts alone
                    lengths["total_ms"] = pd.Series(
                        [row[f"{part}_ms"] for part in ("ttsp", "cleanup", "operation")]
                    ).sum()
                stop |= {"operation": row["operation"], "waited_ms": row["ttsp_ms"], **lengths}
                stop |= {"ours": self._is_our_question(pid, row["operation"], time)}
                examined_ms = self._examined_ms(pid, time, row["ttsp_ms"])
                rows.append(stop | {"observed": self._observed(pid, time), "examined_ms": examined_ms})
            waited_s = self.watch["waited_s"].get(str(pid))
            if waited_s is not None:
                waited_ms = float(waited_s * 1000 + self.after_ms)
                last = {"pid": pid, "stop": len(ended), "at_s": table.attrs.get("begun_s"), "over": False}
                last |= {"operation": "(never logged)", "waited_ms": waited_ms}
                began = pd.NaT
                if last["at_s"] is not None and rows and rows[-1]["pid"] == pid:  # by the clock of the stop before
                    began = rows[-1]["time"] + pd.Timedelta(seconds=last["at_s"] - rows[-1]["at_s"])
                last |= {"observed": bool(self._switched_on(pid))}
                last |= {"examined_ms": self._examined_ms(pid, began, waited_ms, over=False)}
                rows.append(last | {"ours": self._is_our_question(pid, "", began)})
        return _frame(rows, STOPS | {"ours": "bool"})

    def _is_our_question(self, pid: int, operation: str, time: Any) -> bool:
        """Whether a stop came from us: it began after the examination at the deadline, or is a dump that we took."""
        if time is pd.NaT:
            return False
        began_s, examined_s = time.timestamp(), self.watch["examined_s"]
        dumps = [each for each in self.watch["examinations"] if each[:2] == [pid, "dump"]]
        ours = operation in OF_A_DUMP and any(begin_s <= began_s <= end_s for _, _, begin_s, end_s in dumps)
        return ours or bool(examined_s and began_s >= examined_s)

    def is_of_our_question(self, pid: int, time: Any) -> bool:
        """Whether what was seen then is our doing: it was in no stop of the program's, but in one of ours.

        Of a JVM without a log, whose own stops are not known either: it was after the examination at the end began.
        """
        if _longest_between(self._stops_of(pid), time, time) is not pd.NA:
            return False
        if self.watch["examined_s"] and time.timestamp() >= self.watch["examined_s"]:
            return True
        own = self._every_stop[self._every_stop["ours"] & (self._every_stop["pid"] == pid)]
        return len(own) > 0 and _longest_between(own, time - SLACK, time + SLACK) is not pd.NA

    def _examined_ms(self, pid: int, time: Any, waited_ms: float, over: bool = True) -> float:
        """For how much of this wait the agent examined the JVM, which it holds up meanwhile.

        For a stop that isn't `over` it came anyway, also if nobody knows when that began (NaT); but its wait is known
        until the examination at the deadline alone.
        """
        agents = [each for each in self.watch["examinations"] if each[:2] == [pid, "agent"]]
        if time is pd.NaT:
            until_s = self.watch["examined_s"] or float("inf")
            within_s = sum(max(0.0, min(end, until_s) - begin) for _, _, begin, end in agents)
            return 0.0 if over else min(waited_ms, float(1e3 * within_s))
        begin_s, end_s = time.timestamp(), time.timestamp() + waited_ms / 1e3
        return float(1e3 * sum(max(0.0, min(end, end_s) - max(begin, begin_s)) for _, _, begin, end in agents))

    def _time(self, pid: int, row: dict[Any, Any], begin_s: float) -> Any:
        """When the stop began; 8's log has a time of day in its first line alone."""
        if pd.notna(row["time"]):
            return (pd.Timestamp(row["time"]) - pd.Timedelta(milliseconds=row["total_ms"])).tz_localize("UTC")
        return self._at_zero[pid] + pd.Timedelta(seconds=begin_s)

    def _switched_on(self, pid: int) -> float:
        """When the first witness that disturbs was switched on, in seconds of the epoch; 0 if none was, or at once."""
        times = [when for when in self.watch["switched_on"].get(str(pid), {}).values() if isinstance(when, float)]
        return min(times, default=0.0)

    def _observed(self, pid: int, time: Any) -> bool:
        """Whether such a witness was on during the stop that began then."""
        if not self.later:
            return True
        on_s = self._switched_on(pid)
        return bool(on_s) and (time is pd.NaT or time.timestamp() >= on_s)

    @cached_property
    def _at_zero(self) -> dict[int, Any]:
        """The time of day at uptime 0 by each JVM's own log, as 8 has one."""
        heads = {pid: AT_ZERO.search(bounded_text(self.folder / f"vm-pid{pid}.log", 1000)) for pid in self.pids}
        return {pid: pd.Timestamp(int(h[1]), unit="ms", tz="UTC") if h else pd.NaT for pid, h in heads.items()}

    @cached_property
    def classpath(self) -> list[str]:
        """The class path that the JVMs themselves report, each part as an absolute path."""
        parts: list[str] = []
        for pid in self.pids:
            parts += [part for part in str(self.started(pid).get("classpath", "")).split(":") if part]
        return list(dict.fromkeys(parts))

    def started(self, pid: int) -> dict[str, Any]:
        """How a JVM was started: the fields of `started.Started`; {} if that is unknown."""
        return dict(self.watch.get("started", {}).get(str(pid), {}))

    def source_classes(self, jdk: Jdk) -> list[str]:
        """Where the classes of a source launcher's file are: it keeps its own in memory, so they are compiled again."""
        folders = []
        for started in self.watch["started"].values():
            if (name := _source_file(started)) and (javac := jdk.tool("javac")):
                source, classes = Path(started["folder"], name), self.folder / "source-classes"
                preview = (
                    ["--enable-preview", f"--release={jdk.major}"] if "--enable-preview" in started["flags"] else []
                )
                path = str(started["classpath"]) or "."
                with contextlib.suppress(LabError):
                    shell.output_of([str(javac), "-nowarn", *preview, "-d", str(classes), "-cp", path, str(source)])
                    folders.append(str(classes))
        return folders

    @cached_property
    def names(self) -> pd.DataFrame:
        """The threads that the JVM named, and what is seen of them from outside, without those that delay no stop."""
        rows = [row for pid in self.pids for row in self._timeouts[pid]]
        rows += [self._sighted(each) | {"what": each["text"]} for each in self.watch["sightings"]]
        return _frame([row for row in rows if not self._is_innocent(row)], NAMES)

    @cached_property
    def _timeouts(self) -> dict[int, list[dict[str, Any]]]:
        """The threads that each JVM named; read once, since each sighting and sample needs it."""
        named = {}
        for pid in self.pids:
            files, stops = stop_logs(self.folder, pid), self._stops_of(pid)
            late = safepoint.stragglers(files)
            rows, places = late[late["told_by"] == "timeout"].to_dict("records"), _places(files)
            if rows and pd.isna(rows[0]["uptime_s"]):
                every = self._every_stop[self._every_stop["pid"] == pid]
                numbers = _stops_without_times(files, every, places, self.after_ms)
            else:
                numbers = [_stop_at(stops, row["uptime_s"], self.after_ms) for row in rows]
            blocking = [place["blocking"] for place in places] + [False] * len(rows)
            named[pid] = [
                {"pid": pid, "stop": stop, "tid": row["native_id"], "thread": row["thread"], "what": row["state"]}
                | {"witness": "timeout", "virtual_id": row["carries"], "blocking": native}
                | {"virtual": self._virtual(pid, row["carries"])}
                for row, stop, native in zip(rows, numbers, blocking, strict=False)
            ]
        return named

    def _virtual(self, pid: int, number: Any) -> str | None:
        """The virtual thread of this number: its name, if it is known."""
        if pd.isna(number):
            return None
        name = self.watch["virtual"].get(str(pid), {}).get(str(number))
        return name or f"virtual thread #{number}"

    def _sighted(self, sighting: dict[str, Any]) -> dict[str, Any]:
        """Whom a witness from outside saw, and in which stop: it counts those in which the JVM named late threads."""
        pid, number = sighting["pid"], sighting["stop"]
        named = sorted({row["stop"] for row in self._timeouts.get(pid, []) if pd.notna(row["stop"])})
        stop = named[number - 1] if 0 < number <= len(named) else pd.NA
        return {name: sighting[name] for name in ("pid", "tid", "thread", "witness")} | {"stop": stop}

    @cached_property
    def _not_late(self) -> set[tuple[int, Any, Any]]:
        """The threads (pid, stop, native id) that a JVM of 8 to 12 names although they are in native code.

        And those, on any JDK, that the agent found stopped while the stop still went on: it waits for another.
        """
        seen = [(self._sighted(each), each["text"]) for each in self.watch["sightings"]]
        idle = {
            (row["pid"], row["stop"], row["tid"])
            for row, text in seen
            if (row["witness"] == "kernel" and text.startswith(IDLE)) or IN_NATIVE.search(text)
        }
        sampled = {(pid, row["stop"], row["tid"]) for pid in self.pids for row in self._ttsp[pid]}
        stops_sampled = {key[:2] for key in sampled}
        found = {(row["pid"], row["stop"], row["tid"]) for row, text in seen if ARRIVED.search(text)}
        for pid in self.pids:
            for row in self._timeouts[pid]:
                key = (pid, row["stop"], row["tid"])
                if row["blocking"] and (key in idle or (key[:2] in stops_sampled and key not in sampled)):
                    found.add(key)
        return found

    def _is_innocent(self, row: dict[str, Any]) -> bool:
        return bool(OURS.match(row["thread"] or "")) or (row["pid"], row["stop"], row["tid"]) in self._not_late

    @cached_property
    def samples(self) -> pd.DataFrame:
        rows = [row for pid in self.pids for row in (*self._ttsp[pid], *self._latency(pid))]
        for sighting in self.watch["sightings"]:
            if frames := sighting["frames"]:
                stack = ";".join(frame[0] for frame in reversed(frames))
                lines = ";".join(str(frame[2] or "") for frame in reversed(frames))
                bci = frames[0][1] if frames[0][1] >= 0 else None  # a thread dump has none
                rows.append(self._sighted(sighting) | place(stack, lines, bci, frames[0][3]) | {"named": True})
        return _frame([row for row in rows if not self._is_innocent(row)], SAMPLES)

    @cached_property
    def _ttsp(self) -> dict[int, list[dict[str, Any]]]:
        """async-profiler's samples of each JVM; `named` unless the JVM has named others for this stop, and not it."""
        samples: dict[int, list[dict[str, Any]]] = {pid: [] for pid in self.pids}
        slack = SLACK if self.sample_ms == INTERVAL_MS else LITTLE
        for pid in self.pids:
            stops = self._stops_of(pid)
            if self.unlogged and self.sample_ms != INTERVAL_MS:
                stops = stops.iloc[:0]  # counters know the time of a wait too coarsely for samples of the whole run
            named = {
                (row["stop"], row["tid"])
                for row in self._timeouts[pid]
                if pd.notna(row["stop"]) and not OURS.match(row["thread"])
            }
            named_stops = {stop for stop, _ in named}
            for row in self._events(self.folder / f"ttsp-{pid}.jfr", "jdk.ExecutionSample").to_dict("records"):
                vms_own = VM_THREAD.match(row["thread"] or "") or HALTING.search(row["frames"] or "")
                if vms_own or pd.isna(row["method"]) or is_profilers(row["frames"] or ""):  # it delays no stop
                    continue
                time = row["time"]
                stop = _longest_between(stops, time, time)
                if stop is pd.NA and self.is_of_our_question(pid, time):
                    continue
                if stop is pd.NA:
                    stop = _longest_between(stops, time - slack, time + slack)
                fits = stop is pd.NA or stop not in named_stops or (stop, row["os_thread_id"]) in named
                samples[pid].append(self._sample(pid, "ttsp", stop, row) | {"named": fits})
        return samples

    def _latency(self, pid: int) -> list[dict[str, Any]]:
        """JFR's sampler waits by itself: its events need no stop, but may overlap one."""
        samples = []
        for row in self._events(self.folder / f"latency-{pid}.jfr", "jdk.SafepointLatency").to_dict("records"):
            if row["duration_ms"] >= self.after_ms and not self.is_of_our_question(pid, row["time"]):
                end = row["time"] + pd.Timedelta(milliseconds=row["duration_ms"])
                stop = _longest_between(self._stops_of(pid), row["time"], end)
                sample = self._sample(pid, "latency", stop, row)
                samples.append(sample | {"waited_ms": row["duration_ms"], "named": True})
        return samples

    def _sample(self, pid: int, witness: str, stop: Any, row: dict[Any, Any]) -> dict[str, Any]:
        """One stack; at the end of a run the main thread is called DestroyJavaVM, but SafepointTimeout knows better.

        JFR knows a virtual thread by its own name and id, and not what carries it; SafepointTimeout knows that.
        """
        tid, thread, virtual = row["os_thread_id"], row["thread"], None
        carriers = {named["virtual_id"]: named for named in self._timeouts[pid] if pd.notna(named["virtual_id"])}
        if carrier := carriers.get(row["java_thread_id"]):
            tid, thread, virtual = carrier["tid"], carrier["thread"], thread or carrier["virtual"]
        names = {named["tid"]: named["thread"] for named in self._timeouts[pid] if pd.notna(named["tid"])}
        thread = names.get(tid, "main" if thread == "DestroyJavaVM" else thread)
        location = place(row["frames"], row["lines"], row["bci"], row["code"])
        who = {"pid": pid, "stop": stop, "tid": tid, "thread": thread, "virtual": virtual, "witness": witness}
        return who | location | {"time": row["time"]}

    def demand(self, pid: int, stops: pd.DataFrame | None = None) -> pd.DataFrame:
        """How many CPUs the JVM's threads wanted and got, second by second: around these stops, or all the time.

        A stop whose time isn't known, as one that never ended and was not logged, tells no second.
        """
        rows = self.watch["demand"].get(str(pid), [])
        table = pd.DataFrame(rows, columns=["time_s", "wanted", "got", "vm_queued"], dtype="float64")
        timed = stops.dropna(subset=["time"]) if stops is not None else None
        if timed is None or timed.empty:
            return table
        begin = timed["time"].map(lambda time: time.timestamp())
        end = begin + timed["waited_ms"] / 1e3 + NEAR_S
        return table[table["time_s"].map(lambda time: bool(((begin <= time) & (time <= end)).any())).astype(bool)]

    def vm_thread_queued(self, pid: int, stops: pd.DataFrame | None = None) -> float:
        """The largest part of a second for which the VM thread itself queued for a CPU."""
        return float(self.demand(pid, stops)["vm_queued"].fillna(0.0).max()) if len(self.demand(pid, stops)) else 0.0

    def starved(self, pid: int, stops: pd.DataFrame | None = None) -> bool:
        """Whether its threads queued for a CPU most of the time that they wanted one, by the kernel's account."""
        table = self.demand(pid, stops)
        wanted, got = table["wanted"].sum(), table["got"].sum()
        return len(table) > 0 and wanted - got > max(STARVED * wanted, len(table))

    def throttled(self, pid: int) -> bool:
        """Whether the CPU quota of its group stopped its threads in a good part of the time."""
        periods, cut_short, _ = self.watch["quota"].get(str(pid)) or (0, 0, 0.0)
        return bool(cgroups.used_up(periods, cut_short))

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
    for name in [name for name, kind in columns.items() if kind == "bool"]:
        frame[name] = frame[name].fillna(False) if len(frame) else frame[name]
    if "time" in columns:
        frame["time"] = pd.to_datetime(frame["time"], utc=True)
    return frame.astype(columns)


def _source_file(started: dict[str, Any]) -> str:
    """The file that the source launcher runs; "" if it is not that launcher. Some JVMs tell no command, only words."""
    words = str(started["command"]).split()
    if not words:
        return next((word for word in str(started["flags"]).split() if word.endswith(".java")), "")
    return words[1] if SOURCE_LAUNCHER.fullmatch(words[0]) and len(words) > 1 else ""


def _stop_at(stops: pd.DataFrame, uptime_s: float, after_ms: int) -> Any:
    """The stop whose late threads were named at this uptime: the VM names them `after_ms` after it began the stop.

    The last one may never have been over. It may have begun right after another that was late. Names that come after
    the end of every stop belong to one that is left out.
    """
    begun = stops[(stops["waited_ms"] >= after_ms - 1) & (stops["at_s"] <= uptime_s - after_ms / 1e3 + STAMP_S)]
    unfinished = stops[~stops["over"] & stops["at_s"].isna()]  # of a log that does not say when it began
    last = begun.tail(1) if len(begun) else unfinished
    if len(begun) and uptime_s > (last["at_s"] + last["waited_ms"] / 1e3).iloc[0] + STAMP_S:
        last = unfinished
    return last["stop"].iloc[-1] if len(last) else pd.NA


def _longest_between(stops: pd.DataFrame, begin: pd.Timestamp, end: pd.Timestamp) -> Any:
    """The longest of the stops whose wait overlaps this time."""
    wait_end = stops["time"] + pd.to_timedelta(stops["waited_ms"], unit="ms")
    found = stops[(stops["time"] <= end) & (wait_end >= begin)].sort_values("waited_ms")["stop"]
    return found.iloc[-1] if len(found) else pd.NA


def _places(files: list[Path]) -> list[dict[str, Any]]:
    """Of each line that names a thread: its list's number, how many rows of stops are above it, and `blocking`."""
    naming, over, blocking, places = -1, 0, False, []
    for line in bounded_text(files[-1], 50_000_000).replace("&quot;", '"').splitlines() if files else ():
        blocking = BLOCKING in line or (blocking and "Timed out while" not in line)
        naming += NAMED in line
        over += ROW_OF_8.match(line) is not None
        places += [{"naming": naming, "over": over, "blocking": blocking}] if LATE.search(line) else []
    return places


def _stops_without_times(
    files: list[Path], stops: pd.DataFrame, places: list[dict[str, Any]], after_ms: float
) -> list[Any]:
    """The stop of each thread named in a log without time stamps, as up to 16; of all stops, our own among them.

    On 8 the stop's own row follows in the same file. Later it is in another file, and some stops about as long as the
    limit have no names: the names belong to the longest stops, none of which is shorter than the limit. Names without
    such a stop belong to one that the log doesn't have, since its JVM was ended.
    """
    if len(files) == 1:
        numbers, indices = stops["stop"].tolist(), [place["over"] for place in places]
    else:
        lists = max((place["naming"] for place in places), default=-1) + 1
        numbers = sorted(stops[stops["waited_ms"] >= after_ms].nlargest(lists, "waited_ms")["stop"])
        indices = [place["naming"] for place in places]
    return [numbers[index] if index < len(numbers) else pd.NA for index in indices]


def place(stack: str, lines: str, bci: Any, kind: Any) -> dict[str, Any]:
    """The innermost Java frame that a program wrote, of a stack (root first), and the native function that it is in.

    async-profiler names native frames "lib.so::function" or "::function"; a stub of the VM has no library, and a
    library without symbols is named by its file alone.

    >>> place("Odd::main;Odd::copy;::jbyte_disjoint_arraycopy", "7;12;", 0, "C++")["within"]
    'jbyte_disjoint_arraycopy'
    >>> place("libjvm.so::JVM_Halt;::/lib/x86_64-linux-gnu/libc.so.6", ";", 0, "C++")["method"]
    'libc.so.6'
    """
    frames, numbers = stack.split(";")[::-1], [int(line) if line.isdigit() else 0 for line in lines.split(";")][::-1]
    own = min(_profilers_frames(frames), len(frames) - 1)
    java = next((depth for depth, frame in enumerate(frames) if _is_java(frame)), own)
    shown = next((depth for depth in range(java, len(frames)) if not is_linker(frames[depth])), java)
    is_native = java > own or not _is_java(frames[own])
    return {
        "method": NAMELESS.sub("", frames[shown]),
        "line": (numbers[shown] if shown < len(numbers) else 0) or None,
        "kind": kind,
        "bci": None if shown else bci,
        "within": frames[own].partition("::")[2].rpartition("/")[2] if is_native else None,
        "library": frames[own].partition("::")[0] if is_native else None,
        "stack": ";".join(frames[java:][::-1]),
        "lines": ";".join(str(number or "") for number in numbers[java:][::-1]),
    }


def is_linker(frame: str) -> bool:
    """Whether it is a frame by which the JDK links a method handle or a foreign function: no program wrote it."""
    return LINKER.match(frame) is not None


def is_profilers(stack: str) -> bool:
    """Whether the whole stack is the profiler's: no thread of the program was late there.

    >>> is_profilers("libc.so.6::__restore_rt;libasyncProfiler.so::AllocTracer::trapHandler")
    True
    >>> is_profilers("::/lib/x86_64-linux-gnu/libc.so.6;libasyncProfiler.so::Profiler::crashHandler")
    True
    """
    frames = stack.split(";")[::-1]
    return _profilers_frames(frames) == len(frames)


def _profilers_frames(frames: list[str]) -> int:
    """How many of the frames, the innermost first, are the profiler's signal handler and what that calls."""
    handler = max((depth for depth, frame in enumerate(frames, 1) if frame.startswith(PROFILER)), default=0)
    returning = 0 < handler < len(frames) and RETURN_OF_SIGNAL.search(frames[handler]) is not None
    return handler + returning


def _is_java(frame: str) -> bool:
    """Whether it is a Java frame; a native one is "::name" or "lib.so::name"."""
    owner, colons, _ = frame.partition("::")
    return bool(colons and owner) and not LIBRARY.search(owner)
