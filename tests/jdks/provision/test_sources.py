"""provision/sources.py: of all sources in apt's configuration the distribution's own mirror is picked."""

from pathlib import Path

import pytest

from safepointlab.errors import InstallFailed
from safepointlab.jdks.provision.sources import mirror

DEBIAN = 'ID=debian\nVERSION_CODENAME=bookworm\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n'
UBUNTU = "ID=ubuntu\nID_LIKE=debian\nVERSION_CODENAME=noble\nUBUNTU_CODENAME=noble\n"
MINT = 'ID=linuxmint\nID_LIKE="ubuntu debian"\nVERSION_CODENAME=wilma\nUBUNTU_CODENAME=noble\n'
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
STANZA = f"""\
Types: deb
# a comment within the stanza
URIs: http://mirror.example/debian
Suites: bookworm bookworm-updates
Components: main
Signed-By: {KEYRING}

Types: deb
URIs: http://mirror.example/debian-security
Suites: bookworm-security
Components: main
Signed-By: {KEYRING}
"""


def etc(folder: Path, release: str, **files: str) -> Path:
    """A folder like /etc; "sources_list" is apt/sources.list, "x_sources" is apt/sources.list.d/x.sources."""
    (folder / "apt" / "sources.list.d").mkdir(parents=True)
    (folder / "os-release").write_text(release)
    for name, text in files.items():
        plain = name == "sources_list"
        file = folder / "apt" / ("sources.list" if plain else f"sources.list.d/{name.replace('_', '.')}")
        file.write_text(text)
    return folder


def test_stanza_of_debian_is_read_with_its_keyring(tmp_path: Path) -> None:
    chosen = mirror(etc(tmp_path, DEBIAN, debian_sources=STANZA))
    assert (chosen.uri, chosen.suites, chosen.components) == ("http://mirror.example/debian", (("sid",),), ("main",))
    assert chosen.options == {"Signed-By": KEYRING}


def test_one_line_source_is_read_with_its_options(tmp_path: Path) -> None:
    line = f"deb [arch=amd64 signed-by={KEYRING}] http://mirror.example/debian bookworm main contrib # ours\n"
    chosen = mirror(etc(tmp_path, DEBIAN, sources_list=line))
    assert (chosen.uri, chosen.options) == ("http://mirror.example/debian", {"Signed-By": KEYRING})


def test_old_source_without_options_is_enough(tmp_path: Path) -> None:
    chosen = mirror(etc(tmp_path, DEBIAN, sources_list="deb http://mirror.example/debian/ stable main\n"))
    assert chosen.uri == "http://mirror.example/debian/"


@pytest.mark.parametrize(
    "foreign",
    [
        "deb https://packages.example/apt cloud-sdk-bookworm main",
        "deb https://packages.example/chrome/deb/ stable main",
        "deb [signed-by=/etc/apt/keyrings/other.asc] https://db.example/repo/11/debian bookworm main",
        "deb [signed-by=/etc/apt/keyrings/other.asc] https://docker.example/linux/debian bookworm stable",
        "deb [signed-by=/usr/share/keyrings/ms.gpg] https://packages.example/debian/12/prod bookworm main",
        "deb-src http://mirror.example/debian bookworm main",
        "# deb http://other.example/debian bookworm main",
        "deb http://flat.example/debian ./",
    ],
)
def test_source_of_others_is_never_taken_for_the_distribution(tmp_path: Path, foreign: str) -> None:
    own = "deb http://mirror.example/debian bookworm main\n"
    assert mirror(etc(tmp_path / "a", DEBIAN, a_list=foreign, b_list=own)).uri == "http://mirror.example/debian"
    with pytest.raises(InstallFailed, match="no mirror of Debian's own archive"):
        mirror(etc(tmp_path / "b", DEBIAN, a_list=foreign))


def test_stanza_that_is_switched_off_is_not_used(tmp_path: Path) -> None:
    with pytest.raises(InstallFailed):
        mirror(etc(tmp_path, DEBIAN, debian_sources=STANZA.replace("Types", "Enabled: no\nTypes")))


def test_dated_snapshot_of_debian_is_debian(tmp_path: Path) -> None:
    line = "deb [check-valid-until=no] http://snap.example/archive/debian/20250520T000000Z bookworm main\n"
    assert mirror(etc(tmp_path, DEBIAN, sources_list=line)).options == {"Check-Valid-Until": "no"}


@pytest.mark.parametrize("release", [UBUNTU, MINT])
def test_ubuntu_is_asked_for_its_own_release_then_for_the_next(tmp_path: Path, release: str) -> None:
    stanza = "Types: deb\nURIs: http://mirror.example/ubuntu/\nSuites: noble noble-updates\nComponents: main universe\n"
    chosen = mirror(etc(tmp_path, release, ubuntu_sources=stanza))
    assert chosen.suites == (("noble", "noble-updates"), ("devel",))
    assert chosen.components == ("main", "universe")


def test_key_written_into_the_stanza_is_kept(tmp_path: Path) -> None:
    key = "Signed-By:\n -----BEGIN PGP PUBLIC KEY BLOCK-----\n .\n abc=\n -----END PGP PUBLIC KEY BLOCK-----"
    chosen = mirror(etc(tmp_path, DEBIAN, debian_sources=STANZA.replace(f"Signed-By: {KEYRING}", key)))
    assert "abc=\n -----END" in chosen.stanza(("sid",))


def test_stanza_for_the_lab_asks_for_the_list_of_packages_only(tmp_path: Path) -> None:
    stanza = mirror(etc(tmp_path, DEBIAN, debian_sources=STANZA)).stanza(("sid",))
    assert "Suites: sid\n" in stanza and "Targets: Packages\n" in stanza and f"Signed-By: {KEYRING}\n" in stanza


def test_other_systems_are_told_that_this_way_is_closed(tmp_path: Path) -> None:
    with pytest.raises(InstallFailed, match="this is Alpine, neither Debian nor Ubuntu"):
        mirror(etc(tmp_path, "ID=alpine\nPRETTY_NAME=Alpine\n"))
