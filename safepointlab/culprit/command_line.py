"""Any command line -> Target: the JDK that it starts, and how our flags get in without touching a word of its own.

java -cp app.jar Main      flags go in front of the user's own: of two that disagree the VM obeys the later one
javac, javadoc, ...        the JDK's tools hand a flag to their own JVM as -Jflag; jshell has -Rflag as well, for
                           the JVM in which the user's code runs
taskset -c 0 java ...      a program that runs the rest of its words: the same, behind the `java` there
mvn test, ./run.sh, sh -c  may start any number of JVMs, of a JDK that we can only guess: only environment variables
                           reach them, JDK_JAVA_OPTIONS (9 and later) or JAVA_TOOL_OPTIONS (8)
"""

import os
import re
import shlex
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from safepointlab import jdks
from safepointlab.errors import FlagRejected, JdkNotFound, LabError, ToolMissing
from safepointlab.jdks import Jdk, probe
from safepointlab.jdks.flags import quoted
from safepointlab.process import shell
from safepointlab.process.files import bounded_text
from safepointlab.run import request

LAUNCHERS = ("java", "javaw")
ATTACHING = ("jhsdb", "jcmd", "jps", "jstack")  # tools about another JVM: their own is not what the user asks about
TOOL_PREFIX = {"jshell": "-R"}  # its own JVM only reads the input; the user's code runs in a second one
LAUNCHER_CODE, LAUNCHER_BYTES = b"JLI_Launch", 1_000_000  # each tool of a JDK calls it, and is some 20 KB long
RUN_THE_REST = (  # programs that do nothing but set something and run the words behind it, in the same place
    "env", "nice", "ionice", "chrt", "taskset", "numactl", "timeout", "setsid", "nohup", "stdbuf", "time", "sudo",
    "setarch", "setpriv", "prlimit", "catchsegv", "strace", "ltrace", "perf", "faketime", "unbuffer", "doas", "gosu",
)  # fmt: skip
SETTING = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
SILENCING = re.compile(r"-Xlog:disable\b")
TTY_FLAGS = re.compile(r"-verbose(:\w+)?|-XX:\+(Print\w+|TraceClass\w+)")
COLLECTOR = re.compile(rf"-XX:\+Use({'|'.join(probe.COLLECTORS)})(?:Old)?GC\b")
SCRIPT_BYTES = 200_000
COMMENT = re.compile(r"^\s*#.*$", re.MULTILINE)
ASSIGNED = re.compile(r"(?:^|[;&|\s])([A-Za-z_]\w*)=([^\s;&|]+)", re.MULTILINE)
JAVA_IN_TEXT = re.compile(r"(?<![^\s`=;&|(])((?:[^\s`=;&|()]*/)?java)(?![^\s`;&|)])")
VARIABLE = re.compile(r"\$(?:\{(\w+)(?::?-([^}]*))?\}|(\w+))")  # $JAVA_HOME, ${JAVA_HOME:-/opt/jdk}


@dataclass(frozen=True)
class Target:
    """The command to observe. `kind` is "java" (the launcher), "tool" (another of the JDK's programs) or "script".

    `at` is the place of the launcher or tool among the words: 0, or behind a program such as taskset.
    """

    words: tuple[str, ...]
    kind: str
    jdk: Jdk
    notes: tuple[str, ...] = ()  # how our flags could disturb, a sentence each
    at: int = 0
    named_by: str = ""  # what names the JDK of a script, as the end of a sentence: "JAVA_HOME names"

    @property
    def gc(self) -> str:
        """The collector that it runs with: the last one among its flags, else the JDK's choice on this machine."""
        chosen = COLLECTOR.findall(" ".join(self.words))
        return chosen[-1] if chosen else self.jdk.collector

    @property
    def variable(self) -> str:
        """The variable that passes flags to JVMs: only `java` of 9 and later reads JDK_JAVA_OPTIONS."""
        return "JDK_JAVA_OPTIONS" if self.jdk.major >= 9 else "JAVA_TOOL_OPTIONS"

    @property
    def settings(self) -> dict[str, str]:
        """The variables that the command itself sets in front of its program, as `env` does."""
        words = self.words[: self.at] if self.kind != "script" else self.words
        return dict(match.groups() for word in words if (match := SETTING.fullmatch(word)))  # type: ignore[misc]

    @property
    def classpath(self) -> list[str]:
        environment = {**os.environ, **self.settings}.get("CLASSPATH", "")
        return classpath_of(self.words[self.at :], environment)

    def command(self, flags: Sequence[str]) -> list[str]:
        if self.kind == "script":  # where it sets the variable itself, that is what its JVM gets
            own = f"{self.variable}="
            return [f"{word} {self._joined(flags)}" if word.startswith(own) else word for word in self.words]
        program = self.words[self.at]
        prefix = "" if self.kind == "java" else TOOL_PREFIX.get(Path(program).name, "-J")
        return [*self.words[: self.at + 1], *(prefix + flag for flag in flags), *self.words[self.at + 1 :]]

    def environment(self, flags: Sequence[str]) -> dict[str, str]:
        """The environment variables that the child needs: none, unless it is a script."""
        if self.kind != "script":
            return {}
        return {self.variable: " ".join(filter(None, [os.environ.get(self.variable, ""), self._joined(flags)]))}

    @staticmethod
    def _joined(flags: Sequence[str]) -> str:
        return " ".join(map(quoted, flags))


def target(words: str | Iterable[object], folder: Path | None = None) -> Target:
    """The JDK and the kind of program that a command line starts; `folder` is where it will run, by default here.

    Raises:
        ToolMissing: no such program. JdkNotFound: no JDK, or not a HotSpot one. FlagRejected: an empty line.
        BadInput: a quote that does not close.
    """
    line, here = _without_shell_words(request.words(words, "command")), folder or Path.cwd()
    if not line:
        raise FlagRejected("no command. Write it behind --: safepoint late -- java -cp app.jar Main")
    program = find_program(line[0], here)
    if not program:
        raise ToolMissing(f"no program {line[0]!r}. Looked on PATH. Write its whole path, as you would in a shell.")
    line = (str(program) if line[0].startswith("~") else line[0], *line[1:])
    found = _behind_others(line, here)
    if not found:
        jdk, named_by = _likely_jdk(line, here)
        found = Target(line, "script", jdk, named_by=named_by)
    later = [*with_argfiles(line, here), *os.environ.get("_JAVA_OPTIONS", "").split()]  # a JVM obeys them after ours
    return replace(found, notes=tuple(_notes(found, later)))


def _without_shell_words(line: tuple[str, ...]) -> tuple[str, ...]:
    """The line without what only a shell understands in front of a command: `exec`, and NAME=value, which env sets."""
    while line[:1] == ("exec",):
        line = line[1:]
    return ("env", *line) if line and SETTING.fullmatch(line[0]) else line


def find_program(word: str, folder: Path, path: str | None = None) -> Path | None:
    """The program that a word names: looked up on PATH, or a path from the folder where the command runs."""
    name = expanded(word)
    found = shutil.which(str(folder / name) if "/" in name else name, path=path)
    return Path(found) if found else None


def _behind_others(line: tuple[str, ...], folder: Path) -> Target | None:
    """The launcher, or another tool of a JDK, that the line starts: at once, or by programs that run what follows."""
    path = None
    for place, word in enumerate(line):
        if setting := SETTING.fullmatch(word):
            path = setting[2] if setting[1] == "PATH" else path
            continue
        program = find_program(word, folder, path)
        if not program:
            continue  # an option, or its value
        real = program.resolve()
        if _is_launcher(program):
            following = line[place + 1] if place + 1 < len(line) else ""
            if (second := find_program(following, folder, path)) and _is_launcher(second):
                continue  # sudo -u java java ...
            return Target(line, "java", jdk_of(program), at=place)
        if program.name not in ATTACHING and _is_jdk_tool(real):
            return Target(line, "tool", jdks.get(str(real.parent / "java")), at=place)
        if program.name not in RUN_THE_REST:
            return None
    return None


def _is_launcher(program: Path) -> bool:
    return bool({program.name, program.resolve().name} & set(LAUNCHERS))


def _is_jdk_tool(program: Path) -> bool:
    """Whether it is one of a JDK's own tools: on Debian there is a `java` next to each program of /usr/bin."""
    with suppress(OSError):
        return program.stat().st_size < LAUNCHER_BYTES and LAUNCHER_CODE in program.read_bytes()
    return False


def with_argfiles(words: Iterable[str], folder: Path) -> Iterator[str]:
    """The words with those of @argfiles in their places, which the launcher of 9 and later reads."""
    for word in words:
        text = ""
        if word.startswith("@"):
            with suppress(OSError):
                text = bounded_text(folder / word[1:], SCRIPT_BYTES)
        try:
            yield from shlex.split(text, comments=True) if text else [word]
        except ValueError:  # a quote that does not close
            yield word


def _notes(found: Target, obeyed: Iterable[str]) -> Iterator[str]:
    """That a script's JVMs are guessed, and which of the user's own flags disagree with ours."""
    if found.kind == "script":
        yield (
            f"{found.words[0]} is not a java launcher: the flags go to every JVM it starts, by {found.variable}, and "
            f"are those of {found.jdk.label}, which {found.named_by}. Each JVM says on stderr that it "
            "picked them up. If one refuses to start, or if nothing is reported, give the java command itself."
        )
    words = list(obeyed)
    if silencing := [word for word in words if SILENCING.search(word)]:
        yield f"your {silencing[0]} comes after our own -Xlog and switches it off: no stop will be seen."
    printing = [word for word in words if TTY_FLAGS.fullmatch(word)]
    if found.jdk.major < 17 and printing:
        yield f"what {printing[0]} makes the VM itself print goes to its log; --keep keeps that file."


def expanded(word: str) -> str:
    """The word with ~ expanded, otherwise unchanged: Path("./run.sh") would be "run.sh", to be looked up on PATH."""
    return str(Path(word).expanduser()) if word.startswith("~") else word


def jdk_of(launcher: str | Path) -> Jdk:
    """The JDK behind a launcher; if the file is a script that chooses one (jenv, asdf), its java reports its home."""
    try:
        return jdks.get(str(Path(launcher).absolute()))
    except JdkNotFound as unknown:
        try:
            text = shell.output_of([str(launcher), "-XshowSettings:properties", "-version"])
        except LabError as error:
            raise unknown from error
        properties = dict(probe.PROPERTY_LINE.findall(text))
        if "java.home" not in properties:
            raise
        return jdks.get(str(Path(properties["java.home"]) / "bin" / "java"))


def _likely_jdk(line: Sequence[str], folder: Path) -> tuple[Jdk, str]:
    """The JDK that a script will most likely start, and what names it: its words or text, JAVA_HOME, or PATH."""
    for launcher, named_by in _launchers(line, folder):
        with suppress(LabError):
            return jdk_of(launcher), named_by
    raise JdkNotFound(
        f"no JDK that {line[0]} could start: it names none, JAVA_HOME is not set, and there is no java on PATH. "
        "Set JAVA_HOME."
    )


def _launchers(line: Sequence[str], folder: Path) -> Iterator[tuple[Path, str]]:
    """Each java that a command's words or its scripts' text name, the likeliest first, and what names it."""
    text = COMMENT.sub("", re.sub("[\"']", "", "\n".join([*_texts(line, folder), *line])))
    assigned = {name: _with_values(value, os.environ) for name, value in ASSIGNED.findall(text)}
    environment = {**os.environ, **assigned}
    named = dict.fromkeys(_with_values(word, environment) for word in JAVA_IN_TEXT.findall(text))
    on_path, home = find_program("java", folder, environment.get("PATH")), environment.get("JAVA_HOME")
    java_home = find_program(f"{home}/bin/java", folder) if home else None
    by_name = "java" in named and "JAVA_HOME" not in text
    by_path = [find_program(word, folder) for word in named if "/" in word]
    for launcher in [*by_path, *([on_path, java_home] if by_name else [java_home, on_path])]:
        if launcher:
            elsewhere = "is first on PATH" if launcher == on_path else "the command itself names"
            yield launcher, "JAVA_HOME names" if launcher == java_home else elsewhere


def _texts(line: Sequence[str], folder: Path) -> Iterator[str]:
    """The text of each script among the words: `./run.sh`, `bash run.sh`."""
    for word in line:
        with suppress(OSError):  # such as a name that is too long for a file
            text = bounded_text((find_program(word, folder) or folder / word).resolve(), SCRIPT_BYTES)
            if "\0" not in text:
                yield text


def _with_values(text: str, environment: Mapping[str, str]) -> str:
    """The text with $NAME and ${NAME} replaced; a variable that is not set is empty, as in a shell."""
    return VARIABLE.sub(lambda match: environment.get(match[1] or match[3]) or match[2] or "", text)


def classpath_of(words: Sequence[str], environment_classpath: str = "") -> list[str]:
    """The class path of a java command line: -cp, or -jar and the jar's own Class-Path, or CLASSPATH."""
    if "-jar" in words[:-1]:
        return with_manifests([words[words.index("-jar") + 1]])
    options = ("-cp", "-classpath", "--class-path")
    paths = [value for option, value in zip(words, words[1:], strict=False) if option in options]
    paths += [word.partition("=")[2] for word in words if word.startswith("--class-path=")]
    return [part for part in (paths[-1] if paths else environment_classpath or ".").split(":") if part]


def with_manifests(parts: Iterable[str]) -> list[str]:
    """The parts of a class path, `lib/*` as its jars, and behind a jar those that its manifest's Class-Path names."""
    found = []
    jars = (sorted(Path(part[:-1]).glob("*.[jJ][aA][rR]")) if part.endswith("/*") else [part] for part in parts)
    for part in map(str, chain.from_iterable(jars)):
        found.append(part)
        try:
            with ZipFile(part) as archive:
                text = archive.read("META-INF/MANIFEST.MF").decode("utf-8", "replace")
        except (OSError, KeyError, BadZipFile):
            continue
        own = re.search(r"^Class-Path: *(.*)$", text.replace("\r", "").replace("\n ", ""), re.MULTILINE)
        found += [str(Path(part).parent / other) for other in (own[1].split() if own else [])]
    return found
