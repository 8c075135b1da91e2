"""The logs that a run keeps, and its JDK -> the flags that make the JVM write them, and the files of each log.

A kind of log is one entry of KINDS. Some take an argument: "assembly=Odd.countOdds", "inlining=Odd.countOdds",
"safepoint=debug", "straggler=200". File names are fixed, so a run's folder explains itself:

    vm.log          HotSpot's own stream `tty`: compilation, inlining, assembly, and on 8 safepoints
    safepoint.log   safepoints and handshakes from 9 on
    gc.log          collections; on 8 also the stopped times, if both were asked for
    recording.jfr   JDK Flight Recorder's events, written when the JVM exits
    async.collapsed async-profiler's stacks ("async=ctimer,cstack=vm"); async.log has its messages

The program's stdout stays the program's own. From 9 on the VM would print its warnings there, too: they go to stderr.
"""

import html
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from safepointlab.errors import FlagRejected, StorageFailed
from safepointlab.jdks import Jdk
from safepointlab.logs import flight
from safepointlab.phrases import did_you_mean
from safepointlab.process.files import bounded_text

VM_LOG, SAFEPOINT_LOG, GC_LOG = "vm.log", "safepoint.log", "gc.log"
ASYNC_FILES = ["async.collapsed", "async.*.collapsed"]  # one when the JVM ends; with loop=1s one per second

# `uptime` for eyes, `uptimenanos` for exactness, `timenanos` because it is System.nanoTime's clock: the program's own
# marks and log lines then need no alignment. The VM prints them in this order, whatever their order here.
DECORATIONS = "uptime,timenanos,uptimenanos,level,tags"

LATE_AFTER_MS = 500  # the JVM names a thread that all others have awaited for longer than this


@dataclass(frozen=True)
class LogKind:
    """One kind of log: `flags(major, folder, argument)` enables it, `files(major)` names its files."""

    about: str
    flags: Callable[[int, str, str], list[str]]
    files: Callable[[int], list[str]]


@dataclass(frozen=True)
class LogRequest:
    """One requested log: its kind and, for some kinds, an argument: "assembly=Odd.count" is kind "assembly"."""

    kind: str
    argument: str = ""

    def __str__(self) -> str:
        return f"{self.kind}={self.argument}" if self.argument else self.kind


Kinds = str | Iterable["str | LogRequest"]  # "safepoint gc", or its words one by one


def requested(kinds: Kinds) -> tuple[LogRequest, ...]:
    """The log requests in these words.

    >>> requested("gc straggler=200")
    (LogRequest(kind='gc', argument=''), LogRequest(kind='straggler', argument='200'))

    Raises:
        FlagRejected: there is no log of that kind.
    """
    requests = list[LogRequest]()
    for word in kinds.split() if isinstance(kinds, str) else kinds:
        if isinstance(word, LogRequest):
            requests.append(word)
            continue
        kind, _, argument = word.partition("=")
        if kind not in KINDS:
            raise FlagRejected(f"no log of kind {kind!r}.{did_you_mean(kind, KINDS)} Known: {', '.join(KINDS)}.")
        requests.append(LogRequest(kind, argument))
    return tuple(requests)


def flags_for(kinds: Kinds, jdk: Jdk, folder: str | Path = "") -> list[str]:
    """The flags that make this JDK write these logs into the folder; by default the child's working directory.

    Put them before the user's own flags: where two disagree, the VM obeys the later one.

    Raises:
        FlagRejected: there is no log of that kind, or its argument is invalid.
        StorageFailed: the JVM cannot name a file in a folder of that name.
    """
    place = str(folder)
    if bad := re.search(r'["%\n]', place):  # "%p" and "%t" become the pid and a time, and a quote cannot be quoted
        raise StorageFailed(f"the JVM cannot log into a folder with {bad[0]!r} in its name: {place}. Use another one.")
    flags = [flag for log in requested(kinds) for flag in KINDS[log.kind].flags(jdk.major, place, log.argument)]
    quiet = ["-Xlog:all=off:stdout", "-Xlog:all=warning:stderr"] if flags and jdk.major >= 9 else []
    return list(dict.fromkeys([*quiet, *flags]))


def paths(kind: str, major: int, folder: str | Path = "") -> list[Path]:
    """The files of a log of this kind, in the order in which to read them; not all of them need exist."""
    [log] = requested([kind])
    found = list[Path]()
    for file in KINDS[log.kind].files(major):
        found += sorted(Path(folder).glob(file)) if "*" in file else [Path(folder, file)]  # some loggers number theirs
    return found


def environment_for(kinds: Kinds, jdk: Jdk) -> dict[str, str]:
    """What the child's environment needs: the path to a disassembler outside the JDK."""
    has_assembly = any(log.kind == "assembly" for log in requested(kinds))
    if not (has_assembly and jdk.hsdis) or jdk.hsdis.is_relative_to(jdk.home):
        return {}
    return {"LD_LIBRARY_PATH": ":".join(filter(None, [str(jdk.hsdis.parent), os.environ.get("LD_LIBRARY_PATH")]))}


def text_of(path: Path, limit: int) -> str:
    """A log as the JVM meant it: HotSpot writes &lt;init> and &quot; into vm.log, because the file is XML."""
    text = bounded_text(path, limit)
    return html.unescape(text) if path.name == VM_LOG else text


def vm_text(folder: Path, limit: int = 1_000_000) -> str:
    """The VM's own messages in vm.log, without the XML around them.

    A VM that refuses to start prints its reason on its `tty`: with vm.log in use, only that file has it.
    """
    text = bounded_text(folder / VM_LOG, limit).partition("<tty>")[2]
    return html.unescape(re.sub(r"^<[^>\n]*>\n?", "", text, flags=re.MULTILINE)).strip()


def _at(folder: str, file: str) -> str:
    return f"{folder.rstrip('/')}/{file}" if folder else file


def _unified(what: str, folder: str, file: str) -> str:
    """-Xlog to a file of its own. Without filecount=0 the VM would rotate it after 20 MB."""
    path = _at(folder, file)
    quoted = path if re.fullmatch(r"[\w./+@=-]+", path) else f'"{path}"'  # a bare ":" would end the file's name
    return f"-Xlog:{what}:file={quoted}:{DECORATIONS}:filecount=0"


def tty(folder: str, file: str = VM_LOG) -> list[str]:
    """HotSpot's own stream goes into a file, vm.log, instead of stdout.

    The file is XML around the same lines, with < > & ' " escaped. It is flushed with every line: when a hung JVM is
    killed with SIGKILL, all that it logged is on disk (seen on 8 to 28).
    """
    divert = ["-XX:+UnlockDiagnosticVMOptions", "-XX:+LogVMOutput", "-XX:-DisplayVMOutput"]
    return [*divert, f"-XX:LogFile={_at(folder, file)}"]


def _safepoint(major: int, folder: str, level: str) -> list[str]:
    """8 prints operation and phases in one line (whole ms), the exact total in another: both, each with its uptime.

    It does when the safepoint is over. On one that is never reached it only prints SafepointTimeout's lines.

    11 and later: the VM thread writes `info` after the safepoint, and so does not lengthen it. `debug` adds "Safepoint
    synchronization initiated", but also a line from each thread on its way there: two running threads made TTSP some 20
    to 40 us longer (11, 17, 25). Without it, SafepointTimeout still shows a safepoint that was begun and never reached.
    Handshakes exist from 10 on (JEP 312), and 11 logs a line for each; only ZGC makes any there.
    """
    if level not in ("", "info", "debug", "trace"):
        raise FlagRejected(
            f"the safepoint log has no level {level!r}. Use safepoint, safepoint=debug or safepoint=trace."
        )
    late, level = _straggler(major, folder, ""), level or "info"
    if major < 9:
        statistics = ["-XX:+PrintSafepointStatistics", "-XX:PrintSafepointStatisticsCount=1"]
        return [*late, *tty(folder), *statistics, "-XX:+PrintGCApplicationStoppedTime", "-XX:+PrintGCTimeStamps"]
    handshakes = f",handshake*={level}" if major >= 11 else ""
    return [*late, _unified(f"safepoint*={level}{handshakes}", folder, SAFEPOINT_LOG)]


def _straggler(major: int, folder: str, after_ms: str) -> list[str]:
    """The JVM names the threads that keep all others waiting: on its tty up to 16, as a warning [safepoint] later."""
    if after_ms and not after_ms.isdigit():
        raise FlagRejected(f"straggler must be a number of milliseconds, got {after_ms!r}. Use straggler=200.")
    timeout = ["-XX:+SafepointTimeout", f"-XX:SafepointTimeoutDelay={after_ms or LATE_AFTER_MS}"]
    return timeout + (tty(folder) if major < 17 else [])


def _compilation(major: int, folder: str, argument: str) -> list[str]:
    """PrintCompilation on every JDK: -Xlog:jit+compilation has a finer clock, but no COMPILE SKIPPED (11 to 28)."""
    return [*tty(folder), "-XX:+PrintCompilation"]


def _inlining(major: int, folder: str, argument: str) -> list[str]:
    """Inlining trees hang below their compile line, so both go into one file."""
    chosen = [f"-XX:CompileCommand=option,{method},PrintInlining" for method in _methods(argument)]
    return [*tty(folder), "-XX:+PrintCompilation", *(chosen or ["-XX:+PrintInlining"])]


def _assembly(major: int, folder: str, argument: str) -> list[str]:
    """Chosen methods only: with PrintAssembly even a small program prints hundreds of megabytes."""
    methods = _methods(argument)
    if not methods:
        raise FlagRejected(
            "which method's assembly? Write assembly=Class.method, or assembly=Class.a,Class.b for more."
        )
    return [*tty(folder), *(f"-XX:CompileCommand=print,{method}" for method in methods)]


def _methods(argument: str) -> list[str]:
    """Patterns in the one spelling that 8 to 28 all understand; with java.lang.String.hashCode they ignore the command.

    >>> _methods("Odd.count,java/lang/String.hashCode,java.lang.Math::max")
    ['Odd::count', 'java.lang.String::hashCode', 'java.lang.Math::max']
    """
    names = [name.strip() for name in argument.split(",") if name.strip()]
    for name in names:
        if not re.search(r"[\w*>](\.|::)[\w*<]", name):
            raise FlagRejected(
                f"{name!r} is not Class.method. Write it as Odd.countOdds or java.lang.String::hashCode."
            )
    return [name if "::" in name else "::".join(name.replace("/", ".").rsplit(".", 1)) for name in names]


def _gc(major: int, folder: str, argument: str) -> list[str]:
    if major >= 9:
        return [_unified("gc*=info", folder, GC_LOG)]
    return [f"-Xloggc:{_at(folder, GC_LOG)}", "-XX:+PrintGCDetails", "-XX:+PrintGCTimeStamps"]


def _async(major: int, folder: str, argument: str) -> list[str]:
    from safepointlab.logs import async_profiler  # needs the native library, which only a profiled run has

    return [async_profiler.agent(argument, folder)]


KINDS: Mapping[str, LogKind] = {
    "safepoint": LogKind(
        "every stop: why, how long to reach it, how long it took",
        _safepoint,
        # on 8 -Xloggc takes the stopped-time lines with it
        lambda major: [VM_LOG, GC_LOG] if major < 9 else [SAFEPOINT_LOG, VM_LOG] if major < 17 else [SAFEPOINT_LOG],
    ),
    "straggler": LogKind(
        "the threads that keep all others waiting",
        _straggler,
        lambda major: [VM_LOG] if major < 17 else [SAFEPOINT_LOG, "stderr.txt"],
    ),
    "compilation": LogKind("every method that is compiled, and thrown away", _compilation, lambda major: [VM_LOG]),
    "inlining": LogKind("what was compiled into its callers, and what was not", _inlining, lambda major: [VM_LOG]),
    "assembly": LogKind("the machine code of the methods named", _assembly, lambda major: [VM_LOG]),
    "gc": LogKind("every collection", _gc, lambda major: [GC_LOG]),
    "jfr": LogKind(
        "JDK Flight Recorder's samples and events",
        lambda major, folder, argument: flight.flags_for(argument, major, folder),
        lambda major: [flight.RECORDING],
    ),
    "async": LogKind("stacks, sampled by async-profiler", _async, lambda major: ASYNC_FILES),
}
