"""Anyone's command line -> Target: which JDK it starts, and how flags of ours get into it without touching its own.

    java -cp app.jar Main      flags go in front of the user's own: of two that disagree the VM obeys the later one
    javac, javadoc, ...        the JDK's tools hand a flag to their own JVM as -Jflag; jshell has -Rflag as well, for
                               the JVM in which the user's code runs
    mvn test, ./run.sh         may start any number of JVMs, of a JDK that we can only guess: only environment variables
                               reach them, JDK_JAVA_OPTIONS (9 and later) or JAVA_TOOL_OPTIONS (8)

The user's own words are not changed, and a note says how our flags could disturb.
"""

import os
import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from safepointlab import jdks
from safepointlab.errors import FlagRejected, JdkNotFound, LabError, ToolMissing
from safepointlab.jdks import Jdk, probe
from safepointlab.jdks.flags import quoted
from safepointlab.process import shell
from safepointlab.run import request

LAUNCHERS = ("java", "javaw")
TOOL_PREFIX = {"jshell": "-R"}  # its own JVM only reads the input; the user's code runs in a second one
SILENCING = re.compile(r"-Xlog:disable\b")
TTY_FLAGS = re.compile(r"-verbose(:\w+)?|-XX:\+(Print\w+|TraceClass\w+)")


@dataclass(frozen=True)
class Target:
    """The command to observe. `kind` is "java" (the launcher), "tool" (another of the JDK's programs) or "script"."""

    words: tuple[str, ...]
    kind: str
    jdk: Jdk
    notes: tuple[str, ...] = field(default=())

    @property
    def gc(self) -> str:
        """The collector that it runs with: the last one among its flags, else the JDK's choice on this machine."""
        chosen = [match[1] for word in self.words if (match := re.fullmatch(r"(?:-J|-R)?-XX:\+Use(\w+)GC", word))]
        return chosen[-1] if chosen else self.jdk.collector

    def command(self, flags: Sequence[str]) -> list[str]:
        """The command's words with our flags in front of its own."""
        if self.kind == "script":
            return list(self.words)
        prefix = "" if self.kind == "java" else TOOL_PREFIX.get(Path(self.words[0]).name, "-J")
        return [self.words[0], *(prefix + flag for flag in flags), *self.words[1:]]

    def environment(self, flags: Sequence[str]) -> dict[str, str]:
        """The environment variables that the child needs: none, unless it is a script."""
        if self.kind != "script":
            return {}
        name = variable(self.jdk)
        return {name: " ".join(filter(None, [os.environ.get(name, ""), *map(quoted, flags)]))}


def target(words: str | Iterable[object]) -> Target:
    """The JDK and the kind of program that a command line starts.

    Raises:
        ToolMissing: no such program. JdkNotFound: no JDK, or not a HotSpot one. FlagRejected: an empty line.
        BadInput: a quote that does not close.
    """
    line = request.words(words, "command")
    if not line:
        raise FlagRejected("no command. Write it behind --: safepoint late -- java -cp app.jar Main")
    program = shutil.which(expanded(line[0]))
    if not program:
        raise ToolMissing(f"no program {line[0]!r}. Looked on PATH. Write its whole path, as you would in a shell.")
    line = (program if line[0].startswith("~") else line[0], *line[1:])
    if Path(program).name in LAUNCHERS:
        return _checked(Target(line, "java", jdk_of(program)))
    if jdk := _tool_of(Path(program)):
        return _checked(Target(line, "tool", jdk))
    jdk = _likely()
    return _checked(Target(line, "script", jdk, (_script_note(line[0], jdk),)))


def expanded(word: str) -> str:
    """The word with ~ expanded, otherwise unchanged: Path("./run.sh") would be "run.sh", to be looked up on PATH."""
    return str(Path(word).expanduser()) if word.startswith("~") else word


def jdk_of(launcher: str) -> Jdk:
    """The JDK behind a launcher; if the file is a script that chooses one (jenv, asdf), its java reports its home."""
    try:
        return jdks.get(str(Path(launcher).absolute()))
    except JdkNotFound as unknown:
        try:
            properties = dict(
                probe.PROPERTY_LINE.findall(shell.output_of([launcher, "-XshowSettings:properties", "-version"]))
            )
        except LabError as error:
            raise unknown from error
        if "java.home" not in properties:
            raise
        return jdks.get(str(Path(properties["java.home"]) / "bin" / "java"))


def variable(jdk: Jdk) -> str:
    """The variable that passes flags to JVMs: only `java` reads JDK_JAVA_OPTIONS; 8 knows only JAVA_TOOL_OPTIONS."""
    return "JDK_JAVA_OPTIONS" if jdk.major >= 9 else "JAVA_TOOL_OPTIONS"


def _tool_of(program: Path) -> Jdk | None:
    """The JDK whose tool this is, if there is a `java` beside the real file."""
    beside = program.resolve().parent / "java"
    if program.name not in ("jhsdb", "jcmd", "jps", "jstack") and beside.is_file():
        try:
            return jdks.get(str(beside))
        except JdkNotFound:
            return None
    return None


def _likely() -> Jdk:
    """The JDK that a script will most likely start: JAVA_HOME's, else that of `java` on PATH."""
    folder: str | None = os.environ.get("JAVA_HOME")
    launcher = str(Path(folder) / "bin" / "java") if folder else shutil.which("java")
    if not launcher:
        raise JdkNotFound(
            "no JDK that a script could start: JAVA_HOME is not set, and there is no java on PATH. Set JAVA_HOME."
        )
    return jdk_of(launcher)


def _script_note(name: str, jdk: Jdk) -> str:
    return (
        f"{name} is not a java launcher: the flags go to every JVM it starts, by {variable(jdk)}, and are those of "
        f"{jdk.label} (JAVA_HOME or PATH). Each JVM says on stderr that it picked them up. If one refuses to start, "
        "or if nothing is reported, give the java command itself."
    )


def _checked(subject: Target) -> Target:
    """The target with notes about those of the user's own flags that disagree with ours."""
    notes = list(subject.notes)
    if silencing := [word for word in subject.words if SILENCING.search(word)]:
        notes.append(f"your {silencing[0]} comes after our own -Xlog and switches it off: no stop will be seen.")
    printing = [word for word in subject.words if TTY_FLAGS.fullmatch(word)]
    if subject.jdk.major < 17 and printing:
        notes.append(f"what {printing[0]} makes the VM itself print goes to its log; --keep keeps that file.")
    return Target(subject.words, subject.kind, subject.jdk, tuple(notes))


def merged(environment: Mapping[str, str]) -> dict[str, str]:
    """This process's environment, with these variables added."""
    return {**os.environ, **environment}


def classpath_of(words: Sequence[str], environment_classpath: str = "") -> list[str]:
    """The class path of a java command line: -cp, or -jar and the jar's own Class-Path, or CLASSPATH."""
    class_paths = [
        value
        for option, value in zip(words, words[1:], strict=False)
        if option in ("-cp", "-classpath", "--class-path")
    ]
    class_paths += [word.partition("=")[2] for word in words if word.startswith("--class-path=")]
    if "-jar" in words[:-1]:
        jar = Path(words[words.index("-jar") + 1])
        return [str(jar), *_manifest_class_path(jar)]
    return [part for part in (class_paths[-1] if class_paths else environment_classpath or ".").split(":") if part]


def _manifest_class_path(jar: Path) -> list[str]:
    try:
        with ZipFile(jar) as archive:
            manifest = (
                archive.read("META-INF/MANIFEST.MF").decode("utf-8", "replace").replace("\r", "").replace("\n ", "")
            )
    except (OSError, KeyError, BadZipFile):
        return []
    match = re.search(r"^Class-Path: *(.*)$", manifest, re.MULTILINE)
    return [str(jar.parent / part) for part in (match[1].split() if match else [])]
