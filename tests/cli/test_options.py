"""Values and deadlines, as people type them: every command takes the same forms and refuses the same nonsense."""

import pytest

from safepointlab import cli
from safepointlab.cli import bench, options, run

SEVERAL = ["--jdk 8 17", "--jdk 8,17", "--jdk 8, 17", "--jdk=8,17", "--jdk 8 --jdk 17", "--jdk 8 , 17"]


def parsed(line: str):
    """What the command of this line is given, as `main` parses it."""
    return cli.parse_words(line.split())


@pytest.mark.each("forms", SEVERAL)
@pytest.mark.each("command", ["run start/HelloSafepoint", "bench osr.AddOne", "claims hang"])
def test_several_jdks_are_the_same_two_in_every_form(command, forms):
    assert parsed(f"{command} {forms}").jdk == ["8", "17"]


def test_collectors_compilers_and_jdks_to_install_come_in_the_same_forms():
    ran = parsed("run start/HelloSafepoint --gc Serial,G1 --compiler javac,ecj")
    assert (ran.gc, ran.compiler, ran.jdk) == (["Serial", "G1"], ["javac", "ecj"], ["25"])
    assert parsed("jdks install 8,17 temurin:25").specs == ["8", "17", "temurin:25"]


def test_a_line_of_flags_may_begin_with_a_hyphen_and_what_is_behind_two_hyphens_stays():
    assert parsed("run A --flags -Xint --args -x").flags == "-Xint"
    assert parsed("late -- java --args -x").command == ["--", "java", "--args", "-x"]


def test_a_folder_with_a_comma_or_a_blank_in_its_name_is_one_value(tmp_path):
    (tmp_path / "jdk 8,old").mkdir()
    assert options.several([f"{tmp_path}/jdk 8,old", "8,17"]) == [f"{tmp_path}/jdk 8,old", "8", "17"]


def test_a_comma_alone_is_no_value(capsys):
    with pytest.raises(SystemExit):
        parsed("run start/HelloSafepoint --jdk ,")
    assert "argument --jdk: separate values by commas" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "wanted", "axes"),
    [
        ("run --jdk 8 25 hang/KillerTask", "hang/KillerTask", {"jdk": ["8", "25"]}),
        ("run --jdk 8,25 KillerTask --gc Serial G1", "KillerTask", {"jdk": ["8", "25"], "gc": ["Serial", "G1"]}),
        ("run --gc Serial G1 Mine.java", "Mine.java", {"gc": ["Serial", "G1"]}),
        ("run --log gc safepoint hang/KillerTask", "hang/KillerTask", {"log": "gc safepoint"}),
        ("run --jdk 8 25 hang/NoSuchSample", "hang/NoSuchSample", {"jdk": ["8", "25"]}),
        ("bench --jdk 8 25 osr.AddOne", "osr.AddOne", {"jdk": ["8", "25"], "gc": [None]}),
        ("bench --jdk 8 --gc Serial osr.AddOne", "osr.AddOne", {"jdk": ["8"], "gc": ["Serial"]}),
    ],
)
def test_a_first_word_behind_the_values_of_an_option_is_the_first_word(line, wanted, axes, monkeypatch):
    asked = {}

    def ask(first, **settings):
        asked.update(settings, first=first)
        raise KeyboardInterrupt

    monkeypatch.setattr(bench, "jmh", ask)
    monkeypatch.setattr(run.launch, "java", ask)
    monkeypatch.setattr("safepointlab.run.sweep.sweep", ask)
    assert cli.main(line.split()) == 130
    assert asked["first"] == wanted and {name: asked[name] for name in axes} == axes


@pytest.mark.parametrize("words", ["run", "run --jdk 8 17", "run --jdk /no/such/jdk /nor/this", "bench --gc Serial G1"])
def test_a_command_without_its_first_word_says_where_to_put_it(words, capsys):
    assert cli.main(words.split()) == 2
    assert "first: safepoint" in capsys.readouterr().err


def test_topics_and_ids_behind_the_jdks_are_claims(capsys):
    assert cli.main(["claims", "--list", "--jdk", "8", "17", "000-12"]) == 0
    assert capsys.readouterr().out.startswith("000-12 ")


@pytest.mark.each("deadline", ["0", "-1", "nan", "inf", "soon", "1e9"])
@pytest.mark.each("command", ["run start/HelloSafepoint", "bench osr.AddOne", "late", "late --pid 1"])
def test_a_deadline_that_is_none_is_refused_before_anything_runs(command, deadline, capsys):
    with pytest.raises(SystemExit) as end:
        cli.main([*command.split(), "--deadline", deadline, *(["--", "no-such-program"] if command == "late" else [])])
    said = f"--deadline: a deadline is a number of seconds above 0 and below 10,000,000, such as 10; got '{deadline}'"
    assert end.value.code == 2 and said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "least"),
    [
        ("run start/HelloSafepoint --repeat 0", 1),
        ("run start/HelloSafepoint --repeat 1.5", 1),
        ("late --every -5", 0),
        ("runs prune --keep \u0663", 0),
    ],
)
def test_a_number_that_is_none_or_too_small_is_refused(line, least, capsys):
    with pytest.raises(SystemExit):
        parsed(line)
    assert f"must be a whole number, {least} or more; got '{line.split()[-1]}'" in capsys.readouterr().err


def test_a_deadline_is_a_time_in_seconds_with_or_without_a_fraction():
    assert [options.seconds(text) for text in ("10", "0.5", "1e3")] == [10.0, 0.5, 1000.0]
