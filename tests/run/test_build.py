"""Samples are found by name, compiled once, and a compiler's refusal is passed on in its own words."""

import pytest

from safepointlab import jdks
from safepointlab.errors import BadInput, CompileFailed, FlagRejected, SampleNotFound
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


def test_a_sample_is_found_by_topic_by_its_bare_name_and_any_java_file_by_its_path(sample, tmp_path):
    assert build.find_sample("topic/Hello") == build.find_sample("Hello") == sample
    (own := tmp_path / "Own.java").write_text("class Own {}")
    assert build.find_sample(str(own)) == own


OUTSIDE = ["../topic/Hello", "../../../etc/passwd", "/etc/passwd", "topic/../../x", "topic/Hello/../..", "..", ""]


@pytest.mark.each("name", ["Topic/Hello", "topic/hello", "programs/Hello", "topic/", "/Hello", *OUTSIDE])
def test_a_sample_is_found_by_its_exact_name_only_and_none_outside_of_the_samples_folder(sample, name):
    with pytest.raises(SampleNotFound):
        build.find_sample(name)


def test_an_unknown_sample_names_the_closest_or_else_the_topics(sample):
    with pytest.raises(SampleNotFound, match="no sample 'Helo'.*Did you mean: topic/Hello"):
        build.find_sample("Helo")
    with pytest.raises(SampleNotFound, match=r"There are 1 samples, by topic: topic\. To list those of one: ls "):
        build.find_sample("qqqq")


def test_a_path_that_is_not_there_is_a_missing_file_and_no_unknown_sample(sample, tmp_path):
    with pytest.raises(SampleNotFound, match=f"no such file: {tmp_path}/Nope.java. Looked from"):
        build.find_sample(f"{tmp_path}/Nope.java")
    with pytest.raises(SampleNotFound, match=r"The sample's name is topic/Hello\.$"):
        build.find_sample("topic/Hello.java")


def test_a_misspelt_path_or_a_name_without_java_is_answered_with_the_file_that_is_there(sample, tmp_path, monkeypatch):
    (tmp_path / "Orders.java").write_text("class Orders {}")
    monkeypatch.chdir(tmp_path)
    for name in ("Ordesr.java", "Orders"):
        with pytest.raises(SampleNotFound, match=r"Did you mean \./Orders\.java\?$"):
            build.find_sample(name)
    with pytest.raises(SampleNotFound, match=f"Did you mean {tmp_path}/Orders.java"):
        build.find_sample(f"{tmp_path}/orders.java")
    with pytest.raises(SampleNotFound, match="Check the spelling"):
        build.find_sample("Bills.java")


def test_an_unknown_compiler_or_version_is_refused_before_any_download(sample):
    with pytest.raises(BadInput, match="no compiler 'gcc'"):
        build.compile_with("gcc", "Hello", None)
    with pytest.raises(BadInput, match=r"no Eclipse compiler '9\.9'.*4\.6\.1"):
        build.fetch_ecj("9.9")


def test_another_source_text_or_compiler_is_another_program(sample):
    keys = {build.planned(sample, compiler).key for compiler in ("javac 17", "ecj 4.6.1")}
    sample.write_text(sample.read_text() + "// changed")
    assert len(keys | {build.planned(sample, "javac 17").key}) == 3


def test_a_program_in_a_package_is_started_by_its_full_name(sample):
    sample.write_text("// package of.old;\n/* package no.more; */\npackage demo.two;\nclass Hello {}")
    assert build.planned(sample, "javac 17").main_class == "demo.two.Hello"


@pytest.mark.gate
@pytest.mark.live
@pytest.mark.parametrize("compiler", [build.javac, build.ecj])
def test_a_program_is_compiled_once_for_java_8_or_refused_in_the_compilers_words(sample, compiler, tmp_path):
    program = compiler("Hello")
    compiled = program.classes / "Hello.class"
    stamp = compiled.stat().st_mtime_ns
    assert compiled.read_bytes()[6:8] == (52).to_bytes(2, "big") and "getstatic" in program.javap()
    compiler("Hello")
    assert compiled.stat().st_mtime_ns == stamp
    sample.write_text("class Hello { int x = nonesuch; }")
    with pytest.raises(CompileFailed, match="(?s)refused.*nonesuch"):
        compiler("Hello")
    assert list((tmp_path / "compiled").iterdir()) == [program.classes]


RECORD = "record Own(int x) { public static void main(String[] words) { System.out.println(new Own(7).x()); } }"


@pytest.mark.each(
    ("head", "flags", "language"),
    [
        ("", "", build.Language()),
        ("// Hello: a sample.\n//\n// LANGUAGE 21\n", "-Xint", build.Language(21)),
        ("", "--enable-preview -Xint", build.Language(8, ("--enable-preview",))),
        ("", "--add-modules jdk.incubator.vector", build.Language(8, ("--add-modules", "jdk.incubator.vector"))),
    ],
)
def test_a_sample_is_java_8_unless_its_head_says_otherwise(sample, head, flags, language):
    sample.write_text(head + "class Hello {}")
    assert build.language_of(sample, None, flags.split()) == language


def test_a_file_of_ones_own_has_the_language_of_its_jdk(sample, tmp_path):
    (own := tmp_path / "Own.java").write_text(RECORD)
    jdk = jdks.Jdk(tmp_path, 21, "21.0.1", "Somebody", "lab")
    flags = ["--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED"]
    assert build.language_of(own, jdk, flags) == build.Language(21, tuple(flags))
    languages = [build.Language(8), build.Language(21), build.Language(21, ("--enable-preview",))]
    assert len({build.planned(own, "javac 21", language=each).key for each in languages}) == 3


def test_a_sample_in_a_newer_language_than_its_jdk_is_refused_before_a_compiler_sees_it(sample, tmp_path):
    sample.write_text("// Hello: a sample.\n//\n// LANGUAGE 21\nclass Hello {}")
    old = jdks.Jdk(tmp_path, 17, "17.0.1", "Somebody", "lab")
    with pytest.raises(FlagRejected, match="JDK 17.0.1 does not know Java 21.*Give JDK 21 or a newer one"):
        build.compile_with("javac", "topic/Hello", old)


@pytest.mark.gate
@pytest.mark.live
@pytest.mark.parametrize("compiler", ["javac", "ecj"])
def test_todays_java_compiles_in_the_language_of_its_jdk(sample, compiler, tmp_path):
    (own := tmp_path / "Own.java").write_text(RECORD)
    program = build.compile_with(compiler, str(own), jdks.get(25))
    assert (program.classes / "Own.class").read_bytes()[6:8] == (44 + 25).to_bytes(2, "big")
    assert "invokedynamic" in program.javap()


@pytest.mark.gate
@pytest.mark.live
def test_a_preview_is_refused_with_the_flag_that_allows_it(sample, tmp_path):
    (own := tmp_path / "Own.java").write_text("class Own { boolean small(Object x) { return x instanceof int i; } }")
    with pytest.raises(CompileFailed, match="Give the flag --enable-preview"):
        build.compile_with("javac", str(own), jdks.get(25))
    build.compile_with("javac", str(own), jdks.get(25), flags=["--enable-preview"])
