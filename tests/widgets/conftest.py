"""Each test of a page begins a session: nothing committed, nothing answered, and an empty work folder."""

import pytest

from safepointlab.course import exercises, predictions
from safepointlab.widgets import predict


@pytest.fixture(autouse=True)
def fresh_session(tmp_path, monkeypatch):
    monkeypatch.setenv("SAFEPOINTLAB_WORK", str(tmp_path / "work"))
    for kept in (predictions._session, exercises._session, predict._shown):
        kept.clear()
