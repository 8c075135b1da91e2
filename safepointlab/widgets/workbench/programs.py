"""The samples and a reader's own Java file -> what a page offers about it: its question, arguments, jars, methods."""

import re
from pathlib import Path
from typing import Any

from safepointlab.errors import BadInput, LabError, StorageFailed
from safepointlab.jdks import jars
from safepointlab.process import home
from safepointlab.process.files import write_whole
from safepointlab.run import build, head
from safepointlab.run.head import Head

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
TEMPLATE = """\
// {name}: change a line, save the file, press Run.
public class {name} {{
    public static void main(String[] args) throws InterruptedException {{
        Thread worker = new Thread(() -> System.out.println("sum=" + sum(Integer.MAX_VALUE)), "worker");
        worker.setDaemon(true);
        worker.start();
        Thread.sleep(500);
        System.gc(); // to collect, the JVM stops the worker first: how long does it take to reach a poll?
        System.out.println("main returns");
    }}

    // A counted loop: an int index, a fixed step, a limit that does not change. What happens with a long index?
    static long sum(int limit) {{
        long sum = 0;
        for (int i = 0; i < limit; i++) {{
            sum += i % 7;
        }}
        return sum;
    }}
}}
"""


def samples() -> list[str]:
    """The names of all samples, "topic/Name"."""
    return [build.sample_name(path) for path in build.sample_files()]


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
        return {"found": False, "title": _first_sentence(str(error)), "path": "", "methods": [], "own": False}
    return {
        "found": True,
        "path": home.shown(source),
        "title": " ".join(known.parts.get("QUESTION", ())) or known.title,
        "arguments": " ".join(known.parts.get("ARGUMENTS", ())),
        "args": example(known),
        "jars": " ".join(libraries(text, known)),
        "methods": methods(source.stem, text),
        "own": not source.is_relative_to(home.SAMPLES),
    }


def _first_sentence(text: str) -> str:
    return text.splitlines()[0] if text else ""


def example(known: Head) -> str:
    """The program's own arguments in the first RUN line that starts it."""
    for line in known.run_lines:
        words = line.text.split()
        if not line.compiles and known.source.stem in words:
            return " ".join(words[words.index(known.source.stem) + 1 :])
    return ""


def libraries(text: str, known: Head | None = None) -> list[str]:
    """The coordinates that a program needs: those that its head names, else those of its imports."""
    if known and known.libraries:
        return known.libraries
    imports = IMPORT.findall(text)
    return [jar for prefix, jar in LIBRARIES.items() if any(name.startswith(f"{prefix}.") for name in imports)]


def methods(stem: str, text: str) -> list[str]:
    """The methods that a source declares, as "Class.method"; of nested classes, too, which is close enough to choose.

    >>> methods("A", "class A { \\n static int f(int i) { \\n for (;;) { } } \\n}")
    ['A.f']
    """
    names = [name for name in METHOD.findall(text) if name not in NO_METHODS]
    return [f"{stem}.{name}" for name in dict.fromkeys(names)]


def new_file(name: str, folder: Path | None = None) -> Path:
    """A Java file of one's own in the work folder, with something to begin with; one that is there already is kept.

    Raises:
        BadInput: the name is none of a class. StorageFailed: it cannot be written.
    """
    stem = name.strip().removesuffix(".java")
    if not TYPE_NAME.fullmatch(stem):
        raise BadInput(f"{name!r} is no name of a Java class: letters and digits, such as MyProgram.java.")
    path = (folder or Path.cwd()) / f"{stem}.java"
    if path.is_dir():
        raise StorageFailed(f"{home.shown(path)} is a folder. Give another name.")
    return path if path.exists() else write_whole(path, TEMPLATE.format(name=stem))
