"""Runs side by side: several functions are called at a time, and answer in their order."""

import threading
from functools import partial

import pytest

from safepointlab.errors import RunFailed
from safepointlab.run.sweep import together


def test_functions_run_side_by_side_and_answer_in_their_order():
    meeting = threading.Barrier(2, timeout=30)  # neither passes it alone

    def met(name):
        meeting.wait()
        return name

    assert together([partial(met, name) for name in "ab"], jobs=2) == ["a", "b"]


def test_with_one_job_they_run_one_after_the_other():
    seen = []
    makes = [partial(lambda name: seen.append(name) or len(seen), name) for name in "abc"]
    assert together(makes, jobs=1) == [1, 2, 3] and seen == ["a", "b", "c"]


def test_an_error_of_one_is_the_error_of_all():
    def refuse():
        raise RunFailed("it failed")

    with pytest.raises(RunFailed, match="it failed"):
        together([refuse, lambda: 1], jobs=1)
