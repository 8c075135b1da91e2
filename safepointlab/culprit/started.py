"""A JVM of the command -> how it was really started: JDK, collector, class path, whatever its command line looks like.

started-PID.log   21 to 28  -Xlog:arguments: what the launcher made of @argfiles, of `lib/*`, of JDK_JAVA_OPTIONS and
                            JAVA_TOOL_OPTIONS (HotSpot's Arguments::print_on; jcmd VM.command_line says the same)
vm-pidPID.log     8 to 16   the same, in the head of its XML
/proc/PID         Linux     the VM's library and AOT cache in its memory, the working directory, the VM's threads, the
                            launcher's own words; `watch` looks while it runs
"""

import contextlib
import html
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safepointlab import jdks
from safepointlab.culprit.command_line import COLLECTOR, classpath_of, with_argfiles, with_manifests
from safepointlab.errors import JdkNotFound
from safepointlab.jdks import Jdk
from safepointlab.process.files import bounded_text
from safepointlab.run import aot_cache

PROC = Path("/proc")
HEAD_BYTES = 1_000_000
ARGUMENTS = re.compile(r"^jvm_args: (.*)$|<args>\s*((?s:.*?))\s*</args>", re.MULTILINE)
COMMAND = re.compile(r"^java_command: (.*)$|<command>\s*((?s:.*?))\s*</command>", re.MULTILINE)
CLASS_PATH = re.compile(r"^java_class_path \(initial\): (.*)$|^java\.class\.path=(.*)$", re.MULTILINE)
NONE = "<not set>"  # what the VM prints of a class path that nobody gave
VM_THREAD = "VM Thread"
# The threads of a collector's own, as the kernel shortens their names; Serial and Epsilon have none
THREADS = {
    "G1": ("G1 ",), "Z": ("ZD",), "Shenandoah": ("Shenandoah",), "ConcMarkSweep": ("Concurrent Mark", "CMS"),
    "Parallel": ("GC task thread", "GC Thread"),
}  # fmt: skip


@dataclass(frozen=True)
class Started:
    """How one JVM was started; what neither the JVM nor the kernel told is empty."""

    flags: str = ""
    command: str = ""  # the main class or the jar, and the program's arguments
    classpath: str = ""  # absolute paths, and behind each jar those of its manifest
    folder: str = ""  # its working directory
    collector: str = ""
    home: str = ""  # of its JDK
    major: int = 0
    version: str = ""
    aot_cache: str = ""  # the AOT cache that its flags name
    aot_cache_used: bool = True  # whether it is in the JVM's memory, as far as the kernel was asked


def file_for(folder: str | Path, pid: object) -> str:
    """Where a JVM's own words about its start are."""
    return f"{folder}/started-{pid}.log"


def started(folder: Path, pid: int, seen: Mapping[str, Any]) -> Started:
    """How the JVM was started, by its own log in this folder and by what `seen_of` saw of it."""
    own = Path(file_for(folder, pid))
    text = html.unescape(bounded_text(own if own.exists() else folder / f"vm-pid{pid}.log", HEAD_BYTES))
    flags, command, path = (_first(pattern, text) for pattern in (ARGUMENTS, COMMAND, CLASS_PATH))
    if not text and (words := seen.get("words", ())):
        flags, path = " ".join(words), ":".join(classpath_of(words, seen.get("classpath", "")))
    here = seen.get("folder", "")  # without it, nobody knows what a relative path means
    known = [str(Path(here, part)) for part in path.split(":") if part and (here or part.startswith("/"))]
    facts = {name: seen[name] for name in ("folder", "home", "major", "version") if name in seen}
    gc, cache = collector(flags, seen.get("threads", ())), aot_cache.named_in(flags)
    used = "mapped" not in seen or str(Path(here, cache).resolve()) in seen["mapped"]
    path = ":".join(with_manifests(known))
    return Started(flags, command, path, collector=gc, aot_cache=cache, aot_cache_used=used, **facts)


def _first(pattern: re.Pattern[str], text: str) -> str:
    """What the first of the pattern's groups that is there has; "" if the VM says that it is not set."""
    match = pattern.search(text)
    found = (match[1] or match[2] or "") if match else ""
    return "" if found == NONE else found


def collector(arguments: str, threads: object) -> str:
    """The collector: the last that the arguments choose, else by the VM's threads the one that it chose itself.

    >>> collector("-XX:+UseG1GC -XX:+UseSerialGC", []), collector("-Xmx1g", ["VM Thread", "G1 Service"])
    ('Serial', 'G1')
    """
    if chosen := COLLECTOR.findall(arguments):
        return str(chosen[-1])
    names = [str(name) for name in threads] if isinstance(threads, list | tuple) else []
    if VM_THREAD not in names:
        return ""
    found = (gc for gc, starts in THREADS.items() if any(name.startswith(starts) for name in names))
    return next(found, "Serial")


def seen_of(pid: int, likely: Jdk) -> dict[str, Any]:
    """What /proc shows of a JVM once its VM thread runs, which starts after the collector's; {} before that.

    Raises:
        OSError: it has ended.
    """
    process = PROC / str(pid)
    names = [(task / "comm").read_text("utf-8", "replace").strip() for task in (process / "task").iterdir()]
    if VM_THREAD not in names:
        return {}
    jdk, library = likely, libjvm(process)
    if library and not Path(library).is_relative_to(likely.home.resolve()):
        with contextlib.suppress(JdkNotFound):
            jdk = jdk_around(library) or likely
    about = {"major": jdk.major, "version": jdk.version, "home": str(jdk.home), "threads": sorted(set(names))}
    folder, own = (process / "cwd").readlink(), (process / "cmdline").read_bytes().decode("utf-8", "replace")
    variables = (process / "environ").read_bytes().decode("utf-8", "replace").split("\0")
    environment = dict(variable.split("=", 1) for variable in variables if "=" in variable)
    words = [*environment.get("JDK_JAVA_OPTIONS", "").split(), *own.split("\0")[1:-1]]
    words = list(with_argfiles(words, folder)) if jdk.major >= 9 else words
    about |= {"folder": str(folder), "words": words, "classpath": environment.get("CLASSPATH", "")}
    return {**about, "mapped": [file for file in mapped(process) if ".so" not in Path(file).name]}


def libjvm(process: Path) -> str:
    """The file of the VM that this process, a folder of /proc, runs; "" if it is no JVM.

    Raises:
        OSError: it has ended, or is another user's.
    """
    return next((file for file in mapped(process) if "/libjvm.so" in file), "")


def mapped(process: Path) -> list[str]:
    """The files that this process, a folder of /proc, has in its memory.

    Raises:
        OSError: it has ended, or is another user's.
    """
    lines = (line.split(maxsplit=5) for line in (process / "maps").read_text("utf-8", "replace").splitlines())
    return list(dict.fromkeys(line[5] for line in lines if len(line) > 5 and line[5].startswith("/")))


def jdk_around(library: str) -> Jdk | None:
    """The JDK that the VM's file belongs to: on 8 that of the JRE in it; None if there is none around it.

    Raises:
        JdkNotFound: it is not HotSpot.
    """
    homes = [folder for folder in Path(library).parents if (folder / "bin" / "java").is_file()]
    if not homes:
        return None
    outer = homes[0].parent
    return jdks.get(str((outer if (outer / "bin" / "java").is_file() else homes[0]) / "bin" / "java"))
