"""course/glossary.toml and the notebooks' new words -> the glossary's page, with an anchor for each word."""

from collections.abc import Mapping
from pathlib import Path

from safepointlab.course import glossary
from safepointlab.errors import BadInput
from safepointlab.site import markup
from safepointlab.site.reference import course
from safepointlab.site.reference.course import Page

HEAD = """# Glossary

One meaning a word, the same on every page. Below each meaning: the page that explains the word first, the other pages
that list it among their new words, and where HotSpot's people describe it. The address of a word ends in `#term-` and
the word.

"""


def write(folder: Path, pages: Mapping[str, Page]) -> None:
    teaching, entries = teaching_pages(pages), []
    for word in glossary.entries().values():
        also = f" Also called: {', '.join(map(markup.plain, word.also))}." if word.also else ""
        names = dict.fromkeys([word.page, *teaching.get(word.word, [])])
        shown = course.links([pages[name] for name in names if name in pages], "../")
        more = "".join(f" · [{markup.plain(name)}]({to})" for name, to in word.links[1:])
        entries.append(f"{word.word}\n  {markup.prose(word.means)}{also}\n\n  {shown}{more}\n")
    markup.save(folder, "glossary.md", f"{HEAD}```{{glossary}}\n" + "\n".join(entries) + "\n```\n")


def teaching_pages(pages: Mapping[str, Page]) -> dict[str, list[str]]:
    """The notebooks by the word that they list as new; by the glossary's name of it, whatever name they use."""
    found: dict[str, list[str]] = {}
    for page in pages.values():
        for name in page.words:
            try:
                word = glossary.find(name).word
            except BadInput:
                continue
            found.setdefault(word, []).append(page.name)
    return found
