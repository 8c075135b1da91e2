"""Notebook 00's exercises: what solves them, and what comes near it and does not."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.errors import BadInput, FlagRejected
from safepointlab.topics import start, start_exercises


@pytest.fixture
def logged(monkeypatch):
    """Each collector's collection has a name of its own in the log, but for an alias of Serial."""
    names = {"Serial": "GenCollectFull", "Alias": "GenCollectFull", "G1": "G1CollectFull"}
    runs = {gc: SimpleNamespace(safepoints=pd.DataFrame({"operation": [name]})) for gc, name in names.items()}
    monkeypatch.setattr(start, "hello", lambda jdk, gc="Serial": runs[gc])


@pytest.mark.parametrize(("gc", "holds"), [("G1", True), ("Serial", False), ("Alias", False)])
def test_another_collector_must_name_its_collection_otherwise(logged, gc, holds):
    assert start_exercises.RENAMED.judge(gc).holds is holds


def test_what_is_no_run_is_no_answer():
    with pytest.raises(BadInput, match="the run that"):
        start_exercises.WRITTEN.judge(3)


@pytest.mark.live
@pytest.mark.parametrize(("jdk", "args", "holds"), [(8, "3 30", True), (17, "3 30", False), (8, "4 30", False)])
def test_the_readers_line_is_on_another_jdk_with_three_collections(jdk, args, holds):
    assert start_exercises.WRITTEN.judge(start.hello(jdk, args=args)).holds is holds


@pytest.mark.live
@pytest.mark.parametrize(("flag", "holds"), [("-Xlog:safepoint", True), ("-Xlog:gc", False)])
def test_the_flag_has_to_print_the_time_to_safepoint(flag, holds):
    assert start_exercises.REPLACED.judge(flag).holds is holds


@pytest.mark.live
def test_the_posts_flag_is_refused_by_17():
    with pytest.raises(FlagRejected, match="-Xlog:safepoint"):
        start_exercises.REPLACED.judge(start.STOPPED_TIME)
