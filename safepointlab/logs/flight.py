"""The events that a run records with JFR -> the JVM's flags; and the run's folder -> its events as JSON text.

    log="jfr"                                        samples of running threads, and the safepoint events
    log="jfr=ExecutionSample:20ms,SafepointLatency"  only these; after ":" the period, the least duration, or the rate
    log="jfr=profile"                                the JDK's own settings `profile`, or `default`
    log="jfr=profile,ExecutionSample:10ms"           these settings with one event changed

The settings become a .jfc file in the lab's cache, as 8 and 11 take no single event on the command line. A JDK silently
ignores events that it does not know, so one line serves all JDKs.

The JVM writes recording.jfr when it exits. A killed JVM leaves it empty. From 14 on (JEP 349) JFR flushes once a
second into a chunk file, which is marked as still being written; it is read up to its last flush. 8 and 11 leave none
(of a JVM that still answers, though, they write all: the lab asks a run past its deadline to end before it is killed).
"""

import difflib
import hashlib
import math
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path

from safepointlab import jdks
from safepointlab.errors import FlagRejected, ForeignLog, LabError, RunFailed, StorageFailed, ToolMissing
from safepointlab.logs.lines.packed import open_unpacked
from safepointlab.process import home, shell
from safepointlab.process.files import bounded_text, write_whole
from safepointlab.process.shell import Plan

MAGIC = b"FLR\0"  # a recording's first bytes
RECORDING, CHUNKS = "recording.jfr", "jfr-chunks"
SETTINGS = ("default", "profile")  # in each JDK's lib/jfr
EVENTS = (
    "ExecutionSample", "SafepointBegin", "SafepointStateSynchronization", "SafepointEnd", "SafepointLatency",
    "ExecuteVMOperation",
)  # fmt: skip  # no CPUTimeSample: beside the other sampler, some of its samples are taken at polls (25)
WORD = re.compile(r"(?:jdk\.)?([A-Z]\w*)(?::(\d+)\s?(ns|us|ms|s|m|h|/s|/ms|/m))?")
STATE_BYTE, COMPLETE = 64, 0  # in a chunk's header; while the chunk grows, the byte is its generation
SIZE, METADATA = slice(8, 16), slice(24, 32)  # its length, and the offset of its metadata; 0 before the first flush
LABELS = {
    "Safepoint Begin": "SafepointBegin",
    "VM Operation": "ExecuteVMOperation",
    "Safepoint Latency": "SafepointLatency",
}
LENGTH, IN_MS = re.compile(r"([\d.,]+) (ns|us|ms|s)"), {"ns": 1e-6, "us": 1e-3, "ms": 1.0, "s": 1e3}
UNFINISHED = "{} isn't complete: its JVM was ended before it could write the rest, or the file was cut off."
DEEP = 64  # frames of a stack that are printed; JFR itself keeps no more by default


def flags_for(argument: str, major: int, folder: str) -> list[str]:
    """The flags that record these events into the folder. 8 and 11 say on stdout that they do, and can't be silenced.

    Raises:
        FlagRejected: a word is neither an event nor one of the JDK's settings.
        StorageFailed: JFR cannot name a file in the lab's cache.
    """
    words = [word.strip() for word in argument.split(",") if word.strip()]
    chosen = [word for word in words if word in SETTINGS]
    if events := [word for word in words if word not in SETTINGS] or ([] if chosen else list(EVENTS)):
        text = settings(events)
        path = home.ready(home.cache() / "jfr") / f"{hashlib.sha256(text.encode()).hexdigest()[:12]}.jfc"
        if re.search(r'["%\n]', str(path)):
            raise StorageFailed(
                f"JFR cannot read settings from {path}. Point SAFEPOINTLAB_CACHE at a folder of another name."
            )
        if not path.exists():
            write_whole(path, text)
        plain = re.fullmatch(r"[\w./+@-]+", str(path))
        chosen.append(str(path) if plain else f'"{path}"')  # a bare "," would end the value
    place = f"{folder.rstrip('/')}/" if folder else ""
    options = [*(f"settings={name}" for name in chosen), f"filename={place}{RECORDING}", "dumponexit=true"]
    repository = f"-XX:FlightRecorderOptions=repository={place}{CHUNKS}"
    quiet = ["-Xlog:jfr+startup=error:stderr"] if major >= 17 else []
    return [*quiet, f"-XX:StartFlightRecording={','.join(options)}", repository]


def settings(events: Iterable[str]) -> str:
    """The text of a .jfc file: each event switched on, with its period, threshold or rate if the word has one.

    An event ignores the settings that it does not have, so the value is set as each of them.

    >>> print(settings(["ExecutionSample:20ms"]).splitlines()[2].strip())
    <event name="jdk.ExecutionSample">
    """
    text = '<?xml version="1.0" encoding="UTF-8"?>\n<configuration version="2.0" label="Safepoint Lab">\n'
    for word in events:
        match = WORD.fullmatch(word)
        if not match:
            raise FlagRejected(
                f"jfr cannot record {word!r}. Write jfr=ExecutionSample:10ms,SafepointLatency or jfr=profile; "
                "the events of a JDK are listed by: jfr metadata"
            )
        name, number, unit = match.groups()
        values = {"enabled": "true", "stackTrace": "true"}
        if number is None:
            sampling = {"period": "10 ms", "throttle": "10 ms"} if name in ("ExecutionSample", "CPUTimeSample") else {}
            values |= {"threshold": "0 ms", **sampling}
        elif unit.startswith("/"):
            values["throttle"] = number + unit
        else:
            value = f"{number} {unit}"
            values |= {"period": value, "threshold": value, **({"throttle": value} if name == "CPUTimeSample" else {})}
        lines = "".join(f'    <setting name="{key}">{value}</setting>\n' for key, value in values.items())
        text += f'  <event name="jdk.{name}">\n{lines}  </event>\n'
    return f"{text}</configuration>\n"


def printed(folder: Path, event: str, argument: str = "") -> Path:
    """The file with the JSON of these events ("ExecutionSample", "jdk.Safepoint*"); printed once, kept with the run.

    Args:
        folder: the run's.
        argument: the part behind "jfr=" of the run's log request.

    Raises:
        LabError: the event was not requested, the run's JDK does not know it, or the run left no recording.
        ToolMissing: no JDK here has the tool `jfr`.
    """
    name = event if "." in event else f"jdk.{event}"
    target = folder / f"{name.replace('*', '+')}.json"
    if target.exists():
        return target
    words = [word.strip() for word in argument.split(",") if word.strip()] or list(EVENTS)
    requested = [f"jdk.{match[1]}" for word in words if (match := WORD.fullmatch(word))]
    if not set(words) & set(SETTINGS) and not any(fnmatchcase(known, name) for known in requested):
        more = ",".join([*words, name.removeprefix("jdk.")])
        raise LabError(f'no {name} was asked for, only {", ".join(requested)}. Run it again with log="jfr={more}".')
    recording = _readable(folder)
    text = print_events(recording, name)
    if '"type"' not in bounded_text(text, 4000):  # a recording lists all types that its JVM knows
        known = re.findall(r"^ (jdk\.\w+) ", bounded_text(_jfr(recording, "summary")), re.MULTILINE)
        if not any(fnmatchcase(one, name) for one in known):
            close = difflib.get_close_matches(name, known, 3, 0.7)
            hint = f" It has {', '.join(close)}." if close else ""
            raise LabError(
                f"the JDK that wrote this recording knows no event {name}.{hint} Take another event, or JDK."
            )
        text = _jfr(recording, "print", "--json", "--events", name)
    text.replace(target)
    return target


def print_events(recording: Path, event: str) -> Path:
    """The file with the JSON of these events of a recording, their stacks as deep as JFR keeps them.

    Raises:
        RunFailed: `jfr` cannot read the recording. ToolMissing: no JDK here has that tool.
    """
    return _jfr(recording, "print", "--json", "--stack-depth", str(DEEP), "--events", event)


def is_recording(path: Path) -> bool:
    """Whether the file is a recording, packed or not; of one that cannot be read its reader says why."""
    try:
        with open_unpacked(path) as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


@contextmanager
def events_of(recording: Path, events: str = "*") -> Iterator[Path]:
    """The file with the JSON of these events of a recording, packed or not; it is gone afterwards."""
    with unpacked(recording) as whole:
        yield print_events(whole, events)


def thresholds(recording: Path) -> dict[str, float]:
    """The least duration in ms of each event that this recording keeps, by its own settings; inf of one that is off.

    Only of the EVENTS that have such a setting. {} if it has no settings, as async-profiler's, or no JDK here can show
    them, as those before 21.
    """
    try:  # jdk.ActiveSetting has a number for an event's name, which this view resolves
        table = bounded_text(_jfr(recording, "view", "--width", "240", "active-settings"))
    except LabError:
        return {}
    lines = table.splitlines()
    rule = next((number for number, line in enumerate(lines) if line.startswith("---")), len(lines))
    columns = [match.span() for match in re.finditer("-+", lines[rule])][:3] if lines[rule:] else []
    least = {}
    for line in lines[rule + 1 :]:
        label, enabled, threshold = (line[begin:end].strip() for begin, end in columns)
        spelled = LENGTH.fullmatch(threshold)
        if label in LABELS and spelled:
            least_ms = float(spelled[1].replace(",", "")) * IN_MS[spelled[2]]
            least[LABELS[label]] = least_ms if enabled == "true" else math.inf
    return least


@contextmanager
def unpacked(recording: Path) -> Iterator[Path]:
    """A copy of a recording, unpacked if it is packed; it is gone afterwards.

    Raises:
        ForeignLog: `jfr` cannot read it, as it ends before the description of its events.
        RunFailed: `jfr` cannot read it for another reason.
    """
    with tempfile.TemporaryDirectory(prefix="safepoint-jfr-") as folder:
        whole = Path(folder) / RECORDING
        with open_unpacked(recording) as packed, whole.open("wb") as file:
            shutil.copyfileobj(packed, file)
        try:
            yield whole
        except RunFailed as failed:
            with whole.open("rb") as file:
                metadata_at = int.from_bytes(file.read(METADATA.stop)[METADATA])
            if not 0 < metadata_at < whole.stat().st_size:
                raise ForeignLog(UNFINISHED.format(recording.name)) from failed
            raise RunFailed(str(failed).replace(home.shown(whole), recording.name)) from failed


def _jfr(recording: Path, *words: str) -> Path:
    """The output of the newest JDK's tool `jfr`, which reads the recordings of all older JDKs."""
    folder = recording.parent / "jfr-print"
    done = shell.execute(Plan([str(tool()), *words, str(recording)], folder=folder, limit_mib=1024), deadline=120)
    if done.exit_code != 0:
        message = (bounded_text(done.stderr) + done.text(2000)).strip()[-1000:]
        raise RunFailed(f"jfr {done.outcome} {done.exit_code} on {home.shown(recording)}: {message}")
    return done.stdout


def tool() -> Path:
    """The newest `jfr` of this machine.

    Raises:
        ToolMissing: no JDK has one.
    """
    tools = [tool for jdk in jdks.find() if (tool := jdk.tool("jfr"))]
    if not tools:
        raise ToolMissing(
            f"no JDK with the tool jfr. Looked in {jdks.WHERE}. Install one with: safepoint jdks install 25"
        )
    return tools[-1]


def _readable(folder: Path) -> Path:
    """The recording; of a run that was killed, its last chunk as far as it was flushed.

    Raises:
        LabError: there is neither.
    """
    whole = folder / RECORDING
    if whole.exists() and whole.stat().st_size:
        return whole
    files = sorted(folder.glob(f"{CHUNKS}/*/*.jfr"))
    chunks = [chunk for file in files if any((chunk := file.read_bytes())[METADATA])]
    if not chunks:
        raise LabError(
            f"no recording in {home.shown(folder)}: JFR writes it when the JVM exits, and this one was killed. From "
            "17 on it flushes once a second what it has, until the JVM hangs. Let it run longer, or take a newer JDK."
        )
    rescued = bytearray()
    for chunk in chunks:  # up to its last flush, marked as complete: without the mark `jfr` waits for its writer
        flushed = bytearray(chunk[: int.from_bytes(chunk[SIZE])])
        flushed[STATE_BYTE] = COMPLETE
        rescued += flushed
    target = folder / "rescued.jfr"
    target.write_bytes(rescued)
    return target
