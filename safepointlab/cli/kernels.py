"""JDKs found on this machine -> kernelspecs in .venv: Python's, and Java kernels whose JVM and flags the lab chose.

The Java kernel is JJava, a jar inside a PyPI package. Its own launcher starts whatever `java` is on PATH, in a second
JVM that outlives a killed server. Ours starts the jar itself, in the chosen JDK, and that JVM dies with the server.
Before its first cell it evaluates the lab's classes for Java pages, which come with the package.
"""

import argparse
import os
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safepointlab import config, jdks
from safepointlab.errors import InstallFailed, JdkNotFound, LabError
from safepointlab.jdks import Jdk, jars
from safepointlab.process import extras, home, orphan_guard, recording, shell

JSHELL = "jdk.jshell"  # the module that runs a cell; some packagers leave it out
JOL = jars.JOL  # on the class path of every Java cell, to look into live objects with it
STARTUP = home.PACKAGE / "widgets" / "startup"
CLASSES = (STARTUP / "Lab.jshell", STARTUP / "SecondJvm.jshell")  # each may use those before it
SCRIPTS = "JJAVA_STARTUP_SCRIPTS_PATH"
# A cell's method waits until it is compiled: a busy machine would interpret its loops, and the interpreter polls. That
# is -Xbatch for the cells alone, whose classes are in the package REPL: with -Xbatch the kernel's start waits, too.
COMPILED_AT_ONCE = ("-XX:CompileCommand=quiet", "-XX:CompileCommand=BackgroundCompilation,REPL*::*,false")
# JJava itself runs on 11 to 28. 17: notebook 90 reads the one-line safepoint log of 13 and later. 25: the lab's newest
# JDK with long-term support.
USUAL = range(17, 26)


@dataclass(frozen=True)
class JavaKernel:
    """The name of a Java kernel in Jupyter, its JVM's flags, and the feature versions of the JDKs that know them."""

    title: str
    flags: tuple[str, ...] = ()
    majors: range = USUAL


JAVA_KERNELS = {
    "java": JavaKernel("Java"),
    # can be hung: notebook 90
    "java-serial": JavaKernel("Java, Serial collector", ("-XX:+UseSerialGC", *COMPILED_AT_ONCE)),
    "java-biased": JavaKernel("Java, biased locking", ("-XX:+UseBiasedLocking",), range(11, 18)),  # gone in 18
}


def install(prefix: Path | None = None) -> list[str]:
    """Write all kernelspecs under `prefix` (default: this Python's environment) and return their names.

    Raises:
        JdkNotFound: there is no JDK for one of them; the others are written.
    """
    folder = (prefix or Path(sys.prefix)) / "share" / "jupyter" / "kernels"
    quiet = "--log-level=ERROR"  # else each kernel warns that it talks on this machine's TCP, as all kernels do
    argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}", quiet]
    python = {"argv": argv, "display_name": "Safepoint Lab (Python)", "language": "python"}
    specs: dict[str, dict[str, Any]] = {"python3": {**python, "metadata": {"debugger": True}}}  # saved pages ask for it
    missing = []
    for name, kernel in JAVA_KERNELS.items():
        try:
            specs[name] = java_spec(host(kernel.majors), kernel)
        except JdkNotFound as cause:
            missing.append(f"{name}: {cause}")
    for name, spec in specs.items():
        # replaced, not overwritten: the installer hard-links Python's own spec into every environment
        recording.write_json(home.ready(folder / name) / "kernel.json", spec)
    if missing:
        raise JdkNotFound("\n".join(missing))
    return list(specs)


def host(majors: range = USUAL) -> Jdk:
    """The JDK that runs Java cells: the newest installed one of these feature versions that has JShell.

    Raises:
        JdkNotFound: none of them is installed with JShell.
    """
    candidates = [jdk for jdk in jdks.find() if jdk.major in majors]
    for jdk in sorted(candidates, key=lambda jdk: jdk.major, reverse=True):
        if has_jshell(jdk):
            return jdk
    labels = ", ".join(jdk.label for jdk in candidates) or "none at all"
    raise JdkNotFound(
        f"no JDK from {majors[0]} to {majors[-1]} with the module {JSHELL}, which the Java kernel needs. "
        f"Looked at: {labels}. Install one with: safepoint jdks install {majors[-1]}"
    )


def has_jshell(jdk: Jdk) -> bool:
    """Whether the JDK's run-time image holds the JShell module, whichever tools were packaged with it."""
    try:
        return JSHELL + "@" in shell.output_of([str(jdk.java), "--list-modules"])
    except LabError:
        return False


def java_spec(jdk: Jdk, kernel: JavaKernel) -> dict[str, Any]:
    """JJava in this JDK with the kernel's flags. Its `interrupt_mode` is "message": a signal would end the JVM.

    Raises:
        InstallFailed: JJava's jar is not where pip puts the package's data files.
    """
    jar = Path(sysconfig.get_path("data")) / "share" / "jupyter" / "kernels" / "java" / "jjava.jar"
    if not jar.exists():
        raise InstallFailed(f"the Java kernel's jar is not at {home.shown(jar)}. Get it with: {extras.INSTALL}")
    java = [str(jdk.java), "--add-opens", "jdk.jshell/jdk.jshell=ALL-UNNAMED", *kernel.flags]
    argv = [*orphan_guard.words(), *java, "-jar", str(jar), "{connection_file}"]
    cells = {
        "JJAVA_CLASSPATH": str(jars.cached(JOL)),  # of the cells; the kernel's own is in its jar
        SCRIPTS: scripts(),
        config.SAMPLES.name: str(home.SAMPLES),
    }
    spec = {"argv": argv, "display_name": kernel.title, "language": "java"}
    return spec | {"interrupt_mode": "message", "env": cells}


def scripts() -> str:
    """The files that a Java kernel evaluates before its first cell, as JJava takes them."""
    return os.pathsep.join(map(str, CLASSES))


EPILOG = """again, after a JDK was added or removed:
  safepoint kernels"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=_run)


def _run(_: argparse.Namespace) -> int:
    extras.demand("ipykernel")
    for name in install():
        print(f"kernel {name}")
    return 0
