"""The JMH benchmarks of java-samples/benchmarks, a JDK and a pattern -> a frame of scores, measured by that JDK.

No Maven: javac compiles them with JMH's annotation processor, once a source text. Host and forks are the same JDK: a
host newer than its forks passes them flags that they do not know, and breaks the scores without a word.
"""

import argparse
import hashlib
import secrets
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from safepointlab import build, home, jars, jdks, recording, shell
from safepointlab.errors import RunFailed
from safepointlab.stamp import facts

if TYPE_CHECKING:
    from pandas import DataFrame

SOURCES = home.PROJECT / "java-samples" / "benchmarks" / "src" / "main" / "java"
PROCESSOR = "org.openjdk.jmh:jmh-generator-annprocess:1.37"
LIBRARY = [
    "org.openjdk.jmh:jmh-core:1.37",
    "net.sf.jopt-simple:jopt-simple:5.0.4",
    "org.apache.commons:commons-math3:3.6.1",
]
RESULTS = "jmh.json"


def jmh(pattern: str, jdk: object = 25, flags: str = "", options: str = "", deadline: float = 300) -> "DataFrame":
    """Run the benchmarks whose name matches the pattern.

    Args:
        pattern: a regular expression, such as "osr.AddOne".
        flags: the JVM's, for the forks.
        options: JMH's own, such as "-f 1 -wi 3 -w 300ms -i 5 -r 300ms -p size=1000"; forks and iterations are one and
            five where nothing is said.
        deadline: seconds after which the whole run is stopped.

    Returns:
        One row a score (see read.jmh), with the column jdk in front.

    Raises:
        RunFailed: JMH ended with an error or missed the deadline; the message ends with its last words.
    """
    from safepointlab.read import jmh as reader

    asked = jdks.get(str(jdk)) if recording.replaying() is None else None
    key = f"jmh-{_digest(pattern, str(jdk), flags, options)}"
    command = _command(asked, pattern, flags, options) if asked else ["java", pattern]
    done = shell.execute(
        command, deadline=deadline, key=key, about={"jmh": [pattern, str(jdk), flags, options], **facts()}
    )
    if done.exit_code != 0:
        said = done.text() + recording.bounded_text(done.stderr)
        raise RunFailed(f"JMH {done.outcome} {done.exit_code}: {shlex.join(command)}\n{said[-2000:]}")
    frame = reader.read(done.folder / RESULTS)
    frame.insert(0, "jdk", str(jdk))
    return frame


def _command(jdk: jdks.Jdk, pattern: str, flags: str, options: str) -> list[str]:
    """JMH's forks end with the lab too: their launcher is on the same leash."""
    path = ":".join(map(str, [compiled(), *(jars.fetch(coordinate) for coordinate in LIBRARY)]))
    short = ["-f", "1", "-wi", "3", "-w", "300ms", "-i", "5", "-r", "300ms"]
    chosen = shlex.split(options) or short
    forks = ["-jvm", str(_leashed(jdk)), *(["-jvmArgs", flags] if flags else [])]
    start = [str(jdk.java), "-Djmh.ignoreLock=true", "-cp", path, "org.openjdk.jmh.Main"]
    return [*start, pattern, *chosen, *forks, "-rf", "json", "-rff", RESULTS]


def _leashed(jdk: jdks.Jdk) -> Path:
    """A launcher for this JDK that dies with JMH's host; a script, as JMH takes a path and no command."""
    script = home.ready(home.cache() / "launchers") / f"java-{_digest(str(jdk.home))}"
    if not script.exists():
        draft = script.with_name(f".{script.name}.{secrets.token_hex(3)}")
        draft.write_text(f'#!/bin/sh\nexec {shlex.join([*shell.leash(), str(jdk.java)])} "$@"\n')
        draft.chmod(0o755)
        draft.replace(script)
    return script


def compiled() -> Path:
    """The folder with the compiled benchmarks, JMH's generated harness included; compiled once a source text.

    Raises:
        CompileFailed: with javac's own message.
    """
    sources = sorted(SOURCES.rglob("*.java"))
    folder = home.programs() / f"benchmarks-{_digest(*(source.read_text('utf-8') for source in sources))}"
    if not folder.exists():
        _compile(sources, folder)
    return folder


def _compile(sources: list[Path], folder: Path) -> None:
    path = ":".join(str(jars.fetch(coordinate)) for coordinate in [*LIBRARY, PROCESSOR])
    processing = ["-cp", path, "-processorpath", path, "-processor", "org.openjdk.jmh.generators.BenchmarkProcessor"]
    javac = build.any_javac()
    command = [*build.javac_words(javac), "-nowarn", *processing]
    build.compile_into(folder, command, sources, f"javac {javac.version}")


def _digest(*words: str) -> str:
    return hashlib.sha256("\0".join(words).encode()).hexdigest()[:12]


def register(commands: Any) -> None:
    """Add the sub-command `bench`."""
    parser = commands.add_parser("bench", help="run JMH benchmarks on a JDK")
    parser.add_argument("pattern", help="a regular expression, such as osr.AddOne")
    parser.add_argument("--jdk", default="25")
    parser.add_argument("--flags", default="", help="the JVM's flags as one quoted line")
    parser.add_argument("--options", default="", help="JMH's own options as one quoted line")
    parser.set_defaults(run=_bench)


def _bench(arguments: argparse.Namespace) -> int:
    print(jmh(arguments.pattern, arguments.jdk, arguments.flags, arguments.options).to_string(index=False))
    return 0
