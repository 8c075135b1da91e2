"""A cache of the test's own, and recordings of one run that no JVM made."""

import json

import pytest

from safepointlab.process.archives import archive, manifest
from safepointlab.process.replay import FACTS, MANIFEST

FOLDER = "KillerTask-0123456789ab-20261122T120000000000-abcdef"
MACHINE = {"cores": 2, "system": "Debian GNU/Linux 12, x86_64"}
RUN = {
    "command": ["~/.cache/safepointlab/jdks/17/bin/java", "-cp", "~/safepoint-lab/classes", "KillerTask"],
    "outcome": "exited", "exit_code": 0, "started": "2026-11-22T12:00:00.000+00:00", "wall_ms": 900.0, "cpu_ms": 800.0,
    "max_rss_mib": 30.0, "at_deadline": {}, "quiet": {},
    "about": {"request": {"sample": "hang/KillerTask"}, "jdk": {"version": "17.0.15"}, "machine": MACHINE},
}  # fmt: skip
ANSWERS = {"machine cores": 2, "machine system": MACHINE["system"], "profile": "standard", "jdks": []}


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("SAFEPOINTLAB_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def contents():
    """What a sound archive holds; changed facts make it another machine's, or another profile's."""

    def make(name="lab", pages=("01-page",), **changed):
        run = {f"runs/{FOLDER}/run.json": json.dumps(RUN).encode(), f"runs/{FOLDER}/stdout.txt": b"done\n"}
        inside = {FACTS: json.dumps(ANSWERS | changed).encode(), **run}
        return {**inside, MANIFEST: json.dumps(manifest.made(name, pages, inside)).encode()}

    return make


@pytest.fixture
def file(tmp_path, contents):
    """An archive's file, of sound contents or of those given."""

    def make(given=None, name="01.tar.xz", **settings):
        path = tmp_path / name
        path.write_bytes(archive.packed(given or contents(**settings)))
        return path

    return make
