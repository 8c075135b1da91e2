"""The arguments of `lab.java` -> Request: a value with a key, under which the run is recorded and replayed."""

import hashlib
import json
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from numbers import Integral
from pathlib import Path
from typing import Any

from safepointlab import logs
from safepointlab.errors import BadInput
from safepointlab.logs import LogRequest
from safepointlab.process import home
from safepointlab.run import build

Words = str | float | Iterable[object]  # "-Xint -Xmx1g", its words one by one, or one number


@dataclass(frozen=True)
class Request:
    """One requested run, before any flag is unlocked or any path is known; the same on every machine."""

    sample: str
    source_digest: str = ""  # a changed program is another request: an old recording does not answer it
    jdk: str = ""  # "8", "25.0.3", "temurin:25"
    compiler: str = ""  # "javac", "javac-17", "ecj", "ecj-4.6.1"
    gc: str = ""  # "Serial", "Parallel", "G1", ...; "" is the JDK's own choice
    flags: tuple[str, ...] = ()
    args: tuple[str, ...] = ()
    log: tuple[LogRequest, ...] = ()  # safepoint, compilation, assembly=WhenWillItExit.count
    jars: tuple[str, ...] = ()  # Maven coordinates on the class path
    repeat: int = 0
    cores: int = 0  # how many cores the JVM sees and uses; 0 is all of them

    @property
    def key(self) -> str:
        """The first part of the folder's name: the sample, and a digest of the whole request."""
        text = home.neutral(json.dumps(self.to_dict(), sort_keys=True))
        return f"{Path(self.sample).stem}-{hashlib.sha256(text.encode()).hexdigest()[:12]}"

    def to_dict(self) -> dict[str, Any]:
        """The request as a record keeps it; without `cores` where all are used, as records from before it existed."""
        record = {**vars(self), "log": [str(log) for log in self.log]}
        return record if self.cores else {name: value for name, value in record.items() if name != "cores"}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> "Request":
        """The inverse of to_dict; an older record may lack fields that were added later."""
        known = {field.name: record[field.name] for field in fields(cls) if field.name in record}
        lists = {name: tuple(value) for name, value in known.items() if isinstance(value, list)}
        return cls(**{"sample": "?", **known, **lists, "log": _recorded_logs(record.get("log", ()))})


def _recorded_logs(words: Iterable[str]) -> tuple[LogRequest, ...]:
    return tuple(LogRequest(kind, argument) for kind, _, argument in (str(word).partition("=") for word in words))


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
    cores: int | None = None,
) -> Request:
    """A request from what people type.

    Raises:
        SampleNotFound: no such sample.
        FlagRejected: no such kind of log.
        BadInput: an argument of another kind than described, or a line whose quotes do not close.
    """
    _demand_text(sample=sample, compiler=compiler, **({"gc": gc} if gc is not None else {}))
    source = build.find_sample(sample)
    return Request(
        sample=build.sample_name(source),
        source_digest=hashlib.sha256(source.read_bytes()).hexdigest()[:12],
        jdk=str(getattr(jdk, "home", jdk)),
        compiler=compiler,
        gc=gc or "",
        flags=words(flags, "flags"),
        args=words([args] if _is_number(args) else args, "args"),
        log=logs.requested(words(log, "log")),
        jars=_coordinates(jars),
        repeat=_count(repeat),
        cores=_cores(cores),
    )


def words(value: Words, name: str = "words") -> tuple[str, ...]:
    """The words of a shell-like line, or of a list; `name` is the argument's, for the error.

    >>> words("-Xint '-Dname=two words'")
    ('-Xint', '-Dname=two words')
    >>> words([600, "slow"])
    ('600', 'slow')

    Raises:
        BadInput: neither a line nor a list, a quote that does not close, or a character that no command line can hold.
    """
    if not isinstance(value, str | Iterable) or isinstance(value, bytes):
        raise BadInput(f'{name}={value!r} is neither a line of words nor a list of them. Give "" for none.')
    try:
        split_words = tuple(shlex.split(value)) if isinstance(value, str) else tuple(str(word) for word in value)
    except ValueError as cause:
        raise BadInput(
            f"{name}={value!r}: {str(cause).lower()}. Close the quote, or put a backslash before it."
        ) from cause
    if any("\0" in word for word in split_words):
        raise BadInput(f"{name}={value!r} holds a NUL character, which no command line can.")
    return split_words


def _is_number(args: Words) -> bool:
    return isinstance(args, int | float) and not isinstance(args, bool)


def _demand_text(**arguments: object) -> None:
    for name, value in arguments.items():
        if not isinstance(value, str) or not value or "\0" in value:
            raise BadInput(f"{name}={value!r} is no name. {EXAMPLES[name]}")


EXAMPLES = {
    "sample": 'Give "topic/Name", such as "hang/KillerTask", or the path of a .java file as text.',
    "compiler": 'Give "javac", "javac-17", "ecj" or "ecj-4.6.1".',
    "gc": 'Give one collector, such as "Serial", "Parallel" or "G1"; for several of them there is lab.sweep.',
}


def _coordinates(jars: Iterable[str]) -> tuple[str, ...]:
    if isinstance(jars, str) or not isinstance(jars, Iterable):
        raise BadInput(
            f'jars={jars!r} is no list. Give a list of Maven coordinates: ["org.jctools:jctools-core:4.0.5"].'
        )
    coordinates = tuple(str(jar) for jar in jars)
    for coordinate in coordinates:
        if coordinate.count(":") < 2:
            raise BadInput(f'jars={coordinate!r} is no Maven coordinate. Write "group:artifact:version".')
    return coordinates


def _count(repeat: object) -> int:
    return _whole(repeat, 0, f"repeat={repeat!r} is no number of a repetition: 0, 1, 2, ...")


def _cores(cores: object) -> int:
    complaint = f"cores={cores!r} is no number of cores: 1, 2, ...; None leaves the JVM all of them."
    return 0 if cores is None else _whole(cores, 1, complaint)


def _whole(value: object, least: int, complaint: str) -> int:
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise BadInput(complaint)
    return int(value)
