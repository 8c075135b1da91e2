"""What to say stands at the foot of the screen, or in a place of the speaker's own."""

import pytest

from safepointlab.errors import BadInput
from safepointlab.teaching.demo.notes import Notes

SAY = ("first line", "second line")


def test_without_a_place_the_lines_are_on_the_screen():
    assert Notes().on_screen(SAY) == ("» first line", "» second line")


def test_with_a_place_they_are_there_and_not_on_the_screen(tmp_path):
    notes = Notes(str(tmp_path / "notes.txt"))
    notes.tell("hang 1/6", SAY)
    assert notes.on_screen(SAY) == ()
    assert (tmp_path / "notes.txt").read_text() == "hang 1/6\nfirst line\nsecond line\n\n"


def test_a_place_that_cannot_be_written_is_refused_before_the_demo_begins(tmp_path):
    with pytest.raises(BadInput, match="cannot be written.*tty"):
        Notes(str(tmp_path))
