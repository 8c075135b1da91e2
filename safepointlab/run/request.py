"""What a caller asks of `lab.java` -> Request: a value with a key, under which the run is recorded and replayed."""

import hashlib
import json
import shlex
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from safepointlab.programs import build

Words = str | Iterable[object]  # "-Xint -Xmx1g", or its words one by one


@dataclass(frozen=True)
class Request:
    """One run as asked for, before any flag is unlocked or any path is known; the same on every machine."""

    sample: str
    source_digest: str  # a changed program is another request: an old recording does not answer it
    jdk: str  # "8", "25.0.3", "temurin:25"
    compiler: str  # "javac", "javac-17", "ecj", "ecj-4.6.1"
    gc: str  # "Serial", "Parallel", "G1", ...; "" is the JDK's own choice
    flags: tuple[str, ...]
    args: tuple[str, ...]
    log: tuple[str, ...]  # "safepoint", "compilation", "assembly=WhenWillItExit.count"
    jars: tuple[str, ...] = ()  # Maven coordinates on the class path
    repeat: int = 0

    @property
    def key(self) -> str:
        """The folder name's first part: the sample, and a digest of all else."""
        text = json.dumps(asdict(self), sort_keys=True)
        return f"{Path(self.sample).stem}-{hashlib.sha256(text.encode()).hexdigest()[:12]}"


def make(
    sample: str,
    jdk: object = "",
    compiler: str = "javac",
    gc: str | None = None,
    flags: Words = "",
    args: Words = (),
    log: Words = "",
    jars: Iterable[str] = (),
    repeat: int = 0,
) -> Request:
    """A request from what people type.

    Raises:
        SampleNotFound: no such sample.
    """
    source = build.find_sample(sample)
    digest = hashlib.sha256(source.read_bytes()).hexdigest()[:12]
    asked = str(getattr(jdk, "home", jdk))
    name = build.sample_name(source)
    return Request(name, digest, asked, compiler, gc or "", words(flags), words(args), words(log), tuple(jars), repeat)


def words(given: Words) -> tuple[str, ...]:
    """The words of a shell-like line, or of a list.

    >>> words("-Xint '-Dname=two words'")
    ('-Xint', '-Dname=two words')
    >>> words([600, "slow"])
    ('600', 'slow')
    """
    return tuple(shlex.split(given)) if isinstance(given, str) else tuple(str(word) for word in given)
