"""An export joins a set that this machine made, in the same profile and with all its cores; no other."""

import pytest

from safepointlab import cli
from safepointlab.cli import notebooks, recordings
from safepointlab.errors import BadInput
from safepointlab.process.archives import joining, unpack

HERE = {"cores": 2, "system": "Debian GNU/Linux 12, x86_64", "profile": "standard"}  # as the archive's own machine


def test_the_machine_that_made_a_set_may_add_to_it(file):
    joining.demand_same_machine("lab", file().parent, HERE)


@pytest.mark.parametrize(
    ("other", "words"),
    [
        ({"cores": 1}, "were made with 2 cores, and here it would be 1 core. Give it all cores (no taskset"),
        (
            {"system": "Fedora"},
            "were made with Debian GNU/Linux 12, x86_64, and here it would be Fedora. Export under another",
        ),
        (
            {"profile": "quick", "cores": 4},
            "2 cores and the profile standard, and here it would be 4 cores and the profile quick",
        ),
    ],
)
def test_another_one_is_refused_with_what_differs_and_what_to_do(file, other, words):
    with pytest.raises(BadInput) as refusal:
        joining.demand_same_machine("lab", file().parent, HERE | other)
    assert words in str(refusal.value) and "--as big-box" in str(refusal.value)


def test_a_folder_without_archives_is_anybodys(tmp_path):
    joining.demand_same_machine("big-box", tmp_path / "none-yet", HERE | {"cores": 64})


def test_the_command_refuses_before_it_plays_a_page(file, monkeypatch, capsys):
    monkeypatch.setattr(recordings.limits, "cores", lambda: 1)
    monkeypatch.setattr(unpack, "COMMITTED", file().parent)
    monkeypatch.setattr(notebooks, "execute", lambda *_, **__: pytest.fail("a page was played"))
    for words in (["runs", "export"], ["runs", "export", str(file().parent / "02.tar.xz")]):
        assert cli.main(words) == 2
        assert "nothing is exported" in capsys.readouterr().err
