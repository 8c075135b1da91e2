"""What a page asked for becomes an archive: its runs and facts, without this machine's folders."""

import json

import pytest

from safepointlab.process import home
from safepointlab.process.archives import archive, manifest, pack

RUN = "Killer-0123456789ab-20261122T120000000000-abcdef"


@pytest.fixture
def asked(tmp_path):
    folder = tmp_path / "runs" / RUN
    (folder / "fork-1").mkdir(parents=True)
    record = {"command": [f"{home.cache()}/jdks/8/bin/java"], "about": {}, "started": "2026-11-22T12:00:00+00:00"}
    (folder / "run.json").write_text(json.dumps(record | {"outcome": "exited", "wall_ms": 1.0, "quiet": {}}))
    (folder / "fork-1" / "vm.log").write_text(f"<cwd>{home.PROJECT}/build</cwd>")
    (folder / "recording.jfr").write_bytes(b"\xff\xfe")
    (folder / "link").symlink_to("/etc/passwd")
    trace = [{"run": str(folder)}, {"run": str(folder)}, {"fact": "profile", "answer": "quick"}, {"missing": "a run"}]
    (tmp_path / "trace").write_text("".join(json.dumps(line) + "\n" for line in trace))
    return pack.Asked().add(tmp_path / "trace")


def test_a_trace_says_each_run_and_fact_once_and_what_is_missing(asked):
    assert (list(asked.runs), asked.facts, asked.missing) == ([RUN], {"profile": "quick"}, ["a run"])


def test_the_archive_is_sound_and_the_same_each_time(asked):
    data = pack.of(asked, ["02-page"], "big-box")
    assert data == pack.of(asked, ["02-page"], "big-box")
    about = manifest.checked(archive.contents(data))
    assert (about["name"], about["profile"], about["days"], list(about["runs"])) == (
        "big-box", "quick", ["2026-11-22"], [RUN]
    )  # fmt: skip


def test_no_folder_of_this_machine_no_link_and_no_binary_recording_is_in_it(asked):
    packed = archive.contents(pack.of(asked, ["02-page"]))
    assert {path.rpartition("/")[2] for path in packed} == {"manifest.json", "facts.json", "run.json", "vm.log"}
    text = b"".join(packed.values()).decode()
    assert "~/.cache/safepointlab/jdks/8/bin/java" in text and "<cwd>~/safepoint-lab/build</cwd>" in text
    assert str(home.cache()) not in text and str(home.PROJECT) not in text


def test_a_flag_that_was_refused_is_a_fact_and_one_that_was_not_is_none(asked):
    asked.facts |= {"refused A-1": "no such flag", "refused A-2": ""}
    facts = json.loads(archive.contents(pack.of(asked, ["02-page"]))["facts.json"])
    assert facts == {"profile": "quick", "refused A-1": "no such flag"}
