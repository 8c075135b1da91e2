"""This machine -> a list of checks: what the lab needs, whether it is here, and the command that gets it.

Looking changes nothing: no file is written, nothing is fetched.
"""

import argparse
import importlib.util
import json
import os
import shutil
import statistics
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from safepointlab import jdks
from safepointlab.commands import kernels
from safepointlab.jdks import Jdk
from safepointlab.process import home
from safepointlab.programs import build, jars
from safepointlab.session import profile

if TYPE_CHECKING:
    import pandas as pd

LEAST_MEMORY_GIB = 2  # JVMs of 256 MiB, one at a time, beside JupyterLab
LEAST_DISK_GIB = 2  # recordings grow with every run; the five JDKs alone take about 1
LATE_MS = 5  # a timer that is usually later than this says the machine is too busy to measure on
LEFT = "style='text-align:left'"  # Jupyter aligns tables to the right
HSDIS_MAJORS = (8, 11)  # the JDKs from 17 on print machine code in hex, which capstone decodes


@dataclass(frozen=True)
class Check:
    """One thing: whether it is here, what was found, what gets it; the lab works without one not needed."""

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
    """All checks; prints as lines, shows as a table in a notebook."""

    @property
    def healthy(self) -> bool:
        """Whether nothing that is needed is missing."""
        return all(check.ok or not check.needed for check in self)

    def frame(self) -> "pd.DataFrame":
        """One row a check."""
        import pandas as pd  # half a second, which the command line need not wait for

        return pd.DataFrame([asdict(check) for check in self])

    def __str__(self) -> str:
        return "\n".join(map(str, self))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        heads = "".join(f"<th {LEFT}>{title}</th>" for title in ("", "part", "found", "what gets it"))
        return f"<table><tr>{heads}</tr>{''.join(map(_html_row, self))}</table>"


def _html_row(check: Check) -> str:
    mark = "✓" if check.ok else "✗" if check.needed else "–"
    cure = f"<code>{escape(check.cure)}</code>" if check.cure and not check.ok else ""
    cells = (mark, escape(check.name), escape(check.found), cure)
    return f"<tr>{''.join(f'<td {LEFT}>{cell}</td>' for cell in cells)}</tr>"


def check() -> Checkup:
    """Examine this machine; takes about half a second, most of it to measure the timer."""
    return Checkup([*java(), *compilers(), *libraries(), *disassemblers(), *jupyter(), *tools(), *machine()])


def java() -> Iterator[Check]:
    """The JDKs of the lab's set."""
    found = jdks.find()
    for major in profile.LAB_SET:
        have = [jdk for jdk in found if jdk.major == major]
        yield Check("JDK", f"JDK {major}", bool(have), _described(have), f"safepoint jdks install {major}")


def _described(have: list[Jdk]) -> str:
    if not have:
        return "not on this machine"
    jdk = max(have, key=jdks.preference)
    return f"{jdk.version}, {jdk.vendor}" + ("" if jdk.has_javac else ", a JRE: no jcmd, no jstack for a hung program")


def compilers() -> Iterator[Check]:
    """javac of some JDK, and the two Eclipse compilers: the newest, and the one of the posts."""
    able = [jdk.version for jdk in jdks.find() if jdk.has_javac]
    yield Check("compiler", "javac", bool(able), ", ".join(able) or "in no JDK", "safepoint jdks install 17")
    for version, (coordinate, _) in build.ECJ.items():
        here = jars.cached(coordinate).exists()
        yield Check("compiler", f"ecj {version}", here, "cached" if here else "not fetched yet", "safepoint setup")


def libraries() -> Iterator[Check]:
    """The jars that some samples run with."""
    for coordinate in jars.LIBRARIES:
        here, name = jars.cached(coordinate).exists(), coordinate.partition(":")[2].replace(":", " ")
        yield Check("library", name, here, "cached" if here else "not fetched yet", "safepoint setup")


def disassemblers() -> Iterator[Check]:
    """hsdis for the JDKs that print no machine code without it, capstone for the newer ones."""
    found = jdks.find()
    for major in HSDIS_MAJORS:
        here = any(jdk.hsdis for jdk in found if jdk.major == major)
        cure = f"safepoint jdks install --lab archive:{major}"
        yield Check("disassembler", f"hsdis of JDK {major}", here, "found" if here else "none", cure, needed=False)
    capstone = importlib.util.find_spec("capstone") is not None
    yield Check("disassembler", "capstone", capstone, "installed" if capstone else "not installed", "make -B setup")


def jupyter() -> Iterator[Check]:
    """The kernels, as written into this Python's environment, and whether what they start is still there."""
    for name in ("python3", *kernels.JAVA_KERNELS):
        spec = Path(sys.prefix) / "share" / "jupyter" / "kernels" / name / "kernel.json"
        ok, found = kernel_state(spec)
        yield Check("kernel", f"kernel {name}", ok, found, "safepoint kernels")


def kernel_state(spec: Path) -> tuple[bool, str]:
    """Whether a kernelspec is there and what it starts is too; and that in words."""
    try:
        argv = [word for word in json.loads(spec.read_text("utf-8"))["argv"] if word.startswith("/")]
    except (OSError, ValueError, KeyError):
        return False, "not installed"
    gone = [word for word in argv if not Path(word).exists()]
    return (False, f"starts {home.shown(gone[0])}, which is gone") if gone else (True, "installed")


def tools() -> Iterator[Check]:
    """Programs of the system that the lab calls."""
    setpriv = shutil.which("setpriv") is not None
    found = "no child outlives the lab" if setpriv else "without it a JVM may outlive a killed lab"
    yield Check("tool", "setpriv", setpriv, found, "apt install util-linux", needed=False)
    javap = any(jdk.tool("javap") for jdk in jdks.find())
    yield Check("tool", "javap", javap, "in a JDK" if javap else "in no JDK", "safepoint jdks install 17")
    maven = shutil.which("mvn") is not None
    yield Check("tool", "Maven", maven, "found" if maven else "not on PATH", "apt install maven", needed=False)


def machine() -> Iterator[Check]:
    """Cores, memory, disk, and how late the machine's timer is just now."""
    cores = len(os.sched_getaffinity(0))
    found = str(cores) if cores > 1 else "1: JVMs choose the Serial collector, and nothing runs beside a hot loop"
    yield Check("machine", "cores", cores > 1, found, "give the container or machine 2", needed=False)
    memory = memory_gib()
    yield Check(
        "machine", "memory", memory >= LEAST_MEMORY_GIB, f"{memory:.1f} GiB", f"{LEAST_MEMORY_GIB} GiB at least"
    )
    disk = free_disk_gib()
    cure = "safepoint runs prune, or point SAFEPOINTLAB_CACHE elsewhere"
    yield Check("machine", "free disk", disk >= LEAST_DISK_GIB, f"{disk:.1f} GiB", cure)
    p50, p99 = timer_noise_ms()
    late = f"sleep(1 ms) returns late by {p50:.2f} ms (median), {p99:.2f} ms (99 %)"
    yield Check("machine", "timer noise", p50 < LATE_MS, late, "close what else is running", needed=False)


def memory_gib() -> float:
    """The machine's memory, or what a container may use of it."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    limits = [Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes")]
    known = [int(text) for file in limits if file.exists() and (text := file.read_text().strip()).isdigit()]
    return min([machine, *known]) / 2**30


def free_disk_gib() -> float:
    """What is free where the lab's cache is, or will be."""
    folder = next(folder for folder in (home.cache(), *home.cache().parents) if folder.exists())
    return shutil.disk_usage(folder).free / 2**30


def timer_noise_ms(sleeps: int = 200) -> tuple[float, float]:
    """By how much a sleep of 1 ms overshoots: median and 99th percentile; a pause must be longer to be seen at all."""
    late = []
    for _ in range(sleeps):
        begin = time.perf_counter()
        time.sleep(0.001)
        late.append((time.perf_counter() - begin) * 1000 - 1)
    return statistics.median(late), statistics.quantiles(late, n=100)[98]


def configure(parser: argparse.ArgumentParser) -> None:
    """`safepoint doctor`: what is here, what is missing, and the command that gets it."""
    parser.set_defaults(run=_main)


def _main(_: argparse.Namespace) -> int:
    checkup = check()
    print(checkup)
    return 0 if checkup.healthy else 1
