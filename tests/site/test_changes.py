"""The page of what changed after JDK 25 holds what its JDKs said, and those at hand still say so."""

import changes
import pytest

from safepointlab import jdks
from safepointlab.claims import links
from safepointlab.process.home import PROJECT
from safepointlab.site.reference import flags

FACTS = flags.read(changes.FILE)


def test_the_page_is_made_of_the_committed_answers():
    assert changes.PAGE.read_text("utf-8") == changes.page(FACTS), "run: make readme"
    assert list(FACTS.flags) == list(changes.ROWS), "run: make flags"
    assert 10 <= len(changes.ROWS) <= 25


@pytest.mark.each("what", changes.ROWS)
def test_a_row_has_an_answer_of_each_jdk_a_difference_a_source_and_pages_that_exist(what):
    row, said = changes.ROWS[what], FACTS.flags[what]
    assert set(said) == set(map(str, FACTS.jdks)), "run: make flags"
    assert len(set(said.values())) > 1, "it is the same on all of them: leave the row out"
    assert links.names(row["by"]) or row["by"].startswith("https://")
    assert all(len([*(PROJECT / "notebooks").glob(f"{page}-*.ipynb")]) == 1 for page in row["pages"])


def test_a_cell_says_whether_it_is_as_before_and_a_jdk_that_was_not_asked_says_so():
    row = {"what": "The default", "so": "It matters.", "find": r"(\w+)", "by": "JEP 523", "pages": ["02"]}
    facts = flags.Facts(dict.fromkeys((25, 26, 27, 28), ""), {}, {"The default": {"25": "a", "26": "a", "27": "b"}})
    first, *answers, by, pages = changes.cells(row, facts)
    assert first == "The default. It matters." and answers == ["`a`", "=", "`b`", flags.NOT_RECORDED]
    assert by == "[JEP 523](https://openjdk.org/jeps/523)" and pages.startswith("[02](../notebooks/02-")


@pytest.mark.nightly
@pytest.mark.each("what", changes.ROWS)
def test_the_jdks_at_hand_say_what_the_page_says(what):
    for jdk in jdks.find():
        if jdk.major in FACTS.jdks:
            page, today = FACTS.flags[what][str(jdk.major)], changes.answer(changes.ROWS[what], jdk)
            assert today == page, f"JDK {jdk.version} says {today!r}, the page {page!r}. To ask again: make flags"
