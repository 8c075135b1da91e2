"""A document's links hold in the book: inside it as they are, out of it to the repository."""

import pytest

from safepointlab.site import documents

FILES = {"docs/architecture.md", "docs/decisions/README.md", "docs/hang.png", "notebooks/02-when.ipynb"}
OUT = "https://github.com/someone/lab/blob/HEAD/safepointlab/jars.py"


@pytest.mark.each(
    ("text", "without", "with_repository"),
    [
        ("[how](../architecture.md#seams), ![it hangs](../hang.png)", None, None),
        ("[JEP 376](https://openjdk.org/jeps/376), [below](#considered)", None, None),
        ("see [jars.py](../../safepointlab/jars.py)", "see jars.py", f"see [jars.py]({OUT})"),
    ],
)
def test_a_link_out_of_the_book_becomes_words_or_leads_to_the_repository_and_others_stay(
    text, without, with_repository
):
    for repository, expected in {"": without, "someone/lab": with_repository}.items():
        assert documents.settle_links(text, "docs/decisions/0001.md", FILES, repository) == (expected or text)


def test_the_documents_come_with_their_pictures_and_the_decisions_under_a_caption_of_their_own(project, tmp_path):
    (project / "docs" / "architecture.svg").write_text("<svg/>")
    (project / "docs" / "decisions" / "0001-a.md").write_text("# 0001: A")
    documents.write(project, tmp_path / "book", "")
    assert (tmp_path / "book" / "docs" / "architecture.svg").exists()
    above, decisions = (tmp_path / "book" / "docs" / "index.md").read_text().split(":caption: Decisions")
    assert "/docs/architecture\n" in above and "/docs/decisions/0001-a\n" in decisions
