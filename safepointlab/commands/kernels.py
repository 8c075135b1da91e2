"""JDKs found on this machine -> kernelspecs in .venv: Python's, and Java kernels whose JVM and flags the lab chose.

The Java kernel is JJava, a jar inside a PyPI package. Its own launcher starts whatever `java` is on PATH, in a second
JVM that outlives a killed server; ours starts the jar itself, with the JDK wanted, on a leash.
"""

import argparse
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safepointlab import jdks
from safepointlab.errors import InstallFailed, JdkNotFound, LabError
from safepointlab.jdks import Jdk
from safepointlab.process import home, recording, shell
from safepointlab.programs import jars

JSHELL = "jdk.jshell"  # the module that runs a cell; some packagers leave it out
JOL = jars.JOL  # on the class path of every Java cell: notebook 91 looks into objects with it
# JJava itself runs on 11 to 28. 17: notebook 90 reads the one-line safepoint log of 13 and later. 25: the lab's newest
# JDK with long-term support.
USUAL = range(17, 26)


@dataclass(frozen=True)
class JavaKernel:
    """How a Java kernel is called, and the JVM that it runs in: its flags, and the JDKs that know them."""

    shown: str
    flags: tuple[str, ...] = ()
    majors: range = USUAL


JAVA_KERNELS = {
    "java": JavaKernel("Java"),
    "java-serial": JavaKernel("Java, Serial collector", ("-XX:+UseSerialGC",)),  # can be hung: notebook 90
    "java-biased": JavaKernel("Java, biased locking", ("-XX:+UseBiasedLocking",), range(11, 18)),  # gone in 18: 91
}


def install(prefix: Path | None = None) -> list[str]:
    """Write all kernelspecs under `prefix` (default: this Python's environment) and return their names.

    Raises:
        JdkNotFound: there is no JDK for one of them; the others are written.
    """
    folder = (prefix or Path(sys.prefix)) / "share" / "jupyter" / "kernels"
    specs, missing = {"python3": python_spec()}, []
    for name, kernel in JAVA_KERNELS.items():
        try:
            specs[name] = java_spec(host(kernel.majors), kernel)
        except JdkNotFound as why:
            missing.append(f"{name}: {why}")
    for name, spec in specs.items():
        # written anew: the installer links Python's own spec into every environment, and they would all change with it
        recording.write_json(home.ready(folder / name) / "kernel.json", spec)
    if missing:
        raise JdkNotFound("\n".join(missing))
    return list(specs)


def host(majors: range = USUAL) -> Jdk:
    """The JDK that runs Java cells: the newest of these with JShell.

    Raises:
        JdkNotFound: none of them is here.
    """
    fit = [jdk for jdk in jdks.find() if jdk.major in majors]
    for jdk in sorted(fit, key=lambda jdk: jdk.major, reverse=True):
        if has_jshell(jdk):
            return jdk
    looked = ", ".join(jdk.label for jdk in fit) or "none at all"
    raise JdkNotFound(
        f"no JDK from {majors[0]} to {majors[-1]} with the module {JSHELL}, which the Java kernel needs. "
        f"Looked at: {looked}. Install one with: safepoint jdks install {majors[-1]}"
    )


def has_jshell(jdk: Jdk) -> bool:
    """Whether its run-time image holds the JShell module, whatever tools were packaged with it."""
    try:
        return JSHELL + "@" in shell.output_of([str(jdk.java), "--list-modules"])
    except LabError:
        return False


def python_spec() -> dict[str, Any]:
    """This environment's Python, under the name that every saved Python notebook asks for."""
    start = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    return _spec("Safepoint Lab (Python)", "python", start) | {"metadata": {"debugger": True}}


def java_spec(jdk: Jdk, kernel: JavaKernel) -> dict[str, Any]:
    """JJava in this JDK with the kernel's flags; `interrupt_mode` message, as a signal would end a JVM."""
    java = [str(jdk.java), "--add-opens", "jdk.jshell/jdk.jshell=ALL-UNNAMED", *kernel.flags]
    start = [*shell.leash(), *java, "-jar", str(jar()), "{connection_file}"]
    cells = {"env": {"JJAVA_CLASSPATH": str(jars.cached(JOL))}}  # of the cells; the kernel's own is in its jar
    return _spec(kernel.shown, "java", start) | {"interrupt_mode": "message"} | cells


def _spec(name: str, language: str, start: list[str]) -> dict[str, Any]:
    return {"argv": start, "display_name": name, "language": language}


def jar() -> Path:
    """JJava's jar, where pip put the package's data files."""
    found = Path(sysconfig.get_path("data")) / "share" / "jupyter" / "kernels" / "java" / "jjava.jar"
    if not found.exists():
        raise InstallFailed(f"the Java kernel's jar is not at {home.shown(found)}. Get it back with: make -B setup")
    return found


def configure(parser: argparse.ArgumentParser) -> None:
    """`safepoint kernels`: write the kernelspecs, list them."""
    parser.set_defaults(run=_main)


def _main(_: argparse.Namespace) -> int:
    for name in install():
        print(f"kernel {name}")
    return 0
