"""A Java source, a compiler and a JDK -> Program: its class files, compiled once per source, compiler and language.

The course's samples are Java 8, so that the same class files run on every JDK; the head of a sample can say otherwise
(LANGUAGE). A source from elsewhere has the language of the JDK that it runs on. What opens more than that to the JVM
opens it to the compiler, too: --enable-preview, --add-modules, --add-exports.
"""

import contextlib
import difflib
import hashlib
import itertools
import re
import secrets
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safepointlab import jdks
from safepointlab.errors import (
    BadInput,
    CompileFailed,
    FlagRejected,
    JdkNotFound,
    RunFailed,
    SampleNotFound,
    StorageFailed,
)
from safepointlab.jdks import Jdk, jars
from safepointlab.process import home, recording, shell
from safepointlab.run import head

ECJ = {  # version -> its coordinate, and the JDKs that can run it
    "4.6.1": ("org.eclipse.jdt.core.compiler:ecj:4.6.1", range(8, 9)),  # 2016, the posts' compiler; cannot read modules
    "3.46.0": ("org.eclipse.jdt:ecj:3.46.0", range(17, 100)),
}
OTHER_ECJ_JDKS = range(17, 100)
ECJ_NEWEST = 26  # the newest release that ecj 3.46.0 knows
SHARED_OPTIONS = ("--add-modules", "--add-exports")  # of java and javac, as "--option value" and as "--option=value"
# What a compiler says if something must be allowed, or needs a newer JDK, and what to do then.
ADVICE = {
    r"use --enable-preview": "Give the flag --enable-preview ({how}): the compiler gets it, too.",
    r"package (jdk\.incubator\.\w+) (?:is not visible|does not exist)": (
        "Give the flag --add-modules {0} ({how}): the compiler gets it, too."
    ),
    r"use -source (\d+) or higher": "Run it on JDK {0} or newer: your own file is compiled in the language of its JDK.",
}
HOW = '--flags="..." on the command line, flags="..." in Python'
HARNESS = "jmh_generated"  # the package that JMH writes beside a benchmark's own classes
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
PACKAGE = re.compile(r"^\s*package\s+([\w.]+)\s*;", re.MULTILINE)


@dataclass(frozen=True)
class Program:
    """A compiled sample: `name` is "hang/WhenWillItExit", `compiler` "javac 17.0.15" or "ecj 4.6.1"."""

    name: str
    main_class: str
    source: Path
    classes: Path
    compiler: str
    key: str

    def to_dict(self) -> dict[str, str]:
        """The fields as texts, for a record."""
        return {name: str(value) for name, value in vars(self).items()}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> "Program":
        """The program of a record, its source in this checkout; an older record may lack fields."""
        text = {name: str(record.get(name, "")) for name in ("name", "main_class", "compiler", "key")}
        source = home.local(home.neutral(str(record.get("source", ""))))
        return cls(source=Path(source), classes=Path(str(record.get("classes", ""))), **text)

    def javap(self) -> str:
        """The output of javap -c -l -p on the class files, JMH's harness left out, recorded under the program's key."""

        def command() -> list[str]:
            found = self.classes.rglob("*.class")  # which may itself be the harness's folder
            files = sorted(file for file in found if HARNESS not in file.relative_to(self.classes).parts)
            newest = max((jdk for jdk in jdks.find() if jdk.has_javac), key=lambda jdk: jdk.major, default=None)
            return [str(newest.tool("javap") if newest else "javap"), "-c", "-l", "-p", *map(str, files)]

        return shell.output_of(command, key=f"javap-{self.key}")


def find_sample(name: str) -> Path:
    """The source of a sample, by `topic/Name`, by its bare name, or by the path of any .java file.

    Raises:
        SampleNotFound: the message names the closest samples; of a .java file, where it was looked for.
    """
    if name.endswith(".java") and Path(name).expanduser().is_file():
        return Path(name).expanduser().resolve()
    topic, _, stem = name.partition("/")
    with contextlib.suppress(OSError, ValueError):
        # by its full name it is found without a look into the other topics; the case counts on every system
        folder, file = home.SAMPLES / topic, home.SAMPLES / topic / f"{stem}.java"
        if stem and folder in home.SAMPLES.iterdir() and file in folder.iterdir():
            return file
    files = {sample_name(path): path for path in sample_files()}
    matching = {known: path for known, path in files.items() if name in (known, path.stem)}
    if len(matching) == 1:
        return next(iter(matching.values()))
    meant = "" if matching else _java_file_like(name)
    if not matching and name.endswith(".java"):
        stem = name.removesuffix(".java")
        question = f"Did you mean {meant}?" if meant else "Check the spelling."
        advice = f"The sample's name is {stem}." if stem in files else question
        raise SampleNotFound(f"no such file: {name}. Looked from {Path.cwd()}. {advice}")
    if meant:
        advice = f"Did you mean {meant}?"
    elif close := [*matching] or difflib.get_close_matches(name, files, 3, 0.4):
        advice = f"Did you mean: {', '.join(close)}?"
    else:
        topics = ", ".join(dict.fromkeys(known.partition("/")[0] for known in files)) or "none"
        listing = f"ls {home.shown(home.SAMPLES)}/TOPIC"
        advice = f"There are {len(files)} samples, by topic: {topics}. To list those of one: {listing}"
    what = "several samples are called" if matching else "no sample"
    raise SampleNotFound(f"{what} {name!r}. Looked in {home.shown(home.SAMPLES)}. {advice}")


def _java_file_like(name: str) -> str:
    """The path of a .java file that's there, as a user would type it; "" if there is none.

    For a path that ends in .java it's the most similar one of that folder, for any other only that name with .java.
    """
    path = Path(name if name.endswith(".java") else f"{name}.java")
    with contextlib.suppress(OSError, ValueError, RuntimeError):  # too long, with a NUL, or of no user's home
        there = [file.stem for file in path.expanduser().parent.glob("*.java") if file.is_file()]
        for stem in difflib.get_close_matches(path.stem, there, 1, 0.6 if name.endswith(".java") else 1):
            return f"{path.parent}/{stem}.java"
    return ""


def sample_files() -> list[Path]:
    """The sources of all samples, in alphabetical order."""
    return sorted(home.SAMPLES.glob("*/*.java"))


def sample_name(source: Path) -> str:
    """`topic/Name` of a sample; a source from elsewhere is named by its path."""
    own = source.is_relative_to(home.SAMPLES)
    return f"{source.parent.name}/{source.stem}" if own else str(source)


@dataclass(frozen=True)
class Language:
    """What a source is compiled as: the release of Java, and options that allow more, such as --enable-preview."""

    release: int = 8
    options: tuple[str, ...] = ()


def language_of(source: Path, jdk: Jdk, flags: Iterable[str] = ()) -> Language:
    """The language of a source that runs on this JDK with these flags."""
    options, words = list[str](), list(flags)
    for word, following in itertools.pairwise([*words, ""]):
        if word == "--enable-preview" or word.startswith(tuple(f"{option}=" for option in SHARED_OPTIONS)):
            options.append(word)
        elif word in SHARED_OPTIONS:
            options += [word, following]
    if not source.is_relative_to(home.SAMPLES):
        return Language(jdk.major, tuple(options))
    said = head.read(source).parts.get("LANGUAGE", ("8",))[0]
    return Language(int(said.split()[0]), tuple(options))


def javac(
    sample: str, jdk: Jdk | int | str | None = None, classpath: Sequence[Path] = (), language: Language = Language()
) -> Program:
    """Compile with a JDK's javac; for a JRE, which has none, with that of another JDK.

    Raises:
        CompileFailed: with the compiler's own message.
    """
    compiler = jdks.get(jdk) if jdk is not None else any_javac()
    if not compiler.has_javac:
        compiler = any_javac()
    command = [*javac_words(compiler, language), "-g"]
    return _compile(sample, f"javac {compiler.version}", command, classpath, language)


def javac_words(jdk: Jdk, language: Language = Language()) -> list[str]:
    """The first words of a command line that compiles this language with this JDK's javac."""
    if jdk.major == 8:
        level = ["-source", "8", "-target", "8"]
    elif language.release < jdk.major:
        level = ["--release", str(language.release)]
    else:  # its own: --release would hide what --add-exports opens
        level = ["-source", str(jdk.major)]
    return [str(jdk.tool("javac")), *level, *language.options, "-Xlint:-options", "-encoding", "UTF-8"]


def ecj(
    sample: str, version: str | None = None, classpath: Sequence[Path] = (), language: Language = Language()
) -> Program:
    """Compile with the Eclipse compiler, by default the newest pinned one that this machine's JDKs can run.

    It knows the releases up to ECJ_NEWEST, and those whose JDK is here: a newer language is cut to these.

    Raises:
        CompileFailed: with the compiler's own message.
        InstallFailed: this version is not cached and cannot be fetched.
    """
    found = jdks.find()
    if not version:
        majors = {jdk.major for jdk in found}
        version = next((each for each, (_, able) in reversed(ECJ.items()) if majors & set(able)), "4.6.1")
    able = ECJ[version][1] if version in ECJ else OTHER_ECJ_JDKS
    runners = [jdk for jdk in found if jdk.major in able]
    runner = next((jdk for jdk in runners if jdk.major >= language.release), runners[-1] if runners else None)
    if runner is None:
        need = f"JDK {able.start}" + (" or newer" if len(able) > 1 else "")
        raise JdkNotFound(f"ecj {version} runs on {need}. Install it with: safepoint jdks install {able.start}")
    level = ["-8"] if runner.major == 8 else ["--release", str(min(language.release, runner.major, ECJ_NEWEST))]
    compiler = [str(runner.java), "-jar", str(fetch_ecj(version))]
    command = [*compiler, *level, *language.options, "-g", "-nowarn", "-encoding", "UTF-8"]
    return _compile(sample, f"ecj {version}", command, classpath, language)


def compile_with(
    compiler: str, sample: str, jdk: Jdk, classpath: Sequence[Path] = (), flags: Iterable[str] = ()
) -> Program:
    """Compile what is to run on a JDK with these flags.

    Args:
        compiler: "javac" (that JDK's own), "javac-17", "ecj" (newest) or "ecj-4.6.1".

    Raises:
        CompileFailed: with the compiler's own message.
        FlagRejected: the sample's head says that its language is newer than the JDK.
        BadInput: there is no such compiler.
    """
    kind, _, version = compiler.partition("-")
    if kind not in ("javac", "ecj"):
        raise BadInput(f'no compiler {compiler!r}. Give "javac", "javac-17", "ecj" or "ecj-4.6.1".')
    language = language_of(find_sample(sample), jdk, flags)
    if language.release > jdk.major:
        written = f"Java {language.release}, in which {sample} is written"
        raise FlagRejected(f"JDK {jdk.version} does not know {written}. Give JDK {language.release} or a newer one.")
    if kind == "javac":
        return javac(sample, version or jdk, classpath, language)
    return ecj(sample, version or None, classpath, language)


def fetch_ecj(version: str) -> Path:
    """The compiler's jar; from the cache if it was fetched before.

    Raises:
        BadInput: no coordinate is known for such a version.
        InstallFailed: it cannot be fetched.
    """
    if version not in ECJ and not re.fullmatch(r"3\.\d+\.\d+", version):
        raise BadInput(f"no Eclipse compiler {version!r}. Give one of {', '.join(ECJ)}, or any 3.x.y there is.")
    return jars.fetch(ECJ[version][0] if version in ECJ else f"org.eclipse.jdt:ecj:{version}")


def any_javac() -> Jdk:
    """A JDK with javac that can still write class files of level 52: the newest up to JDK 25."""
    able = [jdk for jdk in jdks.find() if jdk.has_javac and jdk.major <= 25]
    if not able:
        raise JdkNotFound("no JDK with a javac. Install one with: safepoint jdks install 17")
    return max(able, key=lambda jdk: jdk.major)


def _compile(
    sample: str, compiler: str, command: Sequence[str], classpath: Sequence[Path], language: Language
) -> Program:
    source = find_sample(sample)
    program = planned(source, compiler, classpath, language)
    if not program.classes.exists() and not recording.replaying():
        path = ["-cp", class_path(classpath)] if classpath else []
        compile_into(program.classes, [*command, *path], [source], compiler)
    return program


def planned(source: Path, compiler: str, classpath: Sequence[Path] = (), language: Language = Language()) -> Program:
    """The program before it is compiled; its folder's name is a digest of source text, compiler and language."""
    more = [] if language == Language() else [str(language.release), *language.options]
    text, words = source.read_bytes(), "\0".join([compiler, *(path.name for path in classpath), *more])
    key = f"{source.stem}-{hashlib.sha256(text + words.encode()).hexdigest()[:12]}"
    package = PACKAGE.search(COMMENT.sub("", text.decode("utf-8", "replace")))
    main_class = f"{package[1]}.{source.stem}" if package else source.stem
    return Program(sample_name(source), main_class, source, home.programs() / key, compiler, key)


def class_path(parts: Iterable[Path]) -> str:
    """A class path in one word.

    Raises:
        StorageFailed: a folder's name has a colon, which separates folders there.
    """
    words = list(map(str, parts))
    if bad := next((word for word in words if ":" in word), None):
        advice = "Point SAFEPOINTLAB_CACHE at a folder without one."
        raise StorageFailed(f"a JVM's class path cannot name {bad}: a colon separates its folders. {advice}")
    return ":".join(words)


def compile_into(folder: Path, command: Sequence[str], sources: Sequence[Path], compiler: str) -> None:
    """Compile beside the final folder and move it there in one step: two labs may do this at once.

    Raises:
        CompileFailed: with the compiler's own message.
    """
    draft = home.ready(home.programs() / f".{folder.name}.{secrets.token_hex(3)}")
    try:
        shell.output_of([*command, "-d", str(draft), *map(str, sources)], deadline=180)
        draft.rename(folder)
    except RunFailed as refusal:
        names = ", ".join(home.shown(source) for source in sources)
        advice = "".join(f"\n{each}" for each in _advice(str(refusal)))
        raise CompileFailed(f"{compiler} refused {names}:\n{refusal}{advice}") from refusal
    except OSError:
        if not folder.exists():  # else another lab was first, with the same classes
            raise
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _advice(refusal: str) -> Iterator[str]:
    """What to do about a compiler's refusal, where it says enough."""
    for pattern, words in ADVICE.items():
        if found := re.search(pattern, refusal):
            yield words.format(*found.groups(), how=HOW)
