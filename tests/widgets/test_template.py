"""An exercise's file: written once into the work folder, and never over what the reader has edited."""

import re

import pytest

from safepointlab.course import lessons
from safepointlab.errors import BadInput
from safepointlab.widgets import copies
from safepointlab.widgets.grade import grade
from safepointlab.widgets.template import EDITED, UNEDITED, WRITTEN, template

WITH_FILE = [each for each in lessons.exercises() if each.template]


@pytest.mark.each("exercise", WITH_FILE)
def test_the_file_is_written_into_the_work_folder_and_found_there_again(exercise):
    assert template(exercise.name).says == WRITTEN
    again = template(exercise.name)
    assert again.says == UNEDITED and again.path == copies.folder() / exercise.template.name


def test_an_edited_file_stays_as_it_is_and_the_reader_learns_how_to_begin_again():
    path = template("02-2").path
    path.write_text("mine")
    assert template("02-2").says == EDITED and path.read_text() == "mine"
    path.unlink()
    assert template("02-2").says == WRITTEN


def test_a_file_that_was_only_formatted_is_unedited_to_the_template_as_to_the_check():
    path = template("02-2").path
    path.write_text("// mine\n" + path.read_text().replace("    ", "\t").replace(" {", "\n{"))
    assert template("02-2").says == UNEDITED and grade("02-2", path).solved is None


def test_an_exercise_without_a_file_says_which_have_one():
    with pytest.raises(BadInput, match="02-1 edits no file. Those that do: .*02-2, .*20-2"):
        template("02-1")


@pytest.mark.each("exercise", WITH_FILE)
def test_a_file_that_nobody_edited_starts_no_jvm_and_is_not_solved(exercise):
    written = template(exercise.name)
    written.path.write_text(written.path.read_text() + "// a thought\n")
    checked = grade(exercise.name, written)
    assert checked.solved is None and "is as it was written" in checked.says and exercise.template.name in checked.says


@pytest.mark.each("exercise", WITH_FILE)
def test_a_file_whose_other_parts_changed_too_is_sent_back(exercise):
    written = template(exercise.name)
    written.path.write_text(re.sub(r"System\.out\.print\w*\(", "System.exit(0); //", written.path.read_text()))
    assert "what is yours" in grade(exercise.name, written).says
