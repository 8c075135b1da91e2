"""A JDK's folder -> its version, vendor, and whether it is HotSpot; from its `release` file, else from one run of java.

The `release` file of a full build reads like a shell script:

    IMPLEMENTOR="Eclipse Adoptium"
    JAVA_RUNTIME_VERSION="25.0.3+9-LTS"
    JAVA_VERSION="25.0.3"

Debian's JDK 8 has none. Its output of -XshowSettings is cached on disk until its java changes, so that finding JDKs
starts no JVM.
"""

import contextlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safepointlab.errors import LabError
from safepointlab.process import home, machine, recording, shell

RELEASE_LINE = re.compile(r'^([A-Z_]+)="?([^"\n]*)"?$', re.MULTILINE)  # JAVA_VERSION="25.0.3"
PROPERTY_LINE = re.compile(r"^ +(java\.[a-z.]+) = (.*)$", re.MULTILINE)  # "    java.vm.name = OpenJDK 64-Bit Server VM"
COLLECTORS = ("Serial", "Parallel", "G1", "Z", "Shenandoah", "ConcMarkSweep", "Epsilon")
OPENJ9 = ("lib/j9vm", "lib/default/libj9vm29.so", "lib/compressedrefs", "jre/lib/amd64/compressedrefs")


@dataclass(frozen=True)
class Build:
    """The build of Java in one folder."""

    version: str
    vendor: str
    hotspot: bool

    @property
    def major(self) -> int:
        """The feature number: 8 of "8u504", 25 of "25.0.3", 28 of "28-ea"."""
        return int(re.split(r"\D", self.version, maxsplit=1)[0])


def build(folder: Path) -> Build | None:
    """The build in this folder; None if the folder has no java that runs."""
    java = folder / "bin" / "java"
    if not java.is_file():
        return None
    with contextlib.suppress(OSError):
        fields = dict(RELEASE_LINE.findall((folder / "release").read_text("utf-8", "replace")))
        if re.match(r"\d", fields.get("JAVA_VERSION", "")):
            version = short_version(fields["JAVA_VERSION"], fields.get("JAVA_RUNTIME_VERSION", ""))
            openj9 = "j9" in fields.get("JVM_VARIANT", "").lower() or any((folder / trace).exists() for trace in OPENJ9)
            return Build(version, fields.get("IMPLEMENTOR", "unknown"), not openj9)
    said = remembered("builds", f"{java} {mark(java)}", lambda: _queried(java))
    return Build(**said) if said else None


def short_version(java_version: str, runtime_version: str = "") -> str:
    """A version as the lab writes it.

    >>> short_version("1.8.0_504"), short_version("28", "28-ea+18-1-Debian"), short_version("17.0.15")
    ('8u504', '28-ea', '17.0.15')
    """
    if old := re.match(r"1\.(\d+)\.\d+(?:_(\d+))?", java_version):
        return old[1] + (f"u{int(old[2])}" if old[2] else "")
    early = "-ea" in java_version + runtime_version
    return java_version.partition("-")[0] + "-ea" * early


def _queried(java: Path) -> dict[str, Any] | None:
    try:
        properties = dict(PROPERTY_LINE.findall(shell.output_of([str(java), "-XshowSettings:properties", "-version"])))
        version = short_version(properties["java.version"], properties.get("java.runtime.version", ""))
        hotspot = "J9" not in properties.get("java.vm.name", "")
    except (LabError, KeyError):
        return None
    return {"version": version, "vendor": properties.get("java.vendor", "unknown"), "hotspot": hotspot}


def mark(file: Path) -> str:
    """A text that changes whenever the file does."""
    about = file.stat()
    return f"{about.st_mtime_ns} {about.st_size}"


def remembered(topic: str, key: str, ask: Callable[[], Any]) -> Any:
    """The answer cached under the key, or a new one; a cache that cannot be written only costs time."""
    file = home.cache() / "probes" / f"{topic}.json"
    cached: dict[str, Any] = {}
    with contextlib.suppress(OSError, ValueError):
        cached = dict(json.loads(file.read_text("utf-8")))
    if key not in cached and (answer := ask()):
        cached[key] = answer
        with contextlib.suppress(LabError):
            home.ready(file.parent)
            recording.write_json(file, cached)
    return cached.get(key)


def collector(java: Path) -> str:
    """The collector that this java selects on this machine, by its cores and memory (JEP 523 changed the rule)."""

    def ask() -> str:
        try:
            flags = shell.output_of([str(java), "-XX:+PrintFlagsFinal", "-version"])
        except LabError:
            return ""
        # "     bool UseG1GC                     := true      {product}", since JDK 9 "= true ... {product} {ergonomic}"
        used = re.search(rf"^ +bool Use({'|'.join(COLLECTORS)})GC +:?= true\b", flags, re.MULTILINE)
        return used[1] if used else ""

    here = f"{machine.usable_cores()} cores, {machine.usable_memory()} bytes"
    return remembered("collectors", f"{java} {mark(java)} {here}", ask) or "unknown"
