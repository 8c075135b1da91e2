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
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safepointlab.errors import LabError
from safepointlab.process import home, limits, recording, shell

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
    if not (folder / "bin" / "java").is_file():
        return None
    return _from_release(folder) or _from_java(folder)


def short_version(java_version: str, runtime_version: str = "") -> str:
    """A version as the lab writes it.

    >>> short_version("1.8.0_504"), short_version("28", "28-ea+18-1-Debian"), short_version("17.0.15")
    ('8u504', '28-ea', '17.0.15')
    """
    if old := re.match(r"1\.(\d+)\.\d+(?:_(\d+))?", java_version):
        return old[1] + (f"u{int(old[2])}" if old[2] else "")
    early = "-ea" in java_version + runtime_version
    return java_version.partition("-")[0] + "-ea" * early


def _from_release(folder: Path) -> Build | None:
    with contextlib.suppress(OSError):
        fields = dict(RELEASE_LINE.findall((folder / "release").read_text("utf-8", "replace")))
        if re.match(r"\d", fields.get("JAVA_VERSION", "")):
            version = short_version(fields["JAVA_VERSION"], fields.get("JAVA_RUNTIME_VERSION", ""))
            hotspot = _is_hotspot(folder, fields.get("JVM_VARIANT", ""))
            return Build(version, fields.get("IMPLEMENTOR", "unknown"), hotspot)
    return None


def _is_hotspot(folder: Path, variant: str) -> bool:
    return "j9" not in variant.lower() and not any((folder / trace).exists() for trace in OPENJ9)


def _from_java(folder: Path) -> Build | None:
    java = folder / "bin" / "java"
    fields = remembered("builds", f"{java} {mark(java)}", lambda: _queried(java))
    return Build(**fields) if fields else None


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


def remembered(topic: str, key: str, answer: Any) -> Any:
    """The answer cached under the key, or a new one; a cache that cannot be written only costs time."""
    file = home.cache() / "probes" / f"{topic}.json"
    cached = _cached(file)
    if key in cached:
        return cached[key]
    if new_answer := answer():
        with contextlib.suppress(LabError):
            home.ready(file.parent)
            recording.write_json(file, {**_cached(file), key: new_answer})
    return new_answer


def _cached(file: Path) -> dict[str, Any]:
    try:
        return dict(json.loads(file.read_text("utf-8")))
    except (OSError, ValueError):
        return {}


def collector(java: Path) -> str:
    """The collector that this java selects on this machine, by its cores and memory (JEP 523 changed the rule)."""
    machine = f"{limits.cores()} cores, {limits.memory_bytes()} bytes"
    return remembered("collectors", f"{java} {mark(java)} {machine}", lambda: _selected_collector(java)) or "unknown"


def _selected_collector(java: Path) -> str:
    try:
        flags = shell.output_of([str(java), "-XX:+PrintFlagsFinal", "-version"])
    except LabError:
        return ""
    # "     bool UseG1GC                     := true      {product}", since JDK 9 "= true ... {product} {ergonomic}"
    used = re.search(rf"^ +bool Use({'|'.join(COLLECTORS)})GC +:?= true\b", flags, re.MULTILINE)
    return used[1] if used else ""
