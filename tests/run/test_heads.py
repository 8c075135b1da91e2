"""Every Java file of the lab opens with a whole head, whose RUN lines and expectations belong together."""

from pathlib import Path

import pytest

from safepointlab.process import home
from safepointlab.run import benchmarks, build, expectation, head

HEADS = [head.read(source) for source in (*build.sample_files(), *benchmarks.sources())]
NOTEBOOKS = {path.stem for path in (home.PROJECT / "notebooks").glob("*.ipynb")}

every_head = pytest.mark.each("one", HEADS)


def test_all_samples_and_benchmarks_are_looked_at():
    assert {"hang/KillerTask", "osr/AddOne"} <= {one.name for one in HEADS}


def test_no_two_programs_share_a_name():
    names = [one.source.stem for one in HEADS]
    assert len(names) == len(set(names))


@every_head
def test_a_head_has_two_lines_and_every_part_in_order(one):
    assert len(one.about) == 2 and one.about[0].startswith(f"{one.source.stem}: ")
    assert [part for part in one.parts if part != "ARGUMENTS"] == list(head.REQUIRED)
    assert all(any(line for line in lines) for lines in one.parts.values())


@every_head
def test_a_program_that_takes_arguments_says_which(one):
    assert ("args.length" not in one.source.read_text()) or "ARGUMENTS" in one.parts


@every_head
def test_a_question_is_one(one):
    assert "?" in " ".join(one.parts["QUESTION"])


@every_head
def test_a_head_names_notebooks_that_there_are(one):
    named = {word.strip(",()") for word in one.parts["NOTEBOOK"][0].split()} & NOTEBOOKS
    assert named


@every_head
def test_each_run_line_that_starts_a_program_has_an_expectation_that_can_be_compared(one):
    assert len(one.expectations) == len([line for line in one.run_lines if not line.compiles])
    assert all(expectation.parse(line) for line in one.expectations)


def test_a_run_line_goes_on_after_a_backslash_and_a_comment_names_its_jdk(tmp_path):
    sample = tmp_path / "topic" / "One.java"
    sample.parent.mkdir()
    sample.write_text(
        "// One: it runs.\n// RUN       # with JDK 8:\n//           java \\\n//           One\nclass One {}\n"
    )
    assert head.read(sample).run_lines == [head.Line("java One", 8)]


def test_a_line_compiles_if_a_compiler_is_its_last_command():
    lines = ["mkdir -p c && javac -d c A.java", "java -jar ${ECJ:-ecj.jar} A.java", "javac A.java && java A", "javap A"]
    assert [head.Line(line, 17).compiles for line in lines] == [True, True, False, False]


def test_the_title_is_the_first_sentence_without_the_name():
    one = head.Head("a/B", Path("B.java"), ("B: a queue, nearly empty, that", "leaks. It is correct."), {})
    assert one.title == "a queue, nearly empty, that leaks."
