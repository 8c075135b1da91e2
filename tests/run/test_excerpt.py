"""An excerpt shows the Java lines that matter, under the numbers that they have in the file."""

import pytest

from safepointlab.errors import SampleNotFound
from safepointlab.process import home
from safepointlab.run.excerpt import excerpt

SOURCE = """// header
class Hello {
    // a question
    static int twice(int n) {
        return 2 * n; // not { counted
    }
    static int other() { return 1; }
}
"""


@pytest.fixture(autouse=True)
def sample(tmp_path, monkeypatch):
    monkeypatch.setattr(home, "SAMPLES", tmp_path)
    (tmp_path / "topic").mkdir()
    (tmp_path / "topic" / "Hello.java").write_text(SOURCE)


def test_a_block_ends_at_its_closing_brace():
    assert [number for number, _ in excerpt("Hello", "static int twice").lines] == [4, 5, 6]


def test_comments_are_left_out_unless_asked_for():
    assert 3 not in [number for number, _ in excerpt("Hello", "class Hello").lines]
    assert 3 in [number for number, _ in excerpt("Hello", "class Hello", comments=True).lines]


def test_a_marked_line_carries_an_arrow():
    html = excerpt("Hello", "twice", mark="return")._repr_html_()
    assert html.count("◀") == 1 and "2 * n" in html


def test_a_place_that_is_not_there_is_a_clear_error():
    with pytest.raises(SampleNotFound, match="no line of topic/Hello matches 'nonesuch'"):
        excerpt("Hello", "nonesuch")


def test_a_benchmark_is_named_by_its_package_and_class():
    assert excerpt("osr/AddOne", "int\\[\\] addOne").name == "osr/AddOne"


def test_a_caption_that_would_tell_too_much_can_be_left_out():
    assert "Hello.java" in excerpt("Hello", "twice")._repr_html_()
    assert "Hello" not in excerpt("Hello", "twice", caption=False)._repr_html_()
