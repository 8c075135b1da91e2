"""message.py: what goes out before the class says what to install, how large it is, how long the class takes."""

from pathlib import Path

from safepointlab import jdks
from safepointlab.jdks import Jdk
from safepointlab.teaching.workshop import agenda, message


def test_the_message_has_the_lengths_the_sizes_and_the_doctors_command(course, monkeypatch):
    monkeypatch.setattr(message, "sizes", lambda: "3.0 GiB where this message was written")
    text = message.message(agenda.agendas(course))
    assert all(words in text for words in ("(1:30 hours", "(3:00 hours", "(8:00 hours", "3.0 GiB where"))
    assert all(command in text for command in ("`make setup`", "safepoint doctor --workshop", "`make lab`"))


def test_a_folder_is_as_large_as_its_files_and_links_count_nothing(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "large").write_bytes(b"x" * 2**20)
    (tmp_path / "again").symlink_to(tmp_path / "a" / "large")
    assert message.folder_gib(tmp_path) == 2**20 / 2**30


def test_a_missing_jdk_is_not_counted_and_that_is_said(monkeypatch, tmp_path: Path):
    monkeypatch.setattr(jdks, "find", lambda: [Jdk(tmp_path, 8, "8u504", "Debian", "system")])
    monkeypatch.setattr(message, "folder_gib", lambda folder: 1.0 if folder == tmp_path else 2.0)
    assert message.sizes().startswith("3.0 GiB") and "4 of them not counted" in message.sizes()
