"""Files of any kind -> Parts: one for each kind of log in each file, read by the lab's own readers; and the rest.

A JVM writes its stops, collections and compilations into one file if it is asked to, so a file may have several parts.
"""

import re
import tempfile
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from safepointlab.culprit.log_report import kept, recorded, run_notes
from safepointlab.culprit.report import Late
from safepointlab.errors import DamagedLog, ForeignLog, LabError
from safepointlab.logs import compilation, flight, guess, kinds, safepoint
from safepointlab.logs.lines import foreign, jvms, rolled
from safepointlab.logs.lines.source import SAMPLE_CHARS, blocks
from safepointlab.phrases import counted
from safepointlab.plot import style

TOGETHER = ("safepoint", "gc", "compilation")  # the kinds that a JVM writes into one file
# each line of compiles has one of these
COMPILED = ("::", "(method)", "<task ", "<nmethod ", "<make_not_entrant ", compilation.DISABLED)
RECORDED = (*flight.EVENTS, "GarbageCollection", "CodeCacheFull")  # of a recording, which may have millions of others
OF_THE_RUN = ("JVMInformation", "ContainerCPUThrottling")  # read for the notes alone
# javac in a code cache of 3 MB makes 5 to 23 % of its versions again, in one of ordinary size 1 % (8 to 27)
AGAIN, MANY = 0.04, 500
MADE_AGAIN = (
    "A version is made again if it had been discarded: because the code cache is too small (-XX:ReservedCodeCacheSize; "
    "from JDK 9: jcmd PID Compiler.codecache), or because of an assumption that proved wrong."
)
FULL = re.compile("code ?cache is full", re.IGNORECASE)  # the reason of a skipped compile, 8 to 28


@dataclass(frozen=True)
class Part:
    """The lines of one kind of one JVM in one log, as the reader's table; `notes` say what is missing or damaged.

    `name` names the log, and the JVM where the log has those of several; `files` are several if the log was rolled.
    """

    files: tuple[str, ...]
    name: str
    kind: str
    frame: pd.DataFrame
    notes: tuple[str, ...]

    @property
    def counts(self) -> str:
        attrs = self.frame.attrs
        if "lines" not in attrs:
            return counted(len(self.frame), "row")
        return f"{counted(attrs['rows'], 'row')} from {counted(attrs['lines'], 'line')}"

    @property
    def code_cache_full(self) -> str:
        """That the code cache was full, since when, and what became of it, in a sentence; else ""."""
        frame, attrs = self.frame, self.frame.attrs
        if self.kind == "jfr":
            times = int((frame["event"] == "jdk.CodeCacheFull").sum())
            return f"The code cache was full {counted(times, 'time')}, and compilers stopped" if times else ""
        if self.kind != "compilation":
            return ""
        skipped = frame[frame["reason"].str.contains(FULL, na=False)]  # where the VM's warning went elsewhere
        if not len(skipped) and not attrs.get("code_cache_full"):
            return ""
        full_ms = attrs.get("code_cache_full_ms", skipped["uptime_ms"].min())
        begun = "" if pd.isna(full_ms) else f" at {style.at(full_ms / 1000)}"
        disabled = ", and the JVM disabled the compiler" if attrs.get("code_cache_full") else ""
        real = (frame["event"] == "compiled") & ~frame["native"]  # no wrapper of a native method
        later = int((real & (frame["uptime_ms"] > full_ms)).sum())
        counts = {"skipped": len(skipped), "after that": later}
        told = ", ".join(f"{counted(count, 'compile')} {what}" for what, count in counts.items() if count)
        return f"The code cache was full{begun}{disabled}{told and ': '}{told}"

    @property
    def made_again(self) -> str:
        """That the JIT made many versions again that it had made and lost before, in a sentence; else ""."""
        if self.kind != "compilation":
            return ""
        made = self.frame[(self.frame["event"] == "compiled") & ~self.frame["native"]]
        again = int(made.duplicated(["method", "bytes", "tier", "osr_bci"]).sum())
        if again < AGAIN * max(len(made), MANY):
            return ""
        return f"{again:,} of {counted(len(made), 'compile')} made a version again that had been made before"

    @property
    def recorded_stops(self) -> str:
        """Of a recording, the longest operation, and whether a wait for threads was long, in a sentence; else ""."""
        return recorded.finding(self.frame) if self.kind == "jfr" else ""

    @property
    def unended(self) -> str:
        """That the last stop never ended, as `late` saw and this log doesn't tell, in a sentence; else ""."""
        if not self.frame.attrs.get("unended") or self.frame.attrs.get("begun_s") is not None:
            return ""
        return kept.UNENDED.format("last" if len(self.frame) else "only")

    @property
    def unlogged(self) -> str:
        """That a log of stops has none, in a sentence; else ""."""
        attrs = self.frame.attrs
        if self.kind != "safepoint" or len(self.frame) or attrs.get("begun_s") is not None:
            return ""
        if self.unended:
            return self.unended
        names = attrs.get("timeouts")  # 9 to 16 write them into a log of their own
        return f"It has the names of late threads, of {counted(names, 'stop')}" if names else "No safepoint was logged"


@dataclass(frozen=True)
class LeftOut:
    """A file of which nothing is on the page, and why."""

    name: str
    reason: str


def parts(files: Mapping[str, Path], lates: Collection[Late] = ()) -> tuple[list[Part], list[LeftOut]]:
    """The parts of the files by the names that the user gave them; a file that cannot be read is left out.

    Files of one log that was rolled are that log. Of the logs of a run of `late` the lab's own doing is left out.
    """
    found: list[Part] = []
    left_out: list[LeftOut] = []
    names = {path: name for name, path in files.items()}
    for log in rolled.joined(names):
        unreadable = {path: reason for path in log if len(log) > 1 and (reason := _why_unreadable(path))}
        left_out += [LeftOut(names[path], reason) for path, reason in unreadable.items()]
        own = {names[path]: path for path in log if path not in unreadable}
        if not own:
            continue
        try:
            of_log = list(_parts_of(own, next((late for late in lates if late.folder == log[0].parent), None)))
            found += of_log
            reason = "" if of_log else _why_nothing(list(own.values()))
        except LabError as error:
            reason = str(error)
        if reason:
            left_out.append(LeftOut(_name_of(own), reason))
    return found, left_out


def _name_of(files: Mapping[str, Path]) -> str:
    """The file's name; of the files of a rolled log what their names have in common, and how many they are."""
    first = next(iter(files))
    if len(files) == 1:
        return first
    return f"{Path(first).with_name(rolled.log_name(Path(first)))} ({len(files)} files)"


def _why_nothing(paths: list[Path]) -> str:
    sample = next((block.text[:SAMPLE_CHARS] for block in blocks(paths)), "")
    if known_as := foreign.described(sample):
        return known_as
    for kind in _likely_kinds(paths):
        if refused := _refused(kind, sample):
            return f"Not read: {refused}"
        advice = "It may hold none yet, or have been cut or wrapped on its way."
        return f"It looks like a log of kind {kind}, but not one of its lines reports an event. {advice}"
    if not any(block.text.strip() for block in blocks(paths)):
        return "It is empty."
    return f"It looks like none of the logs that the lab reads: {', '.join(kinds())}."


def _refused(kind: str, sample: str) -> str:
    """Why this kind's reader takes none, or only a part, of a log that begins so; "" if it takes all."""
    return str(getattr(kinds()[kind], "refused", lambda _: "")(sample))


def _parts_of(files: Mapping[str, Path], late: Late | None) -> Iterator[Part]:
    paths, name = list(files.values()), _name_of(files)
    if len(paths) == 1 and flight.is_recording(paths[0]):
        yield from _recording(name, paths[0], late)
        return
    likely = _likely_kinds(paths)
    with tempfile.TemporaryDirectory(prefix="safepoint-report-") as folder:
        streams = jvms.streams(paths, Path(folder)) if set(likely) & set(TOGETHER) else {}
        for kind in sorted(likely, key=lambda kind: kind != "safepoint"):  # its stops first
            named = {f"{name}, {stream}": [own] for stream, own in streams.items()} or {name: paths}
            for of_one, own in named.items():
                yield from _parts_of_kind(tuple(files), of_one, kind, own, late)


def _parts_of_kind(
    files: tuple[str, ...], name: str, kind: str, paths: list[Path], late: Late | None
) -> Iterator[Part]:
    reader = kinds()[kind]
    frame: pd.DataFrame = reader.read(paths)
    sample = next((block.text[:SAMPLE_CHARS] for block in blocks(paths)), "")
    signs = (frame.attrs.get("damaged"), frame.attrs.get("code_cache_full"), frame.attrs.get("timeouts"))
    says_nothing = not any(signs) and frame.attrs.get("begun_s") is None
    refused = _refused(kind, sample)
    if frame.empty and (says_nothing or refused or foreign.described(sample)):
        return
    notes = [f"Only a part could be read: {refused}"] if refused else []
    if damaged := int(frame.attrs.get("damaged", 0)):
        many = f"{counted(damaged, 'line')} {'is' if damaged == 1 else 'are'} damaged and left out."
        notes.append(f"{many}{_first_damage(reader, paths)}")
    if dropped := int(frame.attrs.get("dropped", 0)):
        notes.append(
            f"The JVM says that it dropped {counted(dropped, 'message')} (-Xlog:async, whose buffer was full): "
            "counts and totals are a lower bound."
        )
    if len(paths) > 1:
        between = "" if len(paths) == 2 else "..., " if len(paths) > 3 else f"{paths[1].name}, "
        order = f"{paths[0].name}, {between}{paths[-1].name}"
        notes.append(f"One log in {len(paths)} files, in the order in which they were written: {order}.")
    if kind == "jfr":
        frame, left_out = kept.without_our_samples(late, paths[0], frame)
        notes += left_out
        yield from _stops_and_events(files, name, frame, notes, late)
        return
    notes += run_notes.of_cache(sample)
    if kind == "safepoint" and late:
        frame, of_ours = kept.without_ours(late, paths[0], frame)
        notes += filter(None, [of_ours])
    if kind == "safepoint" and frame.attrs["timeouts"]:
        notes += run_notes.of_late_threads(safepoint.stragglers(paths))
    if Part(files, name, kind, frame, ()).code_cache_full:
        notes.append(
            "A larger code cache: -XX:ReservedCodeCacheSize. What fills it, from JDK 9: jcmd PID Compiler.codecache."
        )
    elif Part(files, name, kind, frame, ()).made_again:
        notes.append(MADE_AGAIN)
    lives = jvms.split(frame)
    if len(lives) > 1:
        notes.append(f"{len(lives)} JVMs wrote this log, as its uptimes tell. Each is apart.")
    for number, rows in enumerate(lives, 1):
        title = f"{name}, JVM {number} of {len(lives)}" if len(lives) > 1 else name
        of_stops = list[str]()
        if kind == "safepoint":  # of late threads `late` has told already
            of_stops += run_notes.of_long_stops(rows, looked=late is not None)
            of_stops += [] if late else run_notes.of_long_waits(rows)
        yield Part(files, title, kind, rows, (*notes, *of_stops))


def _first_damage(reader: object, paths: list[Path]) -> str:
    try:
        reader.read(paths, strict=True)  # type: ignore[attr-defined]
    except DamagedLog as first:
        return f" The first is {first}."
    except LabError:
        pass
    return ""


def _why_unreadable(path: Path) -> str:
    """Why a file cannot be read to its end, so that the others of its log are read without it; "" if it can."""
    try:
        for _ in blocks(path):
            pass
    except LabError as error:
        return str(error)
    return ""


def _recording(name: str, path: Path, late: Late | None) -> Iterator[Part]:
    """The stops and the events of a recording of JFR, printed by the newest JDK's `jfr`."""
    events = ",".join(f"jdk.{event}" for event in (*RECORDED, *OF_THE_RUN))
    with flight.unpacked(path) as whole:
        frame = kinds()["jfr"].read(flight.print_events(whole, events))
        frame.attrs["least_ms"] = {} if late else flight.thresholds(whole)
    has_events = frame["event"].isin([f"jdk.{event}" for event in RECORDED]).any()
    if not has_events and late and not late.evidence.stops["over"].all():
        raise ForeignLog(flight.UNFINISHED.format(path.name))
    if not has_events and not frame.attrs["least_ms"]:
        raise ForeignLog(f"a recording without one of the events that the page shows: {', '.join(RECORDED)}.")
    frame, left_out = kept.without_our_samples(late, path, frame)
    read = f"Only these events were looked for in the recording: {', '.join(RECORDED)}."
    yield from _stops_and_events((name,), name, frame, [read, *left_out], late)


def _stops_and_events(
    files: tuple[str, ...], name: str, frame: pd.DataFrame, notes: list[str], late: Late | None
) -> Iterator[Part]:
    """The events of a recording, after its stops as those of a log."""
    frame.attrs["of_late"] = late is not None  # which has a log of the stops, and says who was late
    stops, is_kept = stops_of_recording(frame), recorded.note(frame)
    latency = recorded.of_latency(frame)
    if len(stops):
        who = [latency] if latency else run_notes.of_long_waits(stops, run_notes.WHO_IN_RECORDING)
        of_stops = [*who, *run_notes.of_long_stops(stops), recorded.elsewhere(frame), is_kept]
        if unknown := int(stops["total_ms"].isna().sum()):
            of_stops.append(
                f"Of {counted(unknown, 'stop')} it has neither operation nor end: only the time to safepoint is known."
            )
        if stops["leaving_ms"].isna().all():
            of_stops.append("jdk.SafepointEnd is not in it: how long the threads took to go on is not known.")
        yield Part(files, name, "safepoint", stops, tuple(filter(None, of_stops)))
    else:
        notes = [*filter(None, [latency, recorded.elsewhere(frame), is_kept]), *notes]
    notes += filter(None, [recorded.of_lines(frame)])
    of_the_run = frame["event"].isin([f"jdk.{event}" for event in OF_THE_RUN])
    notes = [*notes, *run_notes.of_process(frame[of_the_run])]
    yield Part(files, name, "jfr", frame[~of_the_run].reset_index(drop=True), tuple(notes))


def stops_of_recording(events: pd.DataFrame) -> pd.DataFrame:
    """The stops of a recording as the safepoint log's reader has them.

    JFR puts the number of the safepoint into each of its events: SafepointBegin lasts until all threads have stopped,
    ExecuteVMOperation is the operation, SafepointEnd lasts until they are released. The uptime is that of the JVM, if
    the recording says when it started (JVMInformation), else the time since the first event.
    """
    columns = safepoint.COLUMNS
    begun = events[events["event"] == "jdk.SafepointBegin"]
    if begun.empty or "safepoint_id" not in events:
        return pd.DataFrame(columns=list(columns)).astype(columns)
    begun = begun.drop_duplicates("safepoint_id").set_index("safepoint_id").sort_values("time")

    def of(event: str) -> pd.DataFrame:
        """The event of each stop; of several operations in one stop the first, with their sum."""
        own = events[(events["event"] == f"jdk.{event}") & events["safepoint_id"].notna()]
        first = own.drop_duplicates("safepoint_id").set_index("safepoint_id")
        first["duration_ms"] = own.groupby("safepoint_id")["duration_ms"].sum()
        return first.reindex(begun.index)

    operation, end = of("ExecuteVMOperation"), of("SafepointEnd")
    started = events["jvm_start_time"].dropna() if "jvm_start_time" in events else pd.Series(dtype="string")
    first = pd.Timestamp(str(started.iloc[0]).partition("[")[0]) if len(started) else events["time"].min()
    begin_s = (begun["time"] - first).dt.total_seconds()
    until_end_ms = (end["time"] - begun["time"]).dt.total_seconds() * 1000 + end["duration_ms"]
    total_ms = until_end_ms.fillna(begun["duration_ms"] + operation["duration_ms"])
    stops = {
        "uptime_s": begin_s + total_ms.fillna(begun["duration_ms"]) / 1000, "begin_s": begin_s, "kind": "safepoint",
        "operation": operation.get("operation"),
        "ttsp_ms": begun["duration_ms"], "operation_ms": operation["duration_ms"], "leaving_ms": end["duration_ms"],
        "total_ms": total_ms, "threads_total": begun.get("total_thread_count"),
        "time": begun["time"].dt.tz_localize(None),
    }  # fmt: skip
    frame = pd.DataFrame(stops, index=begun.index).reset_index(drop=True).reindex(columns=list(columns))
    return frame.astype(columns)


def _likely_kinds(paths: list[Path]) -> list[str]:
    """The kinds that the log is worth reading as: the likeliest, and those that a JVM writes into the same file."""
    first, present = "", list[str]()
    for block in blocks(paths):
        first = first or block.text[:SAMPLE_CHARS]
        if foreign.BINARY.match(first):
            return []
        present += [kind for kind in TOGETHER if kind not in present and _has(kind, block.text)]
    guessed = guess(first)
    if guessed and guessed[0] not in TOGETHER:
        return guessed[:1]
    if not present and re.match(r"\s*\[\s*\{", first):  # results of JMH are JSON, of which a beginning tells nothing
        return ["jmh"]
    return sorted(present, key=lambda kind: guessed.index(kind) if kind in guessed else len(guessed))


def _has(kind: str, text: str) -> bool:
    """Whether a line of this kind is in the text; a plain search first, as the pattern takes a second for 10 MB."""
    hints = COMPILED if kind == "compilation" else ()
    return (not hints or any(hint in text for hint in hints)) and kinds()[kind].MARK.search(text) is not None
