"""The reference as a whole: it has every word, sample and public name of the lab, and its links lead somewhere."""

import re
from pathlib import Path
from types import ModuleType

import pytest

import safepointlab as lab
from safepointlab import logs, plot
from safepointlab.course import glossary
from safepointlab.process.home import PROJECT
from safepointlab.run import benchmarks, build, head
from safepointlab.site import markup, reference
from safepointlab.site.reference import course
from safepointlab.site.reference import glossary as glossary_page


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("book") / "reference"
    names = reference.write(folder)
    assert names == ["then-and-now", "glossary", "flags", "samples", "api"]
    return folder


def test_every_page_is_in_a_table_of_contents(book):
    listed = {
        name
        for file in book.rglob("*.md")
        for name in re.findall(r"<?/reference/([\w./-]+)>?$", file.read_text(), re.M)
    }
    made = {str(file.relative_to(book).with_suffix("")) for file in book.rglob("*.md")}
    assert made - listed == {"then-and-now", "glossary", "flags", "samples", "api"} and listed <= made


def test_every_link_between_its_pages_to_a_notebook_and_to_a_document_leads_somewhere(book):
    targets = {
        file: re.findall(r'(?:\]\(|href=")(?!https?:|#)([\w./-]+?)[)#"]', file.read_text())
        for file in book.rglob("*.md")
    }
    lost = [(str(file), to) for file, links in targets.items() for to in links if not _leads(file, to, book)]
    assert lost == []


def _leads(page: Path, to: str, book: Path) -> bool:
    place = (page.parent / to).resolve()
    if place.parent.name == "notebooks":
        return (PROJECT / "notebooks" / f"{place.stem}.ipynb").exists()
    if place.parent == book.parent / "docs":
        return (PROJECT / "docs" / place.name).exists()
    return place.with_suffix(".md").exists() and place.is_relative_to(book)


def test_each_word_has_its_entry_with_the_pages_that_introduce_it(book):
    text = (book / "glossary.md").read_text()
    lines = text.splitlines()
    assert [word for word in glossary.entries() if word not in lines] == []
    assert "notebooks/01-what-is-a-safepoint.ipynb" in text.partition("\nC1\n")[2].partition("\nC2\n")[0]


def test_a_word_lists_every_page_that_teaches_it_by_any_of_its_names():
    pages = {name: course.Page(name, "Why?", "", "", (word,)) for name, word in (("a", "polls"), ("b", "poll"))}
    assert glossary_page.teaching_pages(pages) == {"poll": ["a", "b"]}


def test_each_sample_has_a_page_with_its_question_and_its_text(book):
    for source in (*build.sample_files(), *benchmarks.sources()):
        one, text = head.read(source), source.read_text("utf-8")
        page = (book / f"samples/{one.name}.md").read_text()
        assert text.rstrip() in page and markup.prose(" ".join(one.parts["QUESTION"])) in page


def test_the_api_has_each_public_name_each_picture_and_each_reader(book):
    text = "".join(file.read_text() for file in (book / "api").glob("*.md"))
    names = [f"safepointlab.{name}" for name in lab.__all__ if not isinstance(getattr(lab, name), ModuleType)]
    names += [f"safepointlab.plot.{name}" for name in plot.names()]
    names += [module.__name__ for module in logs.kinds().values()]
    assert [name for name in names if f":: {name}\n" not in text] == []


def test_a_listing_that_holds_a_fence_is_not_ended_by_it():
    assert markup.code("```\nx\n```", "text").startswith("````{code-block} text\n")
