"""session/glossary.toml and the notebooks' new words -> the glossary's page, with an anchor for each word."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from safepointlab.course import glossary
from safepointlab.course.glossary import Word
from safepointlab.errors import BadInput
from safepointlab.site.reference import course, markup
from safepointlab.site.reference.course import Page

HEAD = """# Glossary

One meaning a word, the same on every page. Below each meaning: the page that explains the word first, the other pages
that list it among their new words, and where HotSpot's people describe it. The address of a word ends in `#term-` and
the word.

"""


def write(folder: Path, pages: Mapping[str, Page]) -> None:
    """Write the page."""
    markup.save(folder, "glossary.md", page(glossary.entries().values(), pages))


def page(words: Iterable[Word], pages: Mapping[str, Page]) -> str:
    """The page in MyST Markdown; Sphinx's own glossary makes the anchors, and its search finds the words."""
    teaching = taught(pages)
    entries = "\n".join(_entry(word, teaching, pages) for word in words)
    return f"{HEAD}```{{glossary}}\n{entries}\n```\n"


def taught(pages: Mapping[str, Page]) -> dict[str, list[str]]:
    """The notebooks by the word that they list as new; by the glossary's name of it, whatever name they use."""
    found: dict[str, list[str]] = {}
    for page in pages.values():
        for name in page.words:
            found.setdefault(_known(name), []).append(page.name)
    return found


def _known(name: str) -> str:
    try:
        return glossary.find(name).word
    except BadInput:
        return name


def _entry(word: Word, teaching: Mapping[str, list[str]], pages: Mapping[str, Page]) -> str:
    also = f" Also called: {', '.join(map(markup.plain, word.also))}." if word.also else ""
    names = dict.fromkeys([word.page, *teaching.get(word.word, [])])
    shown = course.links([pages[name] for name in names if name in pages], "../")
    more = "".join(f" · [{markup.plain(name)}]({to})" for name, to in word.links[1:])
    return f"{word.word}\n  {markup.prose(word.means)}{also}\n\n  {shown}{more}\n"
