"""The machine's apt configuration -> the one mirror of Debian's or Ubuntu's own archive, and the suites that hold JDKs.

Both formats are read. The modern one:

    Types: deb
    URIs: http://mirror.example/debian
    Suites: bookworm bookworm-updates
    Components: main
    Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg

and the older one, on a single line:

    deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://mirror.example/debian bookworm main

Third-party archives are in the same folder and may use the same suite names. Keyring, path and suite together decide
which one is the distribution's own.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from safepointlab.errors import InstallFailed

KEPT = {"signed-by": "Signed-By", "trusted": "Trusted", "check-valid-until": "Check-Valid-Until"}
ROLLING = ("stable", "testing", "unstable", "sid")


@dataclass(frozen=True)
class Mirror:
    """The source of the distribution's packages, and how apt verifies them.

    `suites` are tried in order, each a group that is read together: Debian's JDKs of all ages are in sid. Ubuntu has
    no such suite; its own release holds some JDKs, and its development series ("devel") the rest.
    """

    distribution: str
    uri: str
    suites: tuple[tuple[str, ...], ...]
    components: tuple[str, ...]
    options: dict[str, str] = field(default_factory=dict)

    def stanza(self, suites: tuple[str, ...]) -> str:
        """The sources file of an apt that sees these suites and nothing else."""
        fields = {"Types": "deb", "URIs": self.uri, "Suites": " ".join(suites), "Components": " ".join(self.components)}
        # no translations, no icons: only the list of packages
        fields |= {"Targets": "Packages", **self.options}
        return "".join(f"{name}: {value}\n" for name, value in fields.items())


@dataclass(frozen=True)
class Entry:
    """One source of the machine's configuration, in either format."""

    uri: str
    suites: tuple[str, ...]
    components: tuple[str, ...]
    options: dict[str, str]


def mirror(etc: Path = Path("/etc")) -> Mirror:
    """The mirror of this machine's own distribution.

    Raises:
        InstallFailed: not a Debian or Ubuntu, or its sources name no mirror of it.
    """
    about = dict(re.findall(r'^([A-Z_]+)="?([^"\n]*)"?$', _text(etc / "os-release"), re.MULTILINE))
    family = f"{about.get('ID', '')} {about.get('ID_LIKE', '')}".split()  # a derivative has its parent's archive
    distribution = next((name for name in ("Ubuntu", "Debian") if name.lower() in family), "")
    if not distribution:
        raise InstallFailed(f"this is {about.get('PRETTY_NAME', 'an unknown system')}, neither Debian nor Ubuntu")
    codename = about.get(f"{distribution.upper()}_CODENAME") or about.get("VERSION_CODENAME") or "sid"
    known = list(entries(etc))
    best = max(known, key=lambda entry: rank(entry, distribution, codename), default=None)
    if best is None or rank(best, distribution, codename) < 2:
        raise InstallFailed(
            f"no mirror of {distribution}'s own archive. Looked in {etc}/apt/sources.list and sources.list.d "
            f"({len(known)} sources of others). Add one there, or unpack a JDK yourself where `safepoint jdks` looks."
        )
    if distribution == "Debian":
        return Mirror(distribution, best.uri, (("sid",),), ("main",), best.options)
    suites: tuple[tuple[str, ...], ...] = ((codename, f"{codename}-updates"), ("devel",))
    return Mirror(distribution, best.uri, suites, ("main", "universe"), best.options)


def rank(entry: Entry, distribution: str, codename: str) -> int:
    """How surely this is the distribution's main archive: 0 not at all, 2 the least that is accepted, 7 certainly."""
    name, key = distribution.lower(), entry.options.get("Signed-By", "")
    if "main" not in entry.components or not {codename, *ROLLING} & set(entry.suites):
        return 0
    keyring = 4 if f"{name}-archive-keyring" in key else -2 if key.startswith("/") else 0
    path = re.search(rf"/{name}(-ports)?(/\d{{8}}T\d{{6}}Z)?/*$", entry.uri) is not None  # or a dated snapshot of it
    return keyring + 2 * path + (codename in entry.suites)


def entries(etc: Path) -> Iterator[Entry]:
    """All enabled binary sources, in both formats, with the settings by which apt verifies the archive."""
    folder = etc / "apt" / "sources.list.d"
    for file in [etc / "apt" / "sources.list", *sorted(folder.glob("*.list"))]:
        for options, words in re.findall(r"^\s*deb\s+(?:\[([^]]*)\]\s*)?([^#\n]+)", _text(file), re.MULTILINE):
            uri, *rest = words.split()
            settings = dict(word.split("=", 1) for word in options.split() if "=" in word)
            yield Entry(uri, tuple(rest[:1]), tuple(rest[1:]), _kept(settings))
    for file in sorted(folder.glob("*.sources")):
        for paragraph in re.split(r"\n[ \t]*\n", re.sub(r"^#.*\n", "", _text(file), flags=re.MULTILINE)):
            pairs = re.findall(r"^([A-Za-z-]+):[ \t]*(.*(?:\n[ \t].*)*)", paragraph, re.MULTILINE)
            fields = {name.lower(): value.rstrip() for name, value in pairs}
            uris, enabled = fields.get("uris", "").split(), fields.get("enabled", "yes").lower() != "no"
            if uris and enabled and "deb" in fields.get("types", "").split():
                suites, components = (tuple(fields.get(name, "").split()) for name in ("suites", "components"))
                yield Entry(uris[0], suites, components, _kept(fields))


def _text(file: Path) -> str:
    try:
        return file.read_text("utf-8", "replace")
    except OSError:
        return ""


def _kept(settings: dict[str, str]) -> dict[str, str]:
    return {KEPT[name]: value for name, value in settings.items() if name in KEPT}
