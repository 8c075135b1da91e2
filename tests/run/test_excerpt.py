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


def test_a_block_ends_at_its_closing_brace_and_has_its_comments_only_if_asked_for():
    assert [number for number, _ in excerpt("Hello", "static int twice").lines] == [4, 5, 6]
    assert [number for number, _ in excerpt("Hello", "class Hello").lines] == [2, 4, 5, 6, 7, 8]
    assert [number for number, _ in excerpt("Hello", comments=True).lines] == [*range(1, 9)]


def test_a_marked_line_carries_an_arrow_and_the_caption_can_be_left_out():
    html = excerpt("Hello", "twice", mark="return")._repr_html_()
    assert html.count("◀") == 1 and "2 * n" in html and "Hello.java" in html
    assert "Hello" not in excerpt("Hello", "twice", caption=False)._repr_html_()


def test_a_place_that_is_not_there_is_a_clear_error_and_a_benchmark_is_found():
    with pytest.raises(SampleNotFound, match="no line of topic/Hello matches 'nonesuch'"):
        excerpt("Hello", "nonesuch")
    assert excerpt("osr/AddOne", "int\\[\\] addOne").name == "osr/AddOne"
