"""Each test of a page begins a session: nothing committed, nothing answered, and an empty work folder."""

import pytest

from safepointlab.pages import predict
from safepointlab.session import exercises, predictions


@pytest.fixture(autouse=True)
def fresh_session(tmp_path, monkeypatch):
    monkeypatch.setenv("SAFEPOINTLAB_WORK", str(tmp_path / "work"))
    for kept in (predictions._session, exercises._session, predict._shown):
        kept.clear()
