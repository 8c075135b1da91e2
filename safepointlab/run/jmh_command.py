"""One benchmark on one JDK -> the command line of a JMH host, whose forks end with the lab and keep their logs apart.

Host and forks are the same JDK: a host newer than its forks passes them flags that they do not know, and silently
breaks the scores (compiler black holes, JMH 1.37).
"""

import hashlib
import re
import shlex
from collections.abc import Mapping
from pathlib import Path

from safepointlab import logs
from safepointlab.jdks import Jdk, flags
from safepointlab.process import confined, home, orphan_guard
from safepointlab.process.files import write_whole
from safepointlab.run import benchmarks
from safepointlab.run.request import Request

RESULTS = "jmh.json"
SHORT = "-f 1 -wi 3 -w 300ms -i 5 -r 300ms"  # the default
FORK = "fork-"  # a fork's folder, inside the host's
UNLOCKED = "-Djmh.ignoreLock=true"
HASTY = ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]  # the host measures nothing; so it starts in half the time

# A fork runs in a folder of its own, so that two forks do not write into one log. JMH's -jvm takes a path, no command.
# Twice before each benchmark the host asks for the JVM's properties: this build of the JDK answers once, for all times.
LAUNCHER = """#!/bin/sh
# {build}
case "$*" in
*PrintPropertiesMain*)
    for answer; do :; done
    [ -s "$0.xml" ] && exec cp "$0.xml" "$answer"
    {java} "$@" || exit
    cp "$answer" "$0.$$" && mv "$0.$$" "$0.xml"
    exit 0;;
*ForkedMain*) n=1; while ! mkdir {fork}$n 2>/dev/null; do n=$((n+1)); done; cd {fork}$n;;
esac
exec {java} "$@"
"""


def command(request: Request, jdk: Jdk) -> list[str]:
    """The command of JMH's host, with the options in `request.args` and the forks' flags.

    Raises:
        FlagRejected: the JDK does not know one of the flags.
    """
    collector = flags.gc_flag(request.gc, jdk) if request.gc else []
    fork_flags = flags.check([*logs.flags_for(request.log, jdk), *collector, *request.flags], jdk)
    host = [str(jdk.java), *HASTY, UNLOCKED, "-cp", benchmarks.class_path(), "org.openjdk.jmh.Main"]
    selection = [f"^{re.escape(request.sample)}$", *request.args]
    jvm_args = " ".join(map(flags.quoted, fork_flags)) or UNLOCKED  # without any, forks would have the host's
    forks = ["-jvm", str(_launcher(jdk)), "-jvmArgs", jvm_args]
    return [*confined.prefix(request.cores), *host, *selection, *forks, "-rf", "json", "-rff", RESULTS]


def options(
    chosen: str,
    params: Mapping[str, object] | None = None,
    threads: int | None = None,
    groups: Mapping[str, int] | None = None,
    prof: str = "",
) -> list[str]:
    """JMH's own options as words.

    >>> options("-f 1", {"k": 10}, groups={"scan": 2, "park": 0}, prof="gc stack:lines=5")
    ['-f', '1', '-p', 'k=10', '-tg', '0,2', '-prof', 'gc', '-prof', 'stack:lines=5']
    """
    words = shlex.split(chosen or SHORT)
    for name, value in (params or {}).items():
        words += ["-p", f"{name}={value}"]
    words += ["-t", str(threads)] if threads else []
    words += ["-tg", distribution(groups)] if groups else []
    for profiler in prof.split():
        words += ["-prof", _with_library(profiler)]
    return words


def distribution(groups: Mapping[str, int]) -> str:
    """The threads per method of a @Group as JMH's -tg wants them: in the alphabetical order of the methods' names."""
    return ",".join(str(groups[name]) for name in sorted(groups))


def _with_library(profiler: str) -> str:
    """The profiler's option; JMH's async-profiler support also needs the path of the native library."""
    if not profiler.startswith("async") or "libPath" in profiler:
        return profiler
    from safepointlab.logs import async_profiler

    kind, _, rest = profiler.partition(":")
    return f"{kind}:libPath={async_profiler.library()}" + (f";{rest}" if rest else "")


def _launcher(jdk: Jdk) -> Path:
    """A launcher script for this build of the JDK, whose JVMs die with JMH's host."""
    java = shlex.join([*orphan_guard.words(), str(jdk.java)])
    text = LAUNCHER.format(fork=FORK, java=java, build=f"{jdk.version}, {jdk.vendor}")
    script = home.ready(home.cache() / "launchers") / f"java-{hashlib.sha256(text.encode()).hexdigest()[:12]}"
    if not script.exists():
        write_whole(script, text, mode=0o755)
    return script
