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
EXAMPLES = {
    "sample": 'Give "topic/Name", such as "hang/KillerTask", or the path of a .java file as text.',
    "compiler": 'Give "javac", "javac-17", "ecj" or "ecj-4.6.1".',
    "gc": 'Give one collector, such as "Serial", "Parallel" or "G1"; for several of them there is lab.sweep.',
}


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
    aot: tuple[str, ...] = ()  # the training run whose AOT cache it uses: the JVM's flags, then the program's arguments

    @property
    def key(self) -> str:
        """The first part of the folder's name: the sample, and a digest of the whole request."""
        text = home.neutral(json.dumps(self.to_dict(), sort_keys=True))
        return f"{Path(self.sample).stem}-{hashlib.sha256(text.encode()).hexdigest()[:12]}"

    def __str__(self) -> str:
        """The request in one line, for people."""
        words = [self.sample, f"JDK {self.jdk}", self.compiler, self.gc, *self.flags, *self.args]
        words += [f"on {self.cores} of the cores"] if self.cores else []
        return " ".join(filter(None, [*words, f"after training with {' '.join(self.aot)}" if self.aot else ""]))

    def to_dict(self) -> dict[str, Any]:
        """The request as a record keeps it; without `cores` and `aot` if not given, as records from before these."""
        record = {**vars(self), "log": [str(log) for log in self.log]}
        return {name: value for name, value in record.items() if value or name not in ("cores", "aot")}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> "Request":
        """The inverse of to_dict; an older record may lack fields that were added later."""
        known = {field.name: record[field.name] for field in fields(cls) if field.name in record}
        lists = {name: tuple(value) for name, value in known.items() if isinstance(value, list)}
        words = [str(word).partition("=") for word in record.get("log", ())]
        recorded_logs = tuple(LogRequest(kind, argument) for kind, _, argument in words)
        return cls(**{"sample": "?", **known, **lists, "log": recorded_logs})


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
    aot: Words = "",
) -> Request:
    """A request from what people type.

    Raises:
        SampleNotFound: no such sample.
        FlagRejected: no such kind of log.
        BadInput: an argument of another kind than described, or a line whose quotes do not close.
    """
    named = {"sample": sample, "compiler": compiler} | ({} if gc is None else {"gc": gc})
    for name, value in named.items():
        if not isinstance(value, str) or not value or "\0" in value:
            raise BadInput(f"{name} must be a name, got {value!r}. {EXAMPLES[name]}")
    if isinstance(jars, str) or not isinstance(jars, Iterable):
        example = '["org.jctools:jctools-core:4.0.5"]'
        raise BadInput(f"jars must be a list of Maven coordinates (e.g. {example}), got {jars!r}")
    coordinates = tuple(map(str, jars))
    if wrong := [jar for jar in coordinates if jar.count(":") < 2]:
        raise BadInput(f'jars must be Maven coordinates "group:artifact:version", got {wrong[0]!r}')
    source = build.find_sample(sample)
    is_number = isinstance(args, int | float) and not isinstance(args, bool)
    return Request(
        sample=build.sample_name(source),
        source_digest=hashlib.sha256(source.read_bytes()).hexdigest()[:12],
        jdk=str(getattr(jdk, "home", jdk)),
        compiler=compiler,
        gc=gc or "",
        flags=words(flags, "flags"),
        args=words([args] if is_number else args, "args"),
        log=logs.requested(words(log, "log")),
        jars=coordinates,
        repeat=whole("repeat", repeat, 0),
        cores=0 if cores is None else whole("cores", cores, 1),
        aot=words(aot, "aot"),
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
        raise BadInput(f'{name} must be a line of words or a list of them ("" for none), got {value!r}')
    try:
        split_words = tuple(shlex.split(value)) if isinstance(value, str) else tuple(map(str, value))
    except ValueError as cause:
        advice = "Close the quote, or put a backslash before it."
        raise BadInput(f"{name}={value!r}: {str(cause).lower()}. {advice}") from cause
    if any("\0" in word for word in split_words):
        raise BadInput(f"{name}={value!r} holds a NUL character, which no command line can.")
    return split_words


def whole(name: str, value: object, least: int) -> int:
    """A whole number that a reader typed as the argument `name`.

    Raises:
        BadInput: it is not one, or smaller than `least`.
    """
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise BadInput(f"{name} must be an integer >= {least}, got {value!r}")
    return int(value)


def recipe(request: Request, deadline: float, benchmark: bool = False) -> str:
    """The command line that records a request: `safepoint run`, `safepoint bench`, or Python where these cannot.

    >>> recipe(Request("hang/KillerTask", jdk="17", compiler="javac", gc="Serial", args=("600",)), 5)
    'safepoint run hang/KillerTask --jdk 17 --gc Serial --args 600 --deadline 5'
    """
    what = f"^{request.sample}$" if benchmark else request.sample
    args, log = shlex.join(request.args), " ".join(map(str, request.log))
    flags = shlex.join(request.flags)
    if request.jars or request.cores or request.repeat or request.aot or (benchmark and log):
        settings = {"jdk": request.jdk, "gc": request.gc, "flags": flags, "cores": request.cores, "log": log}
        if benchmark:
            settings |= {"options": args, "repeat": request.repeat + 1, "deadline": deadline}
        else:
            settings |= {"compiler": request.compiler, "args": args, "jars": list(request.jars)}
            settings |= {"aot": shlex.join(request.aot), "repeat": request.repeat, "deadline": deadline}
        given = "".join(f", {name}={value!r}" for name, value in settings.items() if value)
        function = "jmh" if benchmark else "java"
        return shlex.join(["python", "-c", f"import safepointlab as lab; lab.{function}({what!r}{given})"])
    options = {"--jdk": request.jdk, "--gc": request.gc}
    if not benchmark and request.compiler != "javac":
        options["--compiler"] = request.compiler
    options |= {"--flags": flags, "--options" if benchmark else "--args": args, "--log": log}
    program = ["safepoint", "bench" if benchmark else "run", what]
    given_words = [word for option, value in options.items() if value for word in (option, value)]
    return shlex.join([*program, *given_words, "--deadline", f"{deadline:g}"])
