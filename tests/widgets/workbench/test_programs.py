"""A sample or a file of one's own: what the page offers about it, and the file that is made to begin with."""

import pytest

from safepointlab.errors import BadInput, StorageFailed
from safepointlab.widgets.workbench import programs


def test_a_sample_comes_with_its_question_and_its_own_arguments():
    about = programs.about("hang/KillerTask")
    assert about["title"].endswith("?") and about["args"] == "1000" and not about["own"]
    assert "KillerTask.countOdds" in about["methods"]


def test_a_sample_that_needs_a_jar_comes_with_it():
    assert programs.about("guaranteed/PingPong")["jars"] == "org.hdrhistogram:HdrHistogram:2.2.2"


def test_the_jar_of_an_own_program_is_that_of_its_imports():
    text = "import java.util.*;\nimport org.jctools.queues.MpscLinkedQueue;\nclass A {}"
    assert programs.libraries(text) == ["org.jctools:jctools-core:4.0.5"]


def test_a_program_that_is_not_there_says_so_in_one_sentence():
    about = programs.about("hang/KilerTask")
    assert not about["found"] and "Did you mean: hang/KillerTask" in about["title"]


def test_a_new_file_is_a_class_of_its_name_and_is_not_written_twice(tmp_path):
    path = programs.new_file("Own.java", tmp_path)
    assert "public class Own {" in path.read_text()
    path.write_text("mine")
    assert programs.new_file("Own", tmp_path).read_text() == "mine"


@pytest.mark.parametrize("name", ["", "../Own.java", "my program.java", "9lives.java"])
def test_a_name_that_no_class_can_have_is_refused(name, tmp_path):
    with pytest.raises(BadInput, match="no name of a Java class"):
        programs.new_file(name, tmp_path)


def test_a_folder_of_that_name_is_no_file(tmp_path):
    (tmp_path / "Own.java").mkdir()
    with pytest.raises(StorageFailed, match="is a folder"):
        programs.new_file("Own.java", tmp_path)


@pytest.mark.live
def test_the_template_compiles_and_ends(tmp_path):
    from safepointlab.run import launch

    run = launch.java(str(programs.new_file("Own", tmp_path)), 17, deadline=20)
    assert run.output.endswith("main returns\n")
