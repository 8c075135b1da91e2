"""Any command line -> Target: the JDK that it starts, and how our flags get in without touching a word of its own.

java -cp app.jar Main      flags go in front of the user's own: of two that disagree the VM obeys the later one
javac, javadoc, ...        the JDK's tools hand a flag to their own JVM as -Jflag; jshell has -Rflag as well, for
                           the JVM in which the user's code runs
mvn test, ./run.sh         may start any number of JVMs, of a JDK that we can only guess: only environment variables
                           reach them, JDK_JAVA_OPTIONS (9 and later) or JAVA_TOOL_OPTIONS (8)
"""

import os
import re
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from safepointlab import jdks
from safepointlab.errors import FlagRejected, JdkNotFound, LabError, ToolMissing
from safepointlab.jdks import Jdk, probe
from safepointlab.jdks.flags import quoted
from safepointlab.process import shell
from safepointlab.run import request

LAUNCHERS = ("java", "javaw")
ATTACHING = ("jhsdb", "jcmd", "jps", "jstack")  # tools about another JVM: their own is not what the user asks about
TOOL_PREFIX = {"jshell": "-R"}  # its own JVM only reads the input; the user's code runs in a second one
SILENCING = re.compile(r"-Xlog:disable\b")
TTY_FLAGS = re.compile(r"-verbose(:\w+)?|-XX:\+(Print\w+|TraceClass\w+)")


@dataclass(frozen=True)
class Target:
    """The command to observe. `kind` is "java" (the launcher), "tool" (another of the JDK's programs) or "script"."""

    words: tuple[str, ...]
    kind: str
    jdk: Jdk
    notes: tuple[str, ...] = ()  # how our flags could disturb, a sentence each

    @property
    def gc(self) -> str:
        """The collector that it runs with: the last one among its flags, else the JDK's choice on this machine."""
        chosen = [match[1] for word in self.words if (match := re.fullmatch(r"(?:-J|-R)?-XX:\+Use(\w+)GC", word))]
        return chosen[-1] if chosen else self.jdk.collector

    @property
    def variable(self) -> str:
        """The variable that passes flags to JVMs: only `java` of 9 and later reads JDK_JAVA_OPTIONS."""
        return "JDK_JAVA_OPTIONS" if self.jdk.major >= 9 else "JAVA_TOOL_OPTIONS"

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
        return {self.variable: " ".join(filter(None, [os.environ.get(self.variable, ""), *map(quoted, flags)]))}


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
        found = Target(line, "java", jdk_of(program))
    elif jdk := _jdk_of_tool(Path(program)):
        found = Target(line, "tool", jdk)
    else:
        found = Target(line, "script", _likely_jdk())
    return replace(found, notes=tuple(_notes(found)))


def _notes(found: Target) -> Iterable[str]:
    """That a script's JVMs are guessed, and which of the user's own flags disagree with ours."""
    if found.kind == "script":
        yield (
            f"{found.words[0]} is not a java launcher: the flags go to every JVM it starts, by {found.variable}, and "
            f"are those of {found.jdk.label} (JAVA_HOME or PATH). Each JVM says on stderr that it picked them up. "
            "If one refuses to start, or if nothing is reported, give the java command itself."
        )
    if silencing := [word for word in found.words if SILENCING.search(word)]:
        yield f"your {silencing[0]} comes after our own -Xlog and switches it off: no stop will be seen."
    printing = [word for word in found.words if TTY_FLAGS.fullmatch(word)]
    if found.jdk.major < 17 and printing:
        yield f"what {printing[0]} makes the VM itself print goes to its log; --keep keeps that file."


def expanded(word: str) -> str:
    """The word with ~ expanded, otherwise unchanged: Path("./run.sh") would be "run.sh", to be looked up on PATH."""
    return str(Path(word).expanduser()) if word.startswith("~") else word


def jdk_of(launcher: str) -> Jdk:
    """The JDK behind a launcher; if the file is a script that chooses one (jenv, asdf), its java reports its home."""
    try:
        return jdks.get(str(Path(launcher).absolute()))
    except JdkNotFound as unknown:
        try:
            text = shell.output_of([launcher, "-XshowSettings:properties", "-version"])
        except LabError as error:
            raise unknown from error
        properties = dict(probe.PROPERTY_LINE.findall(text))
        if "java.home" not in properties:
            raise
        return jdks.get(str(Path(properties["java.home"]) / "bin" / "java"))


def _jdk_of_tool(program: Path) -> Jdk | None:
    """The JDK whose tool this is, if there is a `java` beside the real file."""
    beside = program.resolve().parent / "java"
    if program.name in ATTACHING or not beside.is_file():
        return None
    try:
        return jdks.get(str(beside))
    except JdkNotFound:
        return None


def _likely_jdk() -> Jdk:
    """The JDK that a script will most likely start: JAVA_HOME's, else that of `java` on PATH."""
    folder = os.environ.get("JAVA_HOME")
    launcher = str(Path(folder) / "bin" / "java") if folder else shutil.which("java")
    if not launcher:
        raise JdkNotFound(
            "no JDK that a script could start: JAVA_HOME is not set, and there is no java on PATH. Set JAVA_HOME."
        )
    return jdk_of(launcher)


def classpath_of(words: Sequence[str], environment_classpath: str = "") -> list[str]:
    """The class path of a java command line: -cp, or -jar and the jar's own Class-Path, or CLASSPATH."""
    if "-jar" in words[:-1]:
        jar = Path(words[words.index("-jar") + 1])
        try:
            with ZipFile(jar) as archive:
                text = archive.read("META-INF/MANIFEST.MF").decode("utf-8", "replace")
        except (OSError, KeyError, BadZipFile):
            text = ""
        own = re.search(r"^Class-Path: *(.*)$", text.replace("\r", "").replace("\n ", ""), re.MULTILINE)
        return [str(jar), *(str(jar.parent / part) for part in (own[1].split() if own else []))]
    options = ("-cp", "-classpath", "--class-path")
    paths = [value for option, value in zip(words, words[1:], strict=False) if option in options]
    paths += [word.partition("=")[2] for word in words if word.startswith("--class-path=")]
    return [part for part in (paths[-1] if paths else environment_classpath or ".").split(":") if part]
