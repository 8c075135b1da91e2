"""What the page offers while the reader types: about a program its question, arguments, jars and methods; about flags.

A program is a sample or a Java file of the reader's own, which is begun from a template.
"""

import re
import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from safepointlab import jdks
from safepointlab.errors import BadInput, LabError, StorageFailed
from safepointlab.jdks import Jdk, flag_facts, jars
from safepointlab.jdks.flags import FLAG_WORD
from safepointlab.process import home
from safepointlab.process.files import write_whole
from safepointlab.run import build, head

LIBRARIES = {  # the first words of an import -> the jar that has it
    "org.jctools": "org.jctools:jctools-core:4.0.5",
    "org.agrona": "org.agrona:agrona:1.22.0",
    "org.openjdk.jol": jars.JOL,
    "org.HdrHistogram": "org.hdrhistogram:HdrHistogram:2.2.2",
    "com.sun.jna": "net.java.dev.jna:jna:5.17.0",
    "jnt.scimark2": "gov.nist.math:scimark:2.0",
}
IMPORT = re.compile(r"^\s*import\s+(?:static\s+)?([\w.]+)", re.MULTILINE)
METHOD = re.compile(
    r"^\s*(?:(?:public|protected|private|static|final|synchronized)\s+)*[\w<>\[\], .?]+\s+(\w+)\s*\([^;{]*\)[^;{]*\{",
    re.MULTILINE,
)
NO_METHODS = {"if", "for", "while", "switch", "catch", "else", "return", "new", "synchronized", "try"}
TYPE_NAME = re.compile(r"[A-Za-z_$][\w$]*")
TEMPLATE = Path(__file__).with_name("Template.java")
MOST = 25  # completions offered at once
MOST_LINES = 12  # about flags
SHORTEST = 3  # letters after -XX: from which a flag is looked up: fewer are in every other name


def about(program: str) -> dict[str, Any]:
    """What is known of a program before it runs; all blank for one that is not there.

    Returns:
        path (as a shell takes it; the page opens it in the editor), title, arguments (what they mean), args (those of
        its first RUN line), jars (those that it imports), methods ("Class.method"), own (no sample of the lab).
    """
    try:
        source = build.find_sample(program)
        text = source.read_text("utf-8", "replace")
        known = head.read(source)
    except (LabError, OSError, UnicodeDecodeError) as error:
        return {"title": str(error).partition("\n")[0], "path": "", "methods": [], "own": False}
    starting = (line.text.split() for line in known.run_lines if not line.compiles)
    words = next((words for words in starting if source.stem in words), [source.stem])
    imports = IMPORT.findall(text)
    needed = [jar for prefix, jar in LIBRARIES.items() if any(name.startswith(f"{prefix}.") for name in imports)]
    names = dict.fromkeys(name for name in METHOD.findall(text) if name not in NO_METHODS)
    return {
        "path": home.shown(source),
        "title": " ".join(known.parts.get("QUESTION", ())) or known.title,
        "arguments": " ".join(known.parts.get("ARGUMENTS", ())),
        "args": " ".join(words[words.index(source.stem) + 1 :]),
        "jars": " ".join(known.libraries or needed),
        "methods": [f"{source.stem}.{name}" for name in names],  # of nested classes, too: close enough to choose
        "own": not source.is_relative_to(home.SAMPLES),
    }


def new_file(name: str, folder: Path | None = None) -> Path:
    """A Java file of one's own in the work folder, with something to begin with; one that is there already is kept.

    Raises:
        BadInput: the name is none of a class.
        StorageFailed: it cannot be written.
    """
    stem = name.strip().removesuffix(".java")
    if not TYPE_NAME.fullmatch(stem):
        raise BadInput(f"{name!r} is not the name of a Java class: letters and digits, such as MyProgram.java.")
    path = (folder or Path.cwd()) / f"{stem}.java"
    if path.is_dir():
        raise StorageFailed(f"{home.shown(path)} is a folder. Give another name.")
    return path if path.exists() else write_whole(path, TEMPLATE.read_text("utf-8").replace("Template", stem))


def complete_flags(line: str, specs: Iterable[str]) -> list[str]:
    """The line with its last word completed, in every way that the first of these JDKs knows."""
    before, blank, word = line.rpartition(" ")
    found = _here(specs)
    if not found or len(word) < SHORTEST:
        return []
    try:
        return [before + blank + whole for whole in flag_facts.complete(found[0], word)[:MOST]]
    except LabError:
        return []


def about_flags(line: str, specs: Iterable[str]) -> list[str]:
    """One line about each -XX flag: on one JDK if they say the same, else one line per JDK."""
    try:
        words = shlex.split(line)
    except ValueError:  # a quote that does not close yet
        words = line.split()
    names = dict.fromkeys(parts[2] for word in words if (parts := FLAG_WORD.fullmatch(word)))
    found, lines = _here(specs), []
    for name in names:
        labels: dict[str, list[str]] = {}
        for jdk in found:
            labels.setdefault(_flag_line(jdk, name), []).append(str(jdk.major))
        lines += [f"JDK {', '.join(majors)}: {text}" if len(found) > 1 else text for text, majors in labels.items()]
    return lines[:MOST_LINES]


def _flag_line(jdk: Jdk, name: str) -> str:
    try:
        fact = flag_facts.fact(jdk, name)
    except LabError as error:
        return str(error)
    if fact:
        return fact.line
    close = flag_facts.complete(jdk, f"-XX:{name}")[:3]
    hint = f" Did you mean {', '.join(close)}?" if close else ""
    return f"{name}: not a flag of this JDK.{hint}"


def _here(specs: Iterable[str]) -> list[Jdk]:
    found = []
    for spec in specs:
        try:
            found.append(jdks.get(spec))
        except LabError:
            continue
    return found
