"""A document's links hold in the book: inside it as they are, out of it to the repository."""

from safepointlab.site import documents

FILES = {"docs/architecture.md", "docs/decisions/README.md", "docs/hang.png", "notebooks/02-when.ipynb"}


def settled(text, repository=""):
    return documents.inside(text, "docs/decisions/0001.md", FILES, repository)


def test_a_link_to_another_file_of_the_book_stays():
    text = "[how](../architecture.md#seams), [02](../../notebooks/02-when.ipynb), ![it hangs](../hang.png)"
    assert settled(text) == text


def test_a_link_out_of_the_book_becomes_words_or_leads_to_the_repository():
    text = "see [jars.py](../../safepointlab/jdks/jars.py)"
    assert settled(text) == "see jars.py"
    address = "https://github.com/someone/lab/blob/HEAD/safepointlab/jdks/jars.py"
    assert settled(text, "someone/lab") == f"see [jars.py]({address})"


def test_links_to_the_web_and_within_the_page_are_left_alone():
    text = "[JEP 376](https://openjdk.org/jeps/376), [below](#considered)"
    assert settled(text, "someone/lab") == text


def test_the_documents_come_with_their_pictures_and_the_decisions_last(project, tmp_path):
    (project / "docs" / "architecture.svg").write_text("<svg/>")
    (project / "docs" / "decisions" / "0001-a.md").write_text("# 0001: A")
    assert documents.copied(project, tmp_path / "book") == ["docs/architecture.md", "docs/decisions/0001-a.md"]
    assert (tmp_path / "book" / "docs" / "architecture.svg").exists()


def test_the_page_above_them_has_the_decisions_under_their_own_caption():
    above, decisions = documents.index(["docs/architecture.md", "docs/decisions/0001-a.md"]).split(
        ":caption: Decisions"
    )
    assert "/docs/architecture\n" in above and "/docs/decisions/0001-a\n" in decisions
