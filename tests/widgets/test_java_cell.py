"""Java source of a cell: which class starts, what the file is called, and line numbers as in the cell."""

import pytest

from safepointlab.errors import BadInput
from safepointlab.widgets import java_cell

MAIN = "public static void main(String[] args) {}"


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("SAFEPOINTLAB_CACHE", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(
    ("cell", "name"),
    [
        (f"class A {{ {MAIN} }}", "A"),
        (f"class A {{}} class B {{ {MAIN} }}", "B"),
        (f"class A {{ {MAIN} }} public class B {{ {MAIN} }}", "B"),
        (f"package a.b;\nimport java.util.*;\npublic final class C {{ class D {{}} {MAIN} }}", "C"),
        (f'class A {{ String s = "}} class X {{"; /* class Y {{ */ {MAIN} }}', "A"),
        ("interface I { static public void main(String... args) {} }", "I"),
        (f"class A {{ void main() {{}} }} class B {{ {MAIN} }}", "B"),
        ("class A { void main() { } }", "A"),
        ("void main() { new A(); } class A { }", "Main"),
    ],
)
def test_the_public_class_with_a_main_starts_else_the_first_one_with_a_main(cell, name):
    assert java_cell.main_name(cell) == name


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ("int x = 1;", r"no class in the cell\. Write: public class Main"),
        ("class A { int main; }", r"no class of the cell \(A\) has a main"),
        (f"public class A {{}} class B {{ {MAIN} }}", r"main is in B, but A is public"),
        ("", r"no class in the cell"),
    ],
)
def test_a_cell_without_a_class_to_start_is_told_why(cell, words):
    with pytest.raises(BadInput, match=words):
        java_cell.main_name(cell)


def test_a_class_may_be_said_and_one_that_is_not_there_is_told_with_those_that_are():
    assert java_cell.main_name(f"class A {{ {MAIN} }} class B {{ {MAIN} }}", "B") == "B"
    with pytest.raises(BadInput, match=r"--main B: .* Those of the cell: A\."):
        java_cell.main_name(f"class A {{ {MAIN} }}", "B")


def test_lines_of_the_file_are_those_of_the_cell_with_its_magic_line_and_another_text_has_another_file():
    cells = [f"class A {{ {MAIN} }}", f"class A {{ {MAIN} }}", f"class A {{ {MAIN} int i; }}"]
    first, again, other = map(java_cell.write, cells)
    assert first.name == "A.java" and first.read_text().splitlines()[1].startswith("class A")
    assert first == again != other
