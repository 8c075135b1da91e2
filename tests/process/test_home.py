"""Where the lab keeps what it fetched and recorded, what recordings call these folders, and what the tools lack."""

import json

import pytest

from safepointlab.errors import StorageFailed, ToolMissing
from safepointlab.jdks import finder, jars
from safepointlab.process import extras, home

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


def test_what_was_fetched_is_used_from_the_shared_folder_and_what_is_written_goes_to_the_cache(folders, monkeypatch):
    shared, cache = folders
    assert jars.cached(ECJ) == cache / ECJ_JAR
    (shared / ECJ_JAR).parent.mkdir(parents=True)
    (shared / ECJ_JAR).touch()
    assert jars.cached(ECJ) == shared / ECJ_JAR
    for folder in folders:
        (folder / "jdks" / f"of-{folder.name}").mkdir(parents=True)
    assert {path.name for origin, path in finder.places() if origin == "lab"} == {"of-shared", "of-cache"}
    assert [home.runs(), home.programs(), home.jdk_store()] == [cache / "runs", cache / "programs", cache / "jdks"]
    monkeypatch.delenv("SAFEPOINTLAB_SHARED")
    assert home.fetched("maven") == cache / "maven" and home.jdk_stores() == [cache / "jdks"]


def test_the_advice_to_move_the_cache_says_how_the_jdks_stay(folders, monkeypatch):
    monkeypatch.delenv("SAFEPOINTLAB_SHARED")
    _, cache = folders
    (cache / "jdks").mkdir()
    (cache / "file").touch()
    with pytest.raises(StorageFailed, match=f"SAFEPOINTLAB_SHARED={cache} keeps the JDKs"):
        home.ready(cache / "file" / "runs")


def test_a_recording_calls_folders_by_neutral_names(folders):
    shared, cache = folders
    for text, neutral in [
        (f"{shared}/jdks/25/bin/java", "~/.cache/safepointlab/jdks/25/bin/java"),
        (f"{home.PROJECT}-2/a {home.PROJECT}.old", f"{home.PROJECT}-2/a {home.PROJECT}.old"),  # only begin like ours
        ('"/tmp/other/java-samples/programs/A.java"', '"~/safepoint-lab/java-samples/programs/A.java"'),
    ]:
        assert home.neutral(text) == neutral
    escaped = json.dumps([f"file={cache}/runs/a", str(home.PROJECT)]).replace("/", r"\/")
    assert json.loads(home.neutral(escaped)) == ["file=~/.cache/safepointlab/runs/a", "~/safepoint-lab"]


@pytest.mark.each("text", ["a ~b ~ ~/c", "-agentpath:~/.cache/safepointlab/x", "~/safepoint-lab/java-samples/A"])
def test_neutral_names_come_back_the_same(text):
    assert home.neutral(home.local(text)) == text


def test_a_module_of_the_course_is_refused_with_the_command_that_installs_it(tmp_path, monkeypatch):
    refusal = str(
        extras.refusal(ModuleNotFoundError("No module named 'nbclient.exceptions'", name="nbclient.exceptions"))
    )
    assert "needs nbclient" in refusal and extras.INSTALL in refusal and "make -B setup" in refusal
    for other in (ModuleNotFoundError(name="nonsense"), ModuleNotFoundError("of no name")):
        assert extras.refusal(other) is None  # a defect
    extras.demand("json")
    with pytest.raises(ToolMissing, match="needs no_such_module"):
        extras.demand("no_such_module")
    extras.demand_notebooks("slides")
    monkeypatch.setattr(home, "PROJECT", tmp_path)  # an installed package
    assert "make -B setup" not in str(extras.refusal(ModuleNotFoundError(name="anywidget")))
    with pytest.raises(ToolMissing, match=r"safepoint slides works on the course's notebooks.*Get a checkout"):
        extras.demand_notebooks("slides")
