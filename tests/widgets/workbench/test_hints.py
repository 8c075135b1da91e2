"""What the page offers about a program and about flags while the reader types, and a file to begin with."""

import pytest

from safepointlab import jdks
from safepointlab.errors import BadInput, JdkNotFound, StorageFailed
from safepointlab.jdks import flag_facts
from safepointlab.jdks.flag_facts import FlagFact
from safepointlab.widgets.workbench import hints


def test_a_sample_comes_with_its_question_its_own_arguments_and_its_jar():
    about = hints.about("hang/KillerTask")
    assert about["title"].endswith("?") and about["args"] == "1000" and not about["own"]
    assert "KillerTask.countOdds" in about["methods"] and "KillerTask.for" not in about["methods"]
    assert hints.about("guaranteed/PingPong")["jars"] == "org.hdrhistogram:HdrHistogram:2.2.2"


def test_the_jar_of_an_own_program_is_that_of_its_imports(tmp_path):
    own = tmp_path / "Own.java"
    own.write_text("import java.util.*;\nimport org.jctools.queues.MpscLinkedQueue;\nclass Own {}")
    about = hints.about(str(own))
    assert about["jars"] == "org.jctools:jctools-core:4.0.5" and about["own"]


def test_a_program_that_is_not_there_says_so_in_one_sentence():
    about = hints.about("hang/KilerTask")
    assert not about["path"] and "Did you mean: hang/KillerTask" in about["title"]


def test_a_new_file_is_a_class_of_its_name_and_is_not_written_twice(tmp_path):
    path = hints.new_file("Own.java", tmp_path)
    assert "public class Own {" in path.read_text()
    path.write_text("mine")
    assert hints.new_file("Own", tmp_path).read_text() == "mine"
    (tmp_path / "Other.java").mkdir()
    with pytest.raises(StorageFailed, match="is a folder"):
        hints.new_file("Other.java", tmp_path)


@pytest.mark.each("name", ["", "../Own.java", "my program.java", "9lives.java"])
def test_a_name_that_no_class_can_have_is_refused(name):
    with pytest.raises(BadInput, match="not the name of a Java class"):
        hints.new_file(name)


@pytest.mark.live
def test_the_template_compiles_and_ends(tmp_path):
    from safepointlab.run import launch

    run = launch.java(str(hints.new_file("Own", tmp_path)), 17, deadline=20)
    assert run.output.endswith("main returns\n")


@pytest.fixture
def two_jdks(monkeypatch):
    """JDK 8 and 17, of which only 8 knows PrintGC."""

    def get(spec):
        if spec not in ("8", "17"):
            raise JdkNotFound(f"no JDK {spec}")
        return type("Jdk", (), {"major": int(spec)})()

    def fact(jdk, name):
        line = {"PrintGC": f"PrintGC: {'off' if jdk.major == 8 else 'gone'}", "Same": "Same: on"}.get(name)
        return line and FlagFact(name, "bool", "", "", "", line)

    monkeypatch.setattr(jdks, "get", get)
    monkeypatch.setattr(flag_facts, "complete", lambda jdk, word: ["-XX:+PrintGC"] if "Pr" in word else [])
    monkeypatch.setattr(flag_facts, "fact", fact)


@pytest.mark.parametrize(
    ("line", "specs", "lines"),
    [
        ("-Xint -XX:Pr", ["8"], ["-Xint -XX:+PrintGC"]),
        ("-XX:Pr", ["8"], ["-XX:+PrintGC"]),
        ("", ["8"], []),
        ("-X", ["8"], []),
        ("-Xint ", ["8"], []),
        ("-XX:Pr", ["99"], []),
    ],
)
def test_the_last_word_is_completed_and_the_words_before_it_stay(two_jdks, line, specs, lines):
    assert hints.complete_flags(line, specs) == lines


@pytest.mark.parametrize(
    ("line", "specs", "lines"),
    [
        ("-XX:+Same", ["8", "17"], ["JDK 8, 17: Same: on"]),
        ("-XX:+PrintGC -Xint", ["8", "17"], ["JDK 8: PrintGC: off", "JDK 17: PrintGC: gone"]),
        ("-XX:+Odd", ["8"], ["Odd: not a flag of this JDK."]),
        ("-XX:+Prit", ["8"], ["Prit: not a flag of this JDK. Did you mean -XX:+PrintGC?"]),
        ("-XX:+Same '-Da", ["8"], ["Same: on"]),
        ("-XX:+Same", ["99"], []),
    ],
)
def test_each_flag_has_a_line_for_the_jdks_that_say_the_same(two_jdks, line, specs, lines):
    assert hints.about_flags(line, specs) == lines
