"""This machine -> a list of checks: what the lab or a class needs, whether it is here, and the command that gets it.

Looking changes nothing: no file is written, nothing is fetched. `--workshop` tries what a class is going to do: it
starts JVMs, which leave recordings like any run.
"""

import argparse
import importlib.util
import json
import shutil
import socket
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from safepointlab import jdks
from safepointlab.cli import kernels
from safepointlab.errors import LabError
from safepointlab.html import table
from safepointlab.jdks import default_collector, jars
from safepointlab.process import extras, home, quiet, recording, replay
from safepointlab.process import machine as machine_facts
from safepointlab.run import build, launch, profile
from safepointlab.teaching.workshop.needs import LEAST_CORES, LEAST_DISK_GIB, LEAST_MEMORY_GIB, LIVE_S, PORT

if TYPE_CHECKING:
    import pandas as pd

EPILOG = """what is here, what is missing, and the command that gets it:
  safepoint doctor
whether this machine is ready for a class:
  safepoint doctor --workshop"""
LATE_MS = 5  # a timer that is usually later than this says the machine is too busy to measure on
HSDIS_MAJORS = (8, 11)  # the JDKs from 17 on print machine code in hex, which capstone decodes
HELLO, KILLER = "start/HelloSafepoint", "hang/KillerTask"
HANG_S = 3.0  # what a JVM that should exit after 0.6 s is given
ENOUGH_S = 2.0  # of the time that is left, for another small program
HERE = "127.0.0.1"
READY, NOT_READY = "This machine is ready for the class.", "Not ready yet: do what the arrows say."


@dataclass(frozen=True)
class Check:
    """One requirement: whether this machine meets it, what was found, and the command that meets it.

    Where `needed` is false the lab works without.
    """

    part: str
    name: str
    ok: bool
    found: str
    cure: str = ""
    needed: bool = True

    def __str__(self) -> str:
        note = "" if self.ok or self.needed else " (the lab works without)"
        advice = f"  ->  {self.cure}" if self.cure and not self.ok else ""
        return f"{'[OK]' if self.ok else '[MISSING]':<10}{self.name}: {self.found}{note}{advice}"


class Checkup(tuple[Check, ...]):
    """All checks: a line each as text; in a notebook how many passed, what did not, and the rest in a fold."""

    @property
    def healthy(self) -> bool:
        return all(check.ok or not check.needed for check in self)

    def frame(self) -> "pd.DataFrame":
        import pandas as pd  # half a second, which the command line need not wait for

        return pd.DataFrame([asdict(check) for check in self])

    def __str__(self) -> str:
        return "\n".join(map(str, self))

    def __repr__(self) -> str:
        return "\n".join([self.summary, *(str(check) for check in self if not check.ok)])

    def _repr_html_(self) -> str:
        rows, missing = [], ""
        for check in self:
            mark = "✓" if check.ok else "✗" if check.needed else "–"
            cure = f"<code>{escape(check.cure)}</code>" if check.cure and not check.ok else ""
            rows.append((mark, escape(check.name), escape(check.found), cure))
            missing += "" if check.ok else f"<li>{escape(str(check))}</li>"
        every = table(rows, head=("", "part", "found", "what gets it"))
        fold = f"<details><summary>All of them</summary>{every}</details>"
        return f"<p><b>{self.summary}</b></p>" + (f"<ul>{missing}</ul>" if missing else "") + fold

    @property
    def summary(self) -> str:
        """How many checks passed, and whether the lab can do without the others."""
        passed = f"{sum(check.ok for check in self)} of {len(self)} checks of this machine passed."
        if all(check.ok for check in self):
            return passed
        return f"{passed} {'The lab works without the others.' if self.healthy else 'Some parts are missing:'}"


def check() -> Checkup:
    """Examine this machine. It takes about half a second, most of it for the timer's lateness.

    Where recordings are played there is one check: that they are there, and then nothing else is needed.
    """
    if place := replay.packed():
        recorded = f"made {replay.recorded_when(place)}; they need no JDK, no compiler and no library"
        return Checkup([Check("replay", f"recordings {place.name}", True, recorded)])
    parts = (java, collectors, compilers, libraries, disassemblers, jupyter, tools, system, machine)
    return Checkup([check for part in parts for check in part()])


def java() -> Iterator[Check]:
    installed, newest = jdks.find(), profile.newest_release()
    for major in (*profile.LAB_SET, *newest):
        matching = [jdk for jdk in installed if jdk.major == major]
        found = "not on this machine"
        if matching:
            jdk = max(matching, key=jdks.preference)
            found = f"{jdk.version}, {jdk.vendor}"
            found += "" if jdk.has_javac else ", a JRE: no jcmd, no jstack for a hung program"
        yield Check("JDK", f"JDK {major}", bool(matching), found, f"safepoint jdks install {major}")
    if not newest:
        name, found = (
            f"JDK {profile.NEWEST}, the newest release",
            "not on this machine; pages that compare JDKs end earlier",
        )
        yield Check("JDK", name, False, found, f"safepoint jdks install {profile.NEWEST}", needed=False)


def collectors() -> Iterator[Check]:
    """The collector that each JDK chooses by itself on this machine, and why."""
    cores, memory_gib = machine_facts.cores(), machine_facts.memory_gib()
    reasons: dict[str, list[str]] = {}
    for jdk in jdks.find():
        why = default_collector.explained(jdk.major, jdk.collector, cores, memory_gib)
        reasons.setdefault(f"{jdk.collector}: {why}", []).append(str(jdk.major))
    for choice, majors in reasons.items():
        yield Check("JDK", f"default collector of JDK {', '.join(dict.fromkeys(majors))}", True, choice)


def compilers() -> Iterator[Check]:
    versions = [jdk.version for jdk in jdks.find() if jdk.has_javac]
    yield Check("compiler", "javac", bool(versions), ", ".join(versions) or "in no JDK", "safepoint jdks install 17")
    for version, (coordinate, _) in build.ECJ.items():
        yield jar("compiler", f"ecj {version}", coordinate)


def libraries() -> Iterator[Check]:
    for coordinate in jars.LIBRARIES:
        yield jar("library", coordinate.partition(":")[2].replace(":", " "), coordinate)


def jar(part: str, name: str, coordinate: str) -> Check:
    cached = jars.cached(coordinate).exists()
    return Check(part, name, cached, "cached" if cached else "not fetched yet", "safepoint setup")


def disassemblers() -> Iterator[Check]:
    """hsdis for the JDKs that print no machine code without it, capstone for the newer ones."""
    installed = jdks.find()
    for major in HSDIS_MAJORS:
        has_hsdis = any(jdk.hsdis for jdk in installed if jdk.major == major)
        cure = f"safepoint jdks install --lab archive:{major}"
        state = "found" if has_hsdis else "none"
        yield Check("disassembler", f"hsdis of JDK {major}", has_hsdis, state, cure, needed=False)
    capstone = importlib.util.find_spec("capstone") is not None
    yield Check("disassembler", "capstone", capstone, "installed" if capstone else "not installed", "make -B setup")


def jupyter() -> Iterator[Check]:
    """The Jupyter kernels of this Python's environment, and whether the program that each one starts still exists."""
    if not extras.installed("ipykernel"):
        yield Check("kernel", "JupyterLab", False, "not installed: the tools alone", extras.INSTALL, needed=False)
        return
    for name in ("python3", *kernels.JAVA_KERNELS):
        spec = Path(sys.prefix) / "share" / "jupyter" / "kernels" / name / "kernel.json"
        ok, state = kernel_state(spec)
        yield Check("kernel", f"kernel {name}", ok, state, "safepoint kernels")


def kernel_state(spec: Path) -> tuple[bool, str]:
    """Whether a kernelspec and the program that it starts exist, and it names this lab's classes; the same in words."""
    try:
        content = json.loads(spec.read_text("utf-8"))
        argv = [word for word in content["argv"] if word.startswith("/")]
    except (OSError, ValueError, KeyError):
        return False, "not installed"
    if missing := [word for word in argv if not Path(word).exists()]:
        return False, f"starts {home.shown(missing[0])}, which is gone"
    if content.get("language") == "java" and content.get("env", {}).get(kernels.SCRIPTS) != kernels.scripts():
        return False, "installed by another version of the lab"
    return True, "installed"


def tools() -> Iterator[Check]:
    """Programs of the system that the lab calls."""
    setpriv = shutil.which("setpriv") is not None
    effect = "ends Java kernels, JMH's forks with the lab" if setpriv else "without it Java kernels may outlive the lab"
    yield Check("tool", "setpriv", setpriv, effect, "apt install util-linux", needed=False)
    javap = any(jdk.tool("javap") for jdk in jdks.find())
    yield Check("tool", "javap", javap, "in a JDK" if javap else "in no JDK", "safepoint jdks install 17")
    maven = shutil.which("mvn") is not None
    yield Check("tool", "Maven", maven, "found" if maven else "not on PATH", "apt install maven", needed=False)


def system() -> Iterator[Check]:
    """The parts of the lab that need Linux, where this is another system, each with its reason."""
    for part in machine_facts.missing_parts():
        cure = "the container image, or a Linux machine"
        yield Check("system", part.name, False, f"only on Linux: it needs {part.needs}", cure, needed=False)


def machine() -> Iterator[Check]:
    """Cores, memory, free disk space, and how late the machine's timer fires at this moment."""
    yield from resources(needs_cores=False)
    if limits := machine_facts.limits_here():
        yield Check("machine", "limits", True, f"this session may use {limits}")
    p50, p99 = machine_facts.timer_noise_ms()
    lateness = f"sleep(1 ms) returns late by {p50:.2f} ms (median), {p99:.2f} ms (99 %)"
    yield Check("machine", "timer noise", p50 < LATE_MS, lateness, "close what else is running", needed=False)
    measured = quiet.so_far()
    found = measured.numbers if measured else quiet.UNKNOWN
    undisturbed = measured is not None and not measured.disturbed
    yield Check("machine", "quiet", undisturbed, found, "close what else is running", needed=False)


def resources(needs_cores: bool = True) -> Iterator[Check]:
    """Cores, memory and disk; a class needs two cores, and one reader can do with one."""
    cores, memory, disk = machine_facts.cores(), machine_facts.memory_gib(), machine_facts.free_disk_gib()
    count = str(cores) if cores > 1 else "1: JVMs choose the Serial collector, and nothing else runs during a hot loop"
    give = "give the machine or container {}"
    enough = cores >= LEAST_CORES
    yield Check("machine", "cores", enough, count, give.format(LEAST_CORES), needed=needs_cores)
    enough = memory >= LEAST_MEMORY_GIB
    yield Check("machine", "memory", enough, f"{memory:.1f} GiB", give.format(f"{LEAST_MEMORY_GIB} GiB at least"))
    cure = f"safepoint runs prune, or point SAFEPOINTLAB_CACHE at a disk with {LEAST_DISK_GIB} GiB free"
    yield Check("machine", "free disk", disk >= LEAST_DISK_GIB, f"{disk:.1f} GiB", cure)


def workshop() -> Iterator[Check]:
    """All that a class needs, the quick checks first."""
    yield from resources()
    yield from java()
    yield from jupyter()
    yield from ports()
    yield from live()


def ports() -> Iterator[Check]:
    """JupyterLab's port, and whether programs of this machine can talk to each other, as pages and kernels do."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HERE, PORT))
            free, found = True, f"{PORT} is free"
        except OSError:
            free, found = False, f"{PORT} is taken; JupyterLab takes the next one"
    yield Check("ports", "JupyterLab's port", free, found, "make lab PORT=8899, to choose one", needed=False)
    try:
        with socket.create_server((HERE, 0)) as server, socket.create_connection(server.getsockname(), 2):
            answers, found = True, f"{HERE} answers"
    except OSError as error:
        answers, found = False, f"{HERE} does not answer: {error}"
    cure = "let programs connect to 127.0.0.1: look at the firewall, and at the proxy's exceptions (NO_PROXY)"
    yield Check("ports", "local connections", answers, found, cure)


def live(budget_s: float = LIVE_S) -> Iterator[Check]:
    """A hang and its examination, then a small program on each JDK of the set, while there is time."""
    if recording.replaying():
        yield Check("live", "runs", False, "SAFEPOINTLAB_REPLAY plays recordings", "unset SAFEPOINTLAB_REPLAY")
        return
    end = time.monotonic() + budget_s
    majors = sorted({jdk.major for jdk in jdks.find()} & {*profile.LAB_SET, *profile.newest_release()})
    if majors:
        yield _attempt(f"a JVM that hangs, JDK {majors[-1]}", partial(_hang, majors[-1]))
    for major in majors:
        left_s, name = end - time.monotonic(), f"a run on JDK {major}"
        if left_s >= ENOUGH_S:
            yield _attempt(name, partial(_small_run, major, left_s))
        else:
            found = f"the {budget_s:.0f} s are over"
            yield Check("live", name, False, found, "close what else is running, then again", needed=False)


def _hang(major: int) -> tuple[bool, str]:
    ended = launch.java(KILLER, major, gc="Serial", args="600", log="safepoint", deadline=HANG_S)
    holdup = ended.forensics.holdup if ended.overdue else None
    found = f"held up by its thread {holdup}, examined and ended" if holdup else f"{ended.outcome}, and should hang"
    return holdup == "killer", f"{found}, {ended.wall_ms / 1000:.1f} s"


def _small_run(major: int, left_s: float) -> tuple[bool, str]:
    ended = launch.java(HELLO, major, gc="Serial", args="2 50", log="safepoint", deadline=left_s)
    stops = len(ended.safepoints) if not ended.overdue else 0
    return stops > 0, f"{ended.outcome}, {stops} stops in its log, {ended.wall_ms / 1000:.1f} s"


def _attempt(name: str, run: Callable[[], tuple[bool, str]]) -> Check:
    """A run as a check: what it found, or the first line of why it failed."""
    cure = "close what else is running, then again; if it stays so, send this whole output to your instructor"
    try:
        ok, found = run()
    except LabError as error:
        ok, found = False, str(error).partition("\n")[0]
    return Check("live", name, ok, found, cure)


def configure(parser: argparse.ArgumentParser) -> None:
    ready = f"only what a class needs: disk, memory, cores, JDKs, ports, and small programs run for {LIVE_S} s at most"
    parser.add_argument("--workshop", action="store_true", help=ready)
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    if not arguments.workshop:
        print(checkup := check())
        return int(not checkup.healthy)
    begin, checks = time.monotonic(), []
    for each in workshop():  # each is printed as soon as it is known
        mark = "ok" if each.ok else "not ok" if each.needed else "not tried" if each.part == "live" else "(not ok)"
        advice = f"  ->  {each.cure}" if each.cure and not each.ok else ""
        print(f"{mark:<10}{each.name}: {each.found}{advice}", flush=True)
        checks.append(each)
    ready = Checkup(checks).healthy
    print(f"{READY if ready else NOT_READY} ({time.monotonic() - begin:.0f} s)")
    return int(not ready)
