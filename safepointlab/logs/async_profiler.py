"""async-profiler's jar from Maven -> the native library for this machine, and the flag that starts it with a JVM.

    library()                       <cache>/async-profiler/4.5/linux-x64/libasyncProfiler.so
    agent("ctimer,cstack=vm", "")   -agentpath:...=start,event=ctimer,interval=1ms,cstack=vm,collapsed,file=...,log=...

The version is exact: 4.6 crashes JDK 28-ea when JMH loads it, 4.5 runs on 8 to 28.
"""

import platform
import sys
import zipfile
from pathlib import Path

from safepointlab.errors import FlagRejected, InstallFailed, StorageFailed, ToolMissing
from safepointlab.jdks import jars
from safepointlab.process import home, recording
from safepointlab.process.files import bounded_text, write_whole

VERSION = "4.5"
COORDINATE = f"tools.profiler:async-profiler:{VERSION}"
FOLDERS = {"x86_64": "linux-x64", "amd64": "linux-x64", "aarch64": "linux-arm64", "arm64": "linux-arm64"}
FILE = "libasyncProfiler.so"

# ctimer: a timer of the kernel for each thread's own CPU time. It needs no perf_event, which most containers forbid.
# cstack=vm: walk the stack by HotSpot's own structures; cstack=no calls AsyncGetCallTrace and nothing else.
DEFAULTS = {"event": "ctimer", "interval": "1ms", "cstack": "vm"}
MODES = {"alloc", "lock", "wall", "nativemem", "nativelock", "trace", "all"}  # "wall=5ms" replaces the event
SWITCHES = {"ttsp", "threads", "total", "ann", "all"}  # words without a value that may stand first
OWN = {"start", "stop", "resume", "dump", "collapsed", "file", "log", "jfr", "flamegraph", "tree", "traces", "flat"}

COLLAPSED, LOG = "async.collapsed", "async.log"


def library() -> Path:
    """The native library, unpacked into the lab's cache if it is not there yet.

    Raises:
        ToolMissing: async-profiler has none for this machine.
        InstallFailed: the jar cannot be fetched, or is broken.
        StorageFailed: the cache cannot be written.
    """
    system, machine = sys.platform, platform.machine().lower()
    if system != "linux" or machine not in FOLDERS:
        have = ", ".join(sorted(set(FOLDERS.values())))
        raise ToolMissing(
            f"async-profiler {VERSION} has no library for {system} on {machine}: the lab takes {have} from its jar. "
            "Use one of these machines, or JFR, which is in the JDK."
        )
    member = f"{FOLDERS[machine]}/{FILE}"
    place = home.fetched(f"async-profiler/{VERSION}/{member}")
    if place.exists() or recording.packed():
        return place
    jar = jars.fetch(COORDINATE)
    home.ready(place.parent)
    try:
        with zipfile.ZipFile(jar) as archive:
            return write_whole(place, archive.read(member), mode=0o755)
    except (KeyError, zipfile.BadZipFile) as cause:
        raise InstallFailed(f"{home.shown(jar)} holds no {member}: {cause}. Delete it; it is fetched again.") from cause


def agent(argument: str, folder: str) -> str:
    """The flag that profiles a JVM from its start and writes collapsed stacks into the folder when it ends.

    The argument is async-profiler's own option line; a first word without "=" is the event. With `loop=1s` a file is
    written each second, so that the stacks survive even a SIGKILL; a JVM that hangs on its way to a safepoint writes no
    further file.

    Raises:
        FlagRejected: an option is empty, or one that the lab sets itself.
        StorageFailed: the path of the library or of the folder has a comma.
    """
    options: dict[str, str | None] = {}
    for place, word in enumerate(argument.split(",") if argument else []):
        name, equals, value = word.partition("=")
        if not name or name in OWN:
            raise FlagRejected(
                f"async={argument}: the lab sets {word!r} itself. Write async=ctimer,interval=1ms,cstack=vm."
            )
        options |= {name: value} if equals else {"event": name} if place == 0 and name not in SWITCHES else {name: None}
    defaults = {name: value for name, value in DEFAULTS.items() if name != "event" or not options.keys() & MODES}
    words = [name if value is None else f"{name}={value}" for name, value in (defaults | options).items()]
    prefix = f"{folder.rstrip('/')}/" if folder else ""
    file = "async.%n.collapsed" if "loop" in options else COLLAPSED
    to = [f"file={prefix}{file}", f"log={prefix}{LOG}"]  # by default it prints to the program's stdout
    for path in (prefix, str(native := library())):
        if "," in path:
            raise StorageFailed(f"async-profiler cannot use a path with a comma: {path}. Use another folder.")
    return f"-agentpath:{native}={','.join(['start', *words, 'collapsed', *to])}"


def complaint(folder: Path, empty: bool) -> str:
    """The profiler's first error in this run's folder; for a profile without samples also its first warning.

    The profiler ignores an option that it does not know, and an event that the machine does not have.
    """
    lines = bounded_text(folder / LOG, 100_000).splitlines() if (folder / LOG).exists() else []
    errors = [line for line in lines if line.startswith("[ERROR]") or "Unknown argument" in line]
    complaints = errors or [line for line in lines if line.startswith("[WARN]") and empty]
    return complaints[0].partition("] ")[2] if complaints else ""
