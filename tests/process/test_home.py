"""What was fetched may lie in a shared folder that nobody writes to; what is written lies in the reader's own."""

import pytest

from safepointlab.errors import StorageFailed
from safepointlab.jdks import finder, jars
from safepointlab.process import home

ECJ = "org.eclipse.jdt:ecj:3.46.0"
ECJ_JAR = "maven/org/eclipse/jdt/ecj/3.46.0/ecj-3.46.0.jar"


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """An empty shared folder and an empty cache."""
    for name in ("shared", "cache"):
        (tmp_path / name).mkdir()
        monkeypatch.setenv(f"SAFEPOINTLAB_{name.upper()}", str(tmp_path / name))
    monkeypatch.delenv("SAFEPOINTLAB_RUNS", raising=False)
    return tmp_path / "shared", tmp_path / "cache"


def test_a_jar_that_is_in_the_shared_folder_is_used_from_there(folders):
    shared, cache = folders
    assert jars.cached(ECJ) == cache / ECJ_JAR
    (shared / ECJ_JAR).parent.mkdir(parents=True)
    (shared / ECJ_JAR).touch()
    assert jars.cached(ECJ) == shared / ECJ_JAR


def test_jdks_of_both_folders_are_looked_at(folders):
    for folder in folders:
        (folder / "jdks" / f"of-{folder.name}").mkdir(parents=True)
    assert {path.name for origin, path in finder.places() if origin == "lab"} == {"of-shared", "of-cache"}


def test_all_that_is_written_goes_to_the_cache(folders):
    _, cache = folders
    assert [home.runs(), home.programs(), home.jdk_store()] == [cache / "runs", cache / "programs", cache / "jdks"]


def test_without_a_shared_folder_everything_is_in_the_cache(folders, monkeypatch):
    monkeypatch.delenv("SAFEPOINTLAB_SHARED")
    _, cache = folders
    assert home.fetched("maven") == cache / "maven"
    assert home.jdk_stores() == [cache / "jdks"]


def test_a_recording_calls_the_shared_folder_by_the_caches_name(folders):
    shared, _ = folders
    assert home.neutral(f"{shared}/jdks/25/bin/java") == "~/.cache/safepointlab/jdks/25/bin/java"


def test_the_advice_to_move_the_cache_says_how_the_jdks_stay(folders, monkeypatch):
    monkeypatch.delenv("SAFEPOINTLAB_SHARED")
    _, cache = folders
    (cache / "jdks").mkdir()
    (cache / "file").touch()
    with pytest.raises(StorageFailed, match=f"SAFEPOINTLAB_SHARED={cache} keeps the JDKs"):
        home.ready(cache / "file" / "runs")
