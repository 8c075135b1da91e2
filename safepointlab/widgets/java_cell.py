"""Java source typed in a cell -> a file in the lab's cache, named as javac and the JVM want it.

    public class Killer { public static void main(String[] args) { … } }   ->   cells/3f9a…/Killer.java

The file begins with an empty line in place of the cell's first one, `%%java …`: the line numbers of javac, of stack
traces and of the code view are those of the cell. Its folder is named by a digest of the text, and stays, so that
`run.source`, `run.bytecode` and `lab.plot.code(run, …)` work as long as the run is kept.
"""

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from safepointlab.errors import BadInput
from safepointlab.process import home
from safepointlab.process.files import write_whole

# What may hold braces and words that are no code: text blocks, strings, characters, comments
NO_CODE = re.compile(r'"""[\s\S]*?"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|//[^\n]*|/\*[\s\S]*?\*/')
TYPE = re.compile(r"\b(?:class|interface|enum|record)\s+([A-Za-z_$][\w$]*)")
MAIN = re.compile(r"((?:\b(?:public|static|final|synchronized|strictfp)\s+)*)\bvoid\s+main\s*\(")
EXAMPLE = "public class Main { public static void main(String[] args) { … } }"


@dataclass(frozen=True)
class Type:
    """A class of the cell that is inside no other one."""

    name: str
    public: bool
    body: str

    @property
    def starts(self) -> bool:
        """Whether any JVM can start it: it has a `public static void main`."""
        return any({"public", "static"} <= set(found[1].split()) for found in MAIN.finditer(self.body))


def write(cell: str, wanted: str = "") -> Path:
    """The source file of a cell's text; the same text has the same file. `wanted` is the class to start, if said.

    Raises:
        BadInput: the cell has no class that can be started.
        StorageFailed: it cannot be written.
    """
    text = "\n" + cell
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    folder = home.ready(home.cache() / "cells" / digest)
    return write_whole(folder / f"{main_name(cell, wanted)}.java", text)


def main_name(cell: str, wanted: str = "") -> str:
    """The name of the class to start: the one that is said, else the public one, else the first that has a main.

    A main that only JDK 25 and later start (JEP 512) counts where there is no other; outside any class it is in Main.

    Raises:
        BadInput: there is none, or another class is public, after which javac wants the file to be named.
    """
    types = types_of(cell)
    starting = [each.name for each in types if each.starts] or [each.name for each in types if MAIN.search(each.body)]
    if not starting and MAIN.search(code_of(cell)):
        starting = ["Main"]
    public = next((each.name for each in types if each.public), "")
    if wanted and wanted not in starting:
        those = f"Those of the cell: {', '.join(starting)}." if starting else "The cell has none."
        raise BadInput(f"--main {wanted}: no such class with a main. {those}")
    name = wanted or (public if public in starting else next(iter(starting), ""))
    if not name:
        names = ", ".join(each.name for each in types)
        none = f"no class of the cell ({names}) has a main to start" if names else "no class in the cell"
        raise BadInput(f"{none}. Write: {EXAMPLE}")
    if public and public != name:
        raise BadInput(
            f"main is in {name}, but {public} is public, and a file with a public class has that class's name. "
            f"Drop the word public before class {public}, or move main there."
        )
    return name


def types_of(cell: str) -> list[Type]:
    """The classes, interfaces, enums and records of the outermost level.

    >>> [(each.name, each.public) for each in types_of("class A { class B {} } // class C {}\\npublic enum D {}")]
    [('A', False), ('D', True)]
    """
    code, types, end = code_of(cell), list[Type](), 0
    for found in TYPE.finditer(code):
        if found.start() < end:  # it is in the class before
            continue
        before, depth, end = code[end : found.start()].rpartition(";")[2], 0, len(code)
        for brace in re.finditer(r"[{}]", code[found.end() :]):
            depth += 1 if brace[0] == "{" else -1
            if depth <= 0:
                end = found.end() + brace.end()
                break
        types.append(Type(found[1], "public" in before.split(), code[found.end() : end]))
    return types


def code_of(cell: str) -> str:
    """The text with blanks for comments and strings; lines stay where they are."""
    return NO_CODE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), cell)


def as_in_the_cell(message: str, source: Path) -> str:
    """What a compiler says, with "line 7" for the file's path and the number.

    >>> as_in_the_cell("/c/A.java:7: error: ';' expected\\n1. ERROR in /c/A.java (at line 7)", Path("/c/A.java"))
    "line 7: error: ';' expected\\n1. ERROR in the cell (at line 7)"
    """
    path = re.escape(str(source))
    return re.sub(path, "the cell", re.sub(rf"{path}:(\d+):", r"line \1:", message))
