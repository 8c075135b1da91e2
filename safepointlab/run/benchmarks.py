"""java-samples/benchmarks -> compiled JMH benchmarks, their names, and the command line of a host that runs one.

No Maven: javac compiles them all together with JMH's annotation processor, once per source text.

Host and forks are the same JDK: a host newer than its forks passes them flags that they do not know, and silently
breaks the scores (compiler black holes, JMH 1.37).
"""

import hashlib
import re
import shlex
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from safepointlab.errors import SampleNotFound
from safepointlab.jdks import Jdk, jars
from safepointlab.jdks.flags import quoted
from safepointlab.process import home, orphan_guard, recording, shell
from safepointlab.process.files import write_whole
from safepointlab.run import build
from safepointlab.run.build import Program

SOURCES = home.PROJECT / "java-samples" / "benchmarks" / "src" / "main" / "java"
PROCESSOR = "org.openjdk.jmh:jmh-generator-annprocess:1.37"
LIBRARY = [
    "org.openjdk.jmh:jmh-core:1.37",
    "net.sf.jopt-simple:jopt-simple:5.0.4",
    "org.apache.commons:commons-math3:3.6.1",
    "org.hdrhistogram:HdrHistogram:2.2.2",
]
MAIN = "org.openjdk.jmh.Main"
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


def names(pattern: str) -> list[str]:
    """The benchmarks whose `package.Class.method` matches, in JMH's order.

    Raises:
        SampleNotFound: none does; the message lists all benchmarks.
    """
    everything = _listed(digest(*sources()))
    matching = [name for name in everything if re.search(pattern, name)]
    if not matching:
        raise SampleNotFound(
            f"No matching benchmarks for {pattern!r}. Looked in {home.shown(SOURCES)}: {', '.join(everything)}."
        )
    return matching


@lru_cache
def _listed(text_digest: str) -> list[str]:
    """JMH's own list; recorded under the sources' digest, so that a replay needs neither javac nor JMH."""

    def command() -> list[str]:
        return [str(build.any_javac().java), "-cp", class_path(), MAIN, "-l"]

    listed = shell.output_of(command, key=f"benchmarks-{text_digest}")
    return re.findall(r"^[\w$]+(?:\.[\w$]+)+$", listed, re.MULTILINE)


def class_path() -> str:
    """The compiled benchmarks, and the libraries that they run with."""
    return build.class_path([compiled(), *map(jars.fetch, LIBRARY)])


def compiled() -> Path:
    """The folder with the compiled benchmarks, JMH's generated harness included; compiled once per source text.

    A replay needs its name alone, and compiles nothing.

    Raises:
        CompileFailed: with javac's own message.
    """
    files = sources()
    folder = home.programs() / f"benchmarks-{digest(*files)}"
    if not folder.exists() and not recording.replaying():
        path = build.class_path(jars.fetch(coordinate) for coordinate in [*LIBRARY, PROCESSOR])
        processor = ["-processorpath", path, "-processor", "org.openjdk.jmh.generators.BenchmarkProcessor"]
        javac = build.any_javac()
        command = [*build.javac_words(javac), "-g", "-nowarn", "-cp", path, *processor]
        build.compile_into(folder, command, files, f"javac {javac.version}")
    return folder


def sources() -> list[Path]:
    return sorted(SOURCES.rglob("*.java"))


def source_of(benchmark: str) -> Path:
    return SOURCES.joinpath(*benchmark.split(".")[:-1]).with_suffix(".java")


def program_of(benchmark: str) -> Program:
    """The compiled classes of the benchmark's package, with JMH's generated harness."""
    package = compiled().joinpath(*benchmark.split(".")[:-2])
    key = f"{package.parent.name}-{package.name}"
    return Program(benchmark, "", source_of(benchmark), package, "JMH", key)


def digest(*files: Path) -> str:
    """Twelve hex digits that change with any of the texts."""
    return hashlib.sha256("\0".join(file.read_text("utf-8") for file in files).encode()).hexdigest()[:12]


def host_command(benchmark: str, jdk: Jdk, fork_flags: list[str], options: tuple[str, ...]) -> list[str]:
    """The command of JMH's host, with JMH's own options and the flags of its forks."""
    host = [str(jdk.java), *HASTY, UNLOCKED, "-cp", class_path(), MAIN]
    jvm_args = " ".join(map(quoted, fork_flags)) or UNLOCKED  # without any, forks would have the host's
    forks = ["-jvm", str(launcher(jdk)), "-jvmArgs", jvm_args]
    return [*host, f"^{re.escape(benchmark)}$", *options, *forks, "-rf", "json", "-rff", RESULTS]


def launcher(jdk: Jdk) -> Path:
    """A launcher script for this build of the JDK, whose JVMs die with JMH's host."""
    java = shlex.join([*orphan_guard.words(), str(jdk.java)])
    text = LAUNCHER.format(fork=FORK, java=java, build=f"{jdk.version}, {jdk.vendor}")
    script = home.ready(home.cache() / "launchers") / f"java-{hashlib.sha256(text.encode()).hexdigest()[:12]}"
    if not script.exists():
        write_whole(script, text, mode=0o755)
    return script


def options(
    chosen: str,
    params: Mapping[str, object] | None = None,
    threads: int | None = None,
    groups: Mapping[str, int] | None = None,
    prof: str = "",
) -> list[str]:
    """JMH's own options as words.

    The threads per method of a @Group go to -tg in the alphabetical order of the methods' names.

    >>> options("-f 1", {"k": 10}, groups={"scan": 2, "park": 0}, prof="gc stack:lines=5")
    ['-f', '1', '-p', 'k=10', '-tg', '0,2', '-prof', 'gc', '-prof', 'stack:lines=5']
    """
    words = shlex.split(chosen or SHORT)
    for name, value in (params or {}).items():
        words += ["-p", f"{name}={value}"]
    words += ["-t", str(threads)] if threads else []
    words += ["-tg", ",".join(str(count) for _, count in sorted(groups.items()))] if groups else []
    for profiler in prof.split():
        if profiler.startswith("async") and "libPath" not in profiler:  # it needs the path of the native library
            from safepointlab.logs import async_profiler

            kind, _, rest = profiler.partition(":")
            profiler = f"{kind}:libPath={async_profiler.library()}" + (f";{rest}" if rest else "")
        words += ["-prof", profiler]
    return words
