"""java-samples/benchmarks -> compiled JMH benchmarks, their names, and a digest of their sources.

No Maven: javac compiles them all together with JMH's annotation processor, once per source text.
"""

import hashlib
import re
from functools import lru_cache
from pathlib import Path

from safepointlab.errors import SampleNotFound
from safepointlab.jdks import jars
from safepointlab.process import home, recording, shell
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
    listed = shell.output_of(_listing, key=f"benchmarks-{text_digest}")
    return re.findall(r"^[\w$]+(?:\.[\w$]+)+$", listed, re.MULTILINE)


def _listing() -> list[str]:
    return [str(build.any_javac().java), "-cp", class_path(), "org.openjdk.jmh.Main", "-l"]


def class_path() -> str:
    """The compiled benchmarks, and the libraries that they run with."""
    return build.class_path([compiled(), *map(jars.fetch, LIBRARY)])


def compiled() -> Path:
    """The folder with the compiled benchmarks, JMH's generated harness included; compiled once per source text.

    A replay needs its name alone, and compiles nothing.

    Raises:
        CompileFailed: with javac's own message.
    """
    folder = home.programs() / f"benchmarks-{digest(*sources())}"
    if not folder.exists() and not recording.replaying():
        _compile(folder)
    return folder


def _compile(folder: Path) -> None:
    path = build.class_path(jars.fetch(coordinate) for coordinate in [*LIBRARY, PROCESSOR])
    processing = ["-cp", path, "-processorpath", path, "-processor", "org.openjdk.jmh.generators.BenchmarkProcessor"]
    javac = build.any_javac()
    command = [*build.javac_words(javac), "-g", "-nowarn", *processing]
    build.compile_into(folder, command, sources(), f"javac {javac.version}")


def sources() -> list[Path]:
    """The sources of all benchmarks, and of what they share."""
    return sorted(SOURCES.rglob("*.java"))


def source_of(benchmark: str) -> Path:
    """The file of `package.Class.method`."""
    return SOURCES.joinpath(*benchmark.split(".")[:-1]).with_suffix(".java")


def program_of(benchmark: str) -> Program:
    """The compiled classes of the benchmark's package, JMH's generated harness beside them."""
    package = compiled().joinpath(*benchmark.split(".")[:-2])
    key = f"{package.parent.name}-{package.name}"
    return Program(benchmark, "", source_of(benchmark), package, "JMH", key)


def digest(*files: Path) -> str:
    """Twelve hex digits that change with any of the texts."""
    return hashlib.sha256("\0".join(file.read_text("utf-8") for file in files).encode()).hexdigest()[:12]
