"""Samples are found by name, compiled once, and a compiler's refusal is passed on in its own words."""

import pytest

from safepointlab.errors import CompileFailed, SampleNotFound
from safepointlab.process import home
from safepointlab.run import build


@pytest.fixture
def sample(tmp_path, monkeypatch):
    monkeypatch.setattr(home, "SAMPLES", tmp_path / "programs")
    monkeypatch.setattr(home, "programs", lambda: tmp_path / "compiled")
    source = tmp_path / "programs" / "topic" / "Hello.java"
    source.parent.mkdir(parents=True)
    source.write_text('public class Hello { public static void main(String[] a) { System.out.println("hi"); } }')
    return source


def test_a_sample_is_found_by_topic_and_by_its_bare_name(sample):
    assert build.find_sample("topic/Hello") == build.find_sample("Hello") == sample


@pytest.mark.parametrize("name", ["Topic/Hello", "topic/hello", "../topic/Hello", "programs/Hello", "topic/", "/Hello"])
def test_a_sample_is_found_by_its_exact_name_only(sample, name):
    with pytest.raises(SampleNotFound):
        build.find_sample(name)


def test_any_java_file_is_a_sample(sample, tmp_path):
    own = tmp_path / "Own.java"
    own.write_text("class Own {}")
    assert build.find_sample(str(own)) == own


def test_an_unknown_sample_names_the_closest(sample):
    with pytest.raises(SampleNotFound, match="no sample 'Helo'.*Did you mean: topic/Hello"):
        build.find_sample("Helo")


def test_a_name_that_is_close_to_none_gets_the_topics_and_not_every_sample(sample):
    with pytest.raises(
        SampleNotFound, match=r"There are \d+ samples, by topic: topic\. To list those of one: ls "
    ) as refusal:
        build.find_sample("qqqq")
    assert "topic/Hello" not in str(refusal.value)


def test_an_unknown_compiler_names_the_known_ones(sample):
    with pytest.raises(CompileFailed, match='no compiler "?.?gcc'):
        build.compile_with("gcc", "Hello", None)


def test_an_unknown_ecj_version_is_refused_before_any_download():
    with pytest.raises(CompileFailed, match=r"no Eclipse compiler '9\.9'.*4\.6\.1"):
        build.fetch_ecj("9.9")


def test_another_source_text_or_compiler_is_another_program(sample):
    one = build.planned(sample, "javac 17")
    other = build.planned(sample, "ecj 4.6.1")
    sample.write_text(sample.read_text() + "// changed")
    assert len({one.key, other.key, build.planned(sample, "javac 17").key}) == 3


def test_a_program_in_a_package_is_started_by_its_full_name(sample):
    sample.write_text("// package of.old;\n/* package no.more; */\npackage demo.two;\nclass Hello {}")
    assert build.planned(sample, "javac 17").main_class == "demo.two.Hello"


@pytest.mark.gate
@pytest.mark.live
def test_javac_and_ecj_both_write_java_8_class_files(sample):
    for compiler in ("javac", "ecj"):
        program = build.compile_with(compiler, "Hello", None)
        assert (program.classes / "Hello.class").read_bytes()[6:8] == (52).to_bytes(2, "big")


@pytest.mark.gate
@pytest.mark.live
def test_a_program_is_compiled_once(sample):
    first = build.javac("Hello")
    stamp = (first.classes / "Hello.class").stat().st_mtime_ns
    assert (build.javac("Hello").classes / "Hello.class").stat().st_mtime_ns == stamp


@pytest.mark.gate
@pytest.mark.live
@pytest.mark.parametrize("compiler", [build.javac, build.ecj])
def test_a_source_that_does_not_compile_shows_the_compilers_words(sample, compiler, tmp_path):
    sample.write_text("class Hello { int x = nonesuch; }")
    with pytest.raises(CompileFailed, match="(?s)refused.*nonesuch"):
        compiler("Hello")
    assert list((tmp_path / "compiled").iterdir()) == []


@pytest.mark.gate
@pytest.mark.live
def test_javap_shows_the_bytecode(sample):
    assert "getstatic" in build.javac("Hello").javap()
