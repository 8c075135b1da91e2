"""Of all sources in apt's configuration the distribution's own mirror is picked."""

import pytest

from safepointlab.errors import InstallFailed
from safepointlab.jdks.provision.sources import mirror

DEBIAN = 'ID=debian\nVERSION_CODENAME=bookworm\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n'
UBUNTU = "ID=ubuntu\nID_LIKE=debian\nVERSION_CODENAME=noble\nUBUNTU_CODENAME=noble\n"
MINT = 'ID=linuxmint\nID_LIKE="ubuntu debian"\nVERSION_CODENAME=wilma\nUBUNTU_CODENAME=noble\n'
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
KEY = "Signed-By:\n -----BEGIN PGP PUBLIC KEY BLOCK-----\n .\n abc=\n -----END PGP PUBLIC KEY BLOCK-----"
OWN = "deb http://mirror.example/debian bookworm main\n"
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


@pytest.fixture
def chosen(tmp_path_factory):
    """chosen(DEBIAN, debian_sources=STANZA): the mirror of a machine with such an /etc.

    "sources_list" is apt/sources.list, "x_sources" is apt/sources.list.d/x.sources.
    """

    def make(release, **files):
        etc = tmp_path_factory.mktemp("etc")
        (etc / "apt" / "sources.list.d").mkdir(parents=True)
        (etc / "os-release").write_text(release)
        for name, text in files.items():
            place = "sources.list" if name == "sources_list" else f"sources.list.d/{name.replace('_', '.')}"
            (etc / "apt" / place).write_text(text)
        return mirror(etc)

    return make


def test_a_stanza_of_debian_is_read_with_its_keyring_and_passed_on_for_the_list_of_packages_only(chosen):
    one = chosen(DEBIAN, debian_sources=STANZA)
    assert (one.uri, one.suites, one.components) == ("http://mirror.example/debian", (("sid",),), ("main",))
    stanza = one.stanza(("sid",))
    assert "Suites: sid\n" in stanza and "Targets: Packages\n" in stanza and f"Signed-By: {KEYRING}\n" in stanza
    written = chosen(DEBIAN, debian_sources=STANZA.replace(f"Signed-By: {KEYRING}", KEY))
    assert "abc=\n -----END" in written.stanza(("sid",))


@pytest.mark.each(
    ("line", "uri", "options"),
    [
        (f"deb [arch=amd64 signed-by={KEYRING}] http://a.example/debian bookworm main contrib # ours\n",
         "http://a.example/debian", {"Signed-By": KEYRING}),
        ("deb http://a.example/debian/ stable main\n", "http://a.example/debian/", {}),
        ("deb [check-valid-until=no] http://a.example/debian/20250520T000000Z bookworm main\n",  # a dated snapshot
         "http://a.example/debian/20250520T000000Z", {"Check-Valid-Until": "no"}),
    ],
)  # fmt: skip
def test_a_one_line_source_is_read_with_its_options(chosen, line, uri, options):
    one = chosen(DEBIAN, sources_list=line)
    assert (one.uri, one.options) == (uri, options)


@pytest.mark.each(
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
def test_a_source_of_others_is_never_taken_for_the_distribution(chosen, foreign):
    assert chosen(DEBIAN, a_list=foreign, b_list=OWN).uri == "http://mirror.example/debian"
    with pytest.raises(InstallFailed, match="no mirror of Debian's own archive"):
        chosen(DEBIAN, a_list=foreign)


def test_ubuntu_and_its_derivatives_are_asked_for_their_own_release_then_for_the_next(chosen):
    stanza = "Types: deb\nURIs: http://mirror.example/ubuntu/\nSuites: noble noble-updates\nComponents: main universe\n"
    for release in (UBUNTU, MINT):
        one = chosen(release, ubuntu_sources=stanza)
        assert one.suites == (("noble", "noble-updates"), ("devel",)) and one.components == ("main", "universe")


def test_a_stanza_that_is_switched_off_is_not_used_and_other_systems_are_told_that_this_way_is_closed(chosen):
    with pytest.raises(InstallFailed):
        chosen(DEBIAN, debian_sources=STANZA.replace("Types", "Enabled: no\nTypes"))
    with pytest.raises(InstallFailed, match="this is Alpine, neither Debian nor Ubuntu"):
        chosen("ID=alpine\nPRETTY_NAME=Alpine\n")
