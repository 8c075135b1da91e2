"""This machine -> the JDKs on it, with version, vendor and place; and 17, "25.0.3" or "temurin:25" -> one of them.

Only HotSpot builds count: the lab is about HotSpot, and OpenJ9 knows neither its flags nor its logs.
"""

import contextlib
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safepointlab.errors import JdkNotFound
from safepointlab.jdks import probe
from safepointlab.process import home
from safepointlab.process.replay import answered

WHERE = "JAVA_HOME, PATH, the system's JVM folders, SDKMAN, conda, the lab's cache"
SYSTEM_FOLDERS = ("/usr/lib/jvm", "/usr/lib64/jvm", "/usr/java", "/usr/local/java", "/opt", "/opt/java")
VENDOR_WORDS = {  # a vendor's name in a spec -> the names in its builds or their folders
    "temurin": ("adoptium", "temurin"),
    "adoptium": ("adoptium", "temurin"),
    "zulu": ("azul",),
    "archive": ("debian", "ubuntu"),
}
PACKAGERS = ("archive", "debian", "ubuntu")  # "vendors" whose builds come from the distribution's own archive


@dataclass(frozen=True)
class Jdk:
    """One JDK or JRE on this machine. `origin` says where it is from: JAVA_HOME, PATH, system, sdkman, conda or lab."""

    home: Path
    major: int
    version: str
    vendor: str
    origin: str

    def to_dict(self) -> dict[str, Any]:
        """As a record keeps it."""
        return {"major": self.major, "version": self.version, "vendor": self.vendor, "home": str(self.home)}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> "Jdk":
        """The way back; the folder may be another machine's."""
        home, major = Path(str(record.get("home", ""))), int(record.get("major", 0))
        return cls(home, major, str(record.get("version", "?")), str(record.get("vendor", "")), "recorded")

    @property
    def java(self) -> Path:
        """Its launcher."""
        return self.home / "bin" / "java"

    def tool(self, name: str) -> Path | None:
        """One of its tools, or None: a JRE has no javac, jcmd, jstack or jfr."""
        tool = self.home / "bin" / name
        return tool if answered("tool", str(tool), tool.is_file, unknown=False) else None

    @property
    def has_javac(self) -> bool:
        """Whether it is a JDK with javac, not a JRE."""
        return self.tool("javac") is not None

    @property
    def hsdis(self) -> Path | None:
        """The disassembler plug-in that this JVM would load for PrintAssembly, or None."""

        def ask() -> str:
            places = ("lib/server", "lib", "jre/lib/*/server", "jre/lib/*")
            files = [file for place in places for file in sorted(self.home.glob(f"{place}/hsdis-*.so"))]
            beside = filter(None, os.environ.get("LD_LIBRARY_PATH", "").split(":"))
            files += [file for folder in beside for file in sorted(Path(folder).glob("hsdis-*.so"))]
            return str(files[0]) if files else ""

        file = answered("disassembler", str(self.home), ask, unknown="")
        return Path(file) if file else None

    @property
    def collector(self) -> str:
        """The collector that it selects on this machine: Serial, Parallel, G1; queried once and cached."""
        return answered("collector", str(self.java), lambda: probe.collector(self.java))

    @property
    def label(self) -> str:
        """Its name in tables and messages: "JDK 8u504"."""
        return f"JDK {self.version}"

    def __repr__(self) -> str:
        return f"<{self.label} · {self.vendor} · {self.origin}>"


def find() -> list[Jdk]:
    """All JDKs on this machine, the oldest first; of two with one major version, the one that get() prefers first.

    In a replay of packed recordings they are those of the machine that made these.
    """

    def ask() -> list[dict[str, Any]]:
        found: dict[Path, Jdk] = {}
        for origin, folder in places():
            real = folder.resolve()
            if real not in found and (build := probe.build(real)) and build.hotspot:
                found[real] = Jdk(real, build.major, build.version, build.vendor, origin)
        by_preference = sorted(found.values(), key=preference, reverse=True)
        return [{**jdk.to_dict(), "origin": jdk.origin} for jdk in sorted(by_preference, key=lambda jdk: jdk.major)]

    return [Jdk(**{**jdk, "home": Path(jdk["home"])}) for jdk in answered("jdks", "", ask)]


def preference(jdk: Jdk) -> list[int]:
    """The sort key between two JDKs that fit: the lab's own, with javac, with a disassembler, then the newer."""
    plain = "graal" not in jdk.vendor.lower()  # GraalVM's JIT compiler is another one, with other logs
    numbers = map(int, re.findall(r"\d+", jdk.version))
    return [jdk.origin == "lab", jdk.has_javac, plain, jdk.hsdis is not None, *numbers]


def places() -> Iterator[tuple[str, Path]]:
    """Every folder that may hold a JDK, with the name of its origin."""
    yield from (("lab", folder) for store in home.jdk_stores() for folder in _folders(store))
    if java_home := os.environ.get("JAVA_HOME"):
        yield "JAVA_HOME", Path(java_home)
    if java := shutil.which("java"):
        yield "PATH", _home_of(Path(java))
    yield from (("system", folder) for parent in SYSTEM_FOLDERS for folder in _folders(Path(parent)))
    sdkman = Path(os.environ.get("SDKMAN_DIR") or Path.home() / ".sdkman")
    yield from (("sdkman", folder) for folder in _folders(sdkman / "candidates" / "java"))
    prefixes = [os.environ.get("CONDA_PREFIX", "")]  # the active environment, and all that conda created for this user
    with contextlib.suppress(OSError):
        prefixes += (Path.home() / ".conda" / "environments.txt").read_text("utf-8").split("\n")
    yield from (("conda", _home_of(Path(prefix.strip()) / "bin" / "java")) for prefix in prefixes if prefix.strip())


def _folders(parent: Path) -> list[Path]:
    try:
        return sorted(entry for entry in parent.iterdir() if not entry.name.startswith(".") and entry.is_dir())
    except OSError:
        return []


def _home_of(java: Path) -> Path:
    """The JDK around a launcher or a link to one; that of JDK 8 may lie one level deeper, in the JRE within the JDK."""
    folder = java.resolve().parent.parent
    return folder.parent if folder.name == "jre" and (folder.parent / "bin" / "java").exists() else folder


def get(spec: "int | str | Jdk") -> Jdk:
    """The JDK that a spec names: 8, "17", "25.0.3", "28-ea", "temurin:25", a folder, or a Jdk itself.

    Raises:
        JdkNotFound: none fits; the message lists where we looked, what is there and how to get it.
    """
    if isinstance(spec, Jdk):
        return spec
    if isinstance(spec, str) and "/" in spec:
        return _at(Path(spec).expanduser())
    known = find()
    fitting = [jdk for jdk in known if fits(jdk, str(spec))]
    if not fitting:
        raise JdkNotFound(missing(str(spec), known))
    return max(fitting, key=preference)


def fits(jdk: Jdk, spec: str) -> bool:
    """Whether a JDK matches a spec: the vendor if the spec names one, and the beginning of the version.

    The vendor's name may be in the build's own vendor string, or in the name of its folder.
    """
    vendor, _, version = spec.strip().lower().rpartition(":")
    about = f"{jdk.vendor} {jdk.home.name}".lower()
    is_of_vendor = not vendor or any(word in about for word in (vendor, *VENDOR_WORDS.get(vendor, ())))
    return is_of_vendor and begins(jdk.version.lower(), version)


def begins(version: str, asked: str) -> bool:
    """Whether a version begins with the numbers of `asked`: "25.0.3" with "25" and "25.0", not "2"; "1.8" means 8.

    "26+" is any released version from 26 on.
    """
    if least := re.fullmatch(r"(\d+)\+", asked):
        number = re.match(r"\d+", version)
        return number is not None and int(number[0]) >= int(least[1]) and "-ea" not in version
    asked = re.sub(r"^1\.8(\.0)?[_-]?(?=\d|$)", lambda prefix: "8u" if prefix.end() < len(asked) else "8", asked)
    return version == asked or bool(asked) and re.match(re.escape(asked) + r"(?![0-9])", version) is not None


def _at(folder: Path) -> Jdk:
    known = {jdk.home: jdk for jdk in find()}
    if folder in known:
        return known[folder]
    java = folder if folder.is_file() else folder / "bin" / "java"
    real = _home_of(java)
    # not of any file: the folder above /etc/passwd has a bin/java, too
    build = probe.build(real) if java.resolve().name == "java" else None
    if build is None:
        raise JdkNotFound(f"no Java in {home.shown(folder)}: there is no bin/java that runs. Give a JDK's own folder.")
    if not build.hotspot:
        whose = f"{build.vendor}'s own JVM"
        raise JdkNotFound(f"{home.shown(folder)} is not a HotSpot build but {whose}. Give another one.")
    return known.get(real) or Jdk(real, build.major, build.version, build.vendor, "system")


def missing(spec: str, known: list[Jdk]) -> str:
    """The message if no JDK fits: where we looked, what is there, and how to get one."""
    versions = ", ".join(jdk.version for jdk in known) or "none at all"
    install = f"Install it with: safepoint jdks install {spec}"
    advice = install if re.search(r"\d", spec) else "Give a version such as 17, vendor:version or a JDK's folder."
    return f"no JDK {spec}. Looked in {WHERE} (found: {versions}). {advice}"
