"""What a run may be asked for, by name: `safepoint run`, `%%java` and the workbench call it the same."""

from typing import NamedTuple


class Option(NamedTuple):
    """What its value is, an example of one, and whether it takes several."""

    about: str
    example: str
    several: bool = False


OPTIONS = {
    "jdk": Option("8, 17, 25.0.3, temurin:25 or a folder", "8 17", True),
    "compiler": Option("javac, javac-17, ecj, ecj-4.6.1", "javac ecj", True),
    "gc": Option("Serial, Parallel, G1, Z, Shenandoah, ...", "Serial G1", True),
    "flags": Option("the JVM's flags, as one quoted string", '"-Xint -XX:+UseSerialGC"'),
    "args": Option("the program's arguments, as one quoted string", '"1000 slow"'),
    "jars": Option("Maven coordinates, all on the class path", "org.jctools:jctools-core:4.0.5", True),
    "log": Option(
        "safepoint, compilation, inlining, gc, straggler, jfr, async, assembly=Class.method", '"safepoint compilation"'
    ),
    "deadline": Option("seconds after which a run is examined and killed", "10"),
    "cores": Option("how many of the machine's cores the JVM sees", "1"),
    "repeat": Option("how many JVMs to run", "3"),
}
