"""The comment that opens a Java sample -> its parts by name: its opening lines, QUESTION, RUN, NOTEBOOK, JDKS, EXPECT.

    // KillerTask: the most robust hang there is.
    // A method, warmed up into fully optimised code, is called with a huge limit: no safepoint request reaches it.
    //
    // QUESTION  main sleeps and returns, the worker is a daemon: why does the JVM stay?
    // RUN       mkdir -p classes && javac -d classes KillerTask.java
    //           timeout -s KILL 5 java -XX:+UseSerialGC -cp classes KillerTask 1000
    // NOTEBOOK  02-when-will-it-exit
    // JDKS      8 11 17 21 25
    // EXPECT    Serial: HUNG. G1 from 11 on: exits.
    //           = hung

RUN lines are run with JDK 17, or with the JDK of a line `# with JDK 8:` above them. LANGUAGE 21 is for a sample that
needs a newer Java than 8, in which all others are compiled.
"""

import itertools
import re
from dataclasses import dataclass, field
from pathlib import Path

from safepointlab.jdks import jars

PARTS = ("QUESTION", "RUN", "ARGUMENTS", "NOTEBOOK", "LANGUAGE", "JDKS", "EXPECT")
USUAL_JDK = 17
COMPILES = re.compile(r"(javac|java -jar \$\{ECJ)\b[^&|;]*$")  # the last command of such a line is a compiler


@dataclass(frozen=True)
class Line:
    """A line under RUN: the command to type, and the JDK to run it with."""

    text: str
    jdk: int

    @property
    def compiles(self) -> bool:
        """Whether its last command is a compiler; such a line only has to succeed."""
        return bool(COMPILES.search(self.text))


@dataclass(frozen=True)
class Head:
    """A sample's head: `name` is "hang/KillerTask", `about` its opening lines, `parts` the lines under each word."""

    name: str
    source: Path
    about: tuple[str, ...]
    parts: dict[str, tuple[str, ...]] = field(hash=False)

    @property
    def title(self) -> str:
        """The first sentence of the file, without the sample's name."""
        about = " ".join(self.about).partition(": ")[2]
        return re.split(r"(?<=[.?])\s", about)[0]

    @property
    def run_lines(self) -> list[Line]:
        jdk, lines = USUAL_JDK, []
        for line in self.lines("RUN"):
            if named := re.match(r"# with JDK (\d+)", line):
                jdk = int(named[1])
            if not line.startswith("#"):
                lines.append(Line(re.sub(r"\s+", " ", line), jdk))
        return lines

    def lines(self, part: str) -> list[str]:
        """The lines under a word; a trailing backslash joins a line to the next."""
        return "\n".join(self.parts.get(part, ())).replace("\\\n", "").splitlines()

    @property
    def libraries(self) -> list[str]:
        """The coordinates of the jars that RUN names, such as `jol-core-0.17.jar`."""
        text = " ".join(line.text for line in self.run_lines)
        names = re.split(r"[\s:]", text)
        return [coordinate for coordinate in jars.CHECKSUMS if jars.cached(coordinate).name in names]


def read(source: Path) -> Head:
    """The head of one Java file, a program or a benchmark; a part that is missing is not in `parts`."""
    about: list[str] = []
    parts: dict[str, list[str]] = {}
    current = about
    comment = itertools.takewhile(lambda line: line.startswith("//"), source.read_text("utf-8").splitlines())
    for text in (line[2:].removeprefix(" ") for line in comment):
        word = text.split(" ")[0]
        if word in PARTS:
            current = parts[word] = []
        if text:
            current.append(text.removeprefix(word).strip() if word in PARTS else text.strip())
    parts_by_word = {name: tuple(lines) for name, lines in parts.items()}
    return Head(f"{source.parent.name}/{source.stem}", source, tuple(about), parts_by_word)
