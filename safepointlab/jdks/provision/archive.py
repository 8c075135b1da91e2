"""A major version -> a JDK from the distribution's own archive, fetched and unpacked without root.

The lab runs apt with sources, lists and status of its own. Apt verifies the archive's signature, finds the newest
build, and gives the checksum of each file. The machine's own apt, its packages and its sources stay as they are.
"""

import contextlib
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from safepointlab import jdks
from safepointlab.errors import InstallFailed, RunFailed, ToolMissing
from safepointlab.jdks.provision import transplant
from safepointlab.jdks.provision.fetch import fetch, mb
from safepointlab.jdks.provision.sources import Mirror, mirror
from safepointlab.process import home, shell

LIBC = ("libc6", "libgcc-s1", "libstdc++6", "zlib1g")  # all that a headless JDK is linked against
PATIENCE_S = 600.0


@dataclass(frozen=True)
class Package:
    """One .deb as the signed list of packages describes it; `sha256` is "" if the list has none."""

    url: str
    file: str  # "openjdk-17-jdk-headless_17.0.15+6-1_amd64.deb"
    size: int
    sha256: str

    @property
    def name(self) -> str:
        return self.file.partition("_")[0]

    @property
    def version(self) -> str:
        """Its version, an epoch's colon as itself."""
        return self.file.split("_")[1].replace("%3a", ":")


class Apt:
    """The lab's own apt over some suites of a mirror, for this machine's processor or another ("arm64")."""

    def __init__(self, source: Mirror, suites: tuple[str, ...], architecture: str = "") -> None:
        self.distribution, self.suites, self.architecture = source.distribution.lower(), " ".join(suites), architecture
        self.folder = home.ready(home.cache() / "apt" / "-".join([*suites, *filter(None, [architecture])]))
        self.debs = home.ready(self.folder / "debs")
        for needed in ("lists/partial", "cache/archives/partial"):
            home.ready(self.folder / needed)
        (self.folder / "status").touch()
        (self.folder / "lab.sources").write_text(source.stanza(suites), "utf-8")
        (self.folder / "lab.conf").write_text(self.configuration(), "utf-8")

    def configuration(self) -> str:
        """The settings that isolate this apt; all others, such as a proxy, are the machine's."""
        settings = {
            "Dir::State": self.folder,
            "Dir::State::lists": self.folder / "lists",
            "Dir::State::status": self.folder / "status",
            "Dir::Cache": self.folder / "cache",
            "Dir::Cache::pkgcache": "",  # 50 MB on disk that would save a second
            "Dir::Cache::srcpkgcache": "",
            "Dir::Etc::SourceList": self.folder / "lab.sources",
            "Dir::Etc::SourceParts": "/dev/null",
            "Dir::Etc::Preferences": "/dev/null",
            "Dir::Etc::PreferencesParts": "/dev/null",
            "APT::Sandbox::User": "root",  # when run as root: apt's own user _apt cannot read another's cache folder
            "APT::Update::Error-Mode": "any",  # an archive that cannot be reached is an error, not a warning
        }
        hooks = [f"APT::Update::{hook}-Invoke" for hook in ("Pre", "Post")] + ["APT::Update::Post-Invoke-Success"]
        if self.architecture:
            settings |= {"APT::Architecture": self.architecture, "APT::Architectures": self.architecture}
        lines = [f'{name} "{value}";\n' for name, value in settings.items()]
        return "".join(lines + [f"#clear {hook};\n" for hook in hooks])  # container images delete packages there

    def run(self, tool: str, *words: str, folder: Path | None = None) -> str:
        """The output of apt-get or apt-cache; `download` prints nothing in a folder that already has the .deb."""
        settings = str(self.folder / "lab.conf")  # read last, so it wins over every apt.conf
        command = ["env", "-C", str(folder or self.folder), tool, "-q", "-c", settings, *words]
        return shell.output_of(command, deadline=PATIENCE_S, env={"LC_ALL": "C.UTF-8"})

    def names(self, prefix: str) -> set[str]:
        return set(self.run("apt-cache", "pkgnames", prefix).split())

    def packages(self, *names: str) -> list[Package]:
        # 'http://mirror.example/pool/z/zlib1g_1.3.2-4_amd64.deb' zlib1g_1.3.2-4_amd64.deb 92424 SHA256:b9fd4a...
        listed = self.run("apt-get", "--print-uris", "download", *names)
        lines = re.findall(r"^'(.+)' (\S+) (\d+)(?: SHA256:(\w+))?", listed, re.MULTILINE)
        return [Package(url, file, int(size), sha256) for url, file, size, sha256 in lines]

    def download(self, package: Package, say: Callable[[str], object]) -> Path:
        """The verified .deb; the lab's own download resumes, apt's handles proxies and other methods."""
        say(f"  {package.name} {package.version}: {mb(package.size)}")
        target = self.debs / package.file
        if package.url.startswith("http") and package.sha256:
            try:
                return fetch(package.url, target, package.size, package.sha256, say)
            except InstallFailed as failed:
                say(f"  {failed}; trying apt's own download")
        self.run("apt-get", "download", f"{package.name}={package.version}", folder=self.debs)
        return target

    def forget(self, packages: Sequence[Package]) -> None:
        """Delete the downloads, and what an interrupted download of an older build may have left."""
        for package in packages:
            for deb in self.debs.glob(f"{package.name}_*"):
                deb.unlink()


class Archive:
    """Debian's or Ubuntu's packages as a source of JDKs; another processor's are unpacked, but not started."""

    name = "the distribution's archive"

    def __init__(
        self, store: Path, say: Callable[[str], object], etc: Path = Path("/etc"), architecture: str = ""
    ) -> None:
        self.store, self.say, self.etc, self.architecture = store, say, etc, architecture
        self._apts: dict[tuple[str, ...], Apt] = {}

    def install(self, spec: str) -> Path:
        """Download, unpack and make runnable the JDK of the spec.

        Raises:
            InstallFailed: this machine has no apt, the archive is out of reach, or it holds no such JDK.
        """
        vendor, _, version = spec.lower().rpartition(":")
        number = re.match(r"(?:1\.(?=\d))?(\d+)", version)
        if vendor not in ("", *jdks.PACKAGERS) or not number:
            raise InstallFailed(f"holds no {spec}, only the distribution's own builds: ask for 17, 28-ea, archive:21")
        try:
            return self._unpacked(*self._find(int(number[1]), version))
        except (RunFailed, ToolMissing) as failed:
            complaints = re.findall(r"^E: (.+)", str(failed), re.MULTILINE)  # apt's, without the long command
            raise InstallFailed("; ".join(complaints) or str(failed)) from failed

    def _find(self, major: int, version: str) -> tuple[Apt, list[Package], int]:
        """The apt that knows the JDK, its packages, and its number; only headless ones, as the lab opens no window."""
        source, tried = mirror(self.etc), []
        for suites in source.suites:
            if suites not in self._apts:
                apt = Apt(source, suites, self.architecture)
                self.say(f"reading the list of packages of {source.distribution} {apt.suites}")
                apt.run("apt-get", "update")  # which verifies the list's signature
                self._apts[suites] = apt
            apt = self._apts[suites]
            headless = [re.fullmatch(r"openjdk-(\d+)-jdk-headless", name) for name in apt.names("openjdk-")]
            majors = sorted({int(match[1]) for match in headless if match})
            wanted = [each for each in reversed(majors) if each == major or (each > major and version.endswith("+"))]
            only = []
            for each in wanted:
                packages = apt.packages(*(f"openjdk-{each}-{part}-headless" for part in ("jre", "jdk")))
                only.append(java_version(packages[0].version))
                if jdks.begins(only[-1], version):
                    return apt, packages, each
            known = f"{' and '.join(only)} only" if only else " ".join(map(str, majors)) or "none"
            tried.append(f"{apt.suites} has {known}")
        raise InstallFailed(f"{source.distribution} holds no JDK {version} ({'; '.join(tried)})")

    def _unpacked(self, apt: Apt, packages: list[Package], major: int) -> Path:
        debs = [apt.download(package, self.say) for package in packages]
        final = self.store / f"{apt.distribution}-openjdk-{path_safe(packages[0].version)}"
        with tempfile.TemporaryDirectory(prefix=".new-", dir=self.store) as folder:
            for deb in debs:
                unpack(deb, Path(folder))
            java_home = transplant.settle(Path(folder))
            if self.architecture or transplant.libc_is_too_old(debs):  # which one the other machine has is unknown
                transplant.give_libc(java_home, self._libc(apt))
            if major in transplant.HSDIS_MAJORS and not self.architecture:
                self._hsdis(apt, java_home)
            if major == 8:
                self._symbols(apt, java_home)
            transplant.give_certificates(java_home)
            if not self.architecture:
                shell.output_of([str(java_home / "bin" / "java"), "-version"])
            shutil.rmtree(final, ignore_errors=True)  # not a working JDK: otherwise this one would not be missing
            java_home.rename(final)
        apt.forget(packages)
        return final

    def _libc(self, apt: Apt) -> Path:
        """The newer suite's C library, shared by all JDKs unpacked from it."""
        packages = apt.packages(*LIBC)
        libc = next(package for package in packages if package.name == LIBC[0])
        shared = self.store / f"libc-{path_safe(libc.version)}"
        if not shared.exists():
            self.say("  this machine's C library is too old for it: fetching a newer one to go with the JDK")
            with self._fetched(apt, packages) as tree:
                transplant.gather_libraries(tree, tree / "new" / "lib")
                (tree / "new").rename(shared)
        return shared / "lib"

    def _hsdis(self, apt: Apt, java_home: Path) -> None:
        """Add the disassembler if the archive has one for this processor; without it there is only no assembly."""
        needs: list[str] = []
        with contextlib.suppress(RunFailed):  # no such package
            needs = re.findall(r"Depends: (libfcml\S*)", apt.run("apt-cache", "depends", "libhsdis0-fcml"))
        if not needs:
            self.say("  the archive has no disassembler (libhsdis0-fcml) for this processor")
            return
        with self._fetched(apt, apt.packages("libhsdis0-fcml", *needs)) as tree:
            transplant.gather_libraries(tree, tree / "new")
            transplant.give_hsdis(java_home, tree / "new")

    def _symbols(self, apt: Apt, java_home: Path) -> None:
        """Add the symbols that jstack -F and profilers need for a JVM of JDK 8; without them they report less."""
        if not apt.names("openjdk-8-dbg"):
            self.say("  the archive has no symbols for it (openjdk-8-dbg)")
            return
        with self._fetched(apt, apt.packages("openjdk-8-dbg")) as tree:
            for library in java_home.glob("jre/lib/*/server/libjvm.so"):
                transplant.give_symbols(library, tree)

    @contextlib.contextmanager
    def _fetched(self, apt: Apt, packages: list[Package]) -> Iterator[Path]:
        """The packages, unpacked into a folder that is deleted at the end of the block, as are their downloads."""
        with tempfile.TemporaryDirectory(prefix=".new-", dir=self.store) as folder:
            for package in packages:
                unpack(apt.download(package, self.say), Path(folder))
            yield Path(folder)
        apt.forget(packages)


def unpack(deb: Path, tree: Path) -> None:
    """Unpack a package into a folder; nothing of it is executed."""
    shell.output_of(["dpkg-deb", "-x", str(deb), str(tree)], deadline=PATIENCE_S)


def java_version(package_version: str) -> str:
    """Java's own name for a package's version.

    >>> [java_version(text) for text in ("8u504-ga-1", "17.0.15+6-1", "11.0.33~8ea-1", "28~18ea-1")]
    ['8u504', '17.0.15', '11.0.33-ea', '28-ea']
    """
    number = re.match(r"\d+(?:[.u]\d+)*", package_version)
    return (number[0] if number else package_version) + "-ea" * bool(re.search(r"~\d*ea", package_version))


def path_safe(version: str) -> str:
    """The version as part of a folder's name."""
    return re.sub(r"[^0-9A-Za-z.]+", "-", version)
