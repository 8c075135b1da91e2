"""Notebook 91's exercises: what solves them, and what comes near it and does not."""

from types import SimpleNamespace

import pytest

from safepointlab.course import lessons
from safepointlab.course.nb91_marks import experiments as marks
from safepointlab.errors import BadInput

TEMPLATES = lessons.folder_of("91") / "templates"

HASHED, WAITED = "System.identityHashCode(object);", "synchronized (object) { object.wait(1); }"
SECOND = "Thread other = new Thread(() -> { synchronized (object) { } }); other.start(); other.join();"


@pytest.fixture
def thieves(monkeypatch):
    """thieves(words): what the words of new objects were."""

    def make(*words):
        values = {"objects": 45.0} | {f"after_{20 * n}": f"0x{word:016x}" for n, word in enumerate(words)}
        monkeypatch.setattr(marks, "thieves", lambda *_: SimpleNamespace(major=17, values=values))

    return make


@pytest.mark.parametrize(("words", "holds"), [((0x5, 0x105), True), ((0x5, 0x105, 0x1), False), ((0x1,), False)])
def test_with_the_flag_a_new_object_has_to_be_biasable_in_the_end(thieves, words, holds):
    thieves(*words)
    assert lessons.exercise("91-1").judge("-XX:Some=1").holds is holds


@pytest.mark.parametrize(("name", "holds"), [("epoch", True), ("Epoch", True), ("age", False), ("thread", False)])
def test_the_part_that_changes_is_the_epoch(thieves, name, holds):
    thieves(0x5, 0x105, 0x1)
    assert lessons.exercise("91-3").judge(name).holds is holds


def test_what_a_word_does_not_have_is_no_answer(thieves):
    with pytest.raises(BadInput, match="thread, epoch, age"):
        lessons.exercise("91-3").judge("hash")


@pytest.fixture
def edited(tmp_path):
    """edited(first, second): the exercise's file with these bodies."""

    def write(first, second):
        path = tmp_path / "OneThread.java"
        parts = (TEMPLATES / path.name).read_text().split("throws InterruptedException {\n", 2)
        path.write_text(f"throws InterruptedException {{\n{first}\n".join(parts[:2]) + _rest(second, parts[2]))
        return path

    return write


def _rest(body, text):
    return f"throws InterruptedException {{\n{body}\n{text}"


@pytest.mark.live
@pytest.mark.parametrize(
    ("first", "second", "holds"),
    [(HASHED, WAITED, True), (WAITED, WAITED, False), (HASHED, "", False), (SECOND, WAITED, False)],
)
def test_the_object_must_be_unlocked_then_fat_with_no_second_thread(edited, first, second, holds):
    judged = lessons.exercise("91-2").judge(edited(first, second))
    assert judged.holds is holds, judged.does
