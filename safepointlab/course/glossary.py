"""glossary.toml -> the meaning of each word that the pages teach, one for all of them, with links to where it stands.

    lab.words("safepoint", "poll")

The file comes with the package, so that a page, a test and a static site read the same words from an installed wheel.
"""

import difflib
import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path

from safepointlab.claims import links
from safepointlab.errors import BadInput
from safepointlab.html import inline

FILE = Path(__file__).with_name("glossary.toml")
SITES = {
    "https://openjdk.org/groups/hotspot/docs/HotSpotGlossary.html": "HotSpot's glossary",
    "https://openjdk.org/groups/hotspot/docs/Serviceability.html": "HotSpot's serviceability",
    "https://wiki.openjdk.org/display/HotSpot/Synchronization": "HotSpot's locks",
    "https://github.com/HdrHistogram/HdrHistogram": "HdrHistogram",
    "https://github.com/async-profiler/async-profiler": "async-profiler",
    "https://github.com/eclipse-jdt/eclipse.jdt.core": "Eclipse's compiler",
    "https://github.com/openjdk/jmh": "JMH",
    "https://travisdowns.github.io/blog/2019/08/20/interrupts.html": "Where Do Interrupts Happen?",
    "https://www.brendangregg.com/flamegraphs.html": "Flame graphs",
}


@dataclass(frozen=True)
class Word:
    """One entry: its meaning, the notebook that explains it first, where else it is described, and its other names."""

    word: str
    means: str
    page: str
    see: tuple[str, ...] = ()
    also: tuple[str, ...] = ()

    @property
    def pattern(self) -> "re.Pattern[str]":
        """Matches the word, or one of its other names, as a word of a text."""
        names = "|".join(map(re.escape, (self.word, *self.also)))
        return re.compile(rf"(?<![\w-])(?:{names})s?(?![\w-])", re.IGNORECASE)

    @property
    def links(self) -> list[tuple[str, str]]:
        """Name and address of each link, the page first; its address is relative to the other notebooks."""
        others = ((SITES[name], name) if name in SITES else (name, links.url(name)) for name in self.see)
        return [(self.page, f"{self.page}.ipynb"), *others]


@cache
def entries() -> dict[str, Word]:
    """Every word of the glossary, in its order."""
    return {
        word: Word(word, each["means"], each["page"], tuple(each.get("see", ())), tuple(each.get("also", ())))
        for word, each in tomllib.loads(FILE.read_text("utf-8")).items()
    }


def find(name: str) -> Word:
    """The entry of a word, by any of its names, in any case, in the singular or the plural.

    Raises:
        BadInput: the glossary lacks it; the message has the words that look like it.
    """
    known = {own.lower(): entry for entry in entries().values() for own in (entry.word, *entry.also)}
    asked = name.strip().lower()
    entry = known.get(asked) or known.get(asked.removesuffix("s"))
    if entry is None:
        close = ", ".join(known[each].word for each in difflib.get_close_matches(asked, known, 3, 0.6)) or "nothing"
        raise BadInput(f"the glossary has no {name!r}. It has like it: {close}. All of it: lab.words()")
    return entry


class Words:
    """Some entries of the glossary, which show themselves as a list of words and meanings."""

    def __init__(self, chosen: Iterable[Word]) -> None:
        self.chosen = tuple(dict.fromkeys(chosen))

    def __repr__(self) -> str:
        return "\n".join(f"{entry.word}: {entry.means}" for entry in self.chosen)

    def _repr_html_(self) -> str:
        items = ""
        for entry in self.chosen:
            more = " · ".join(links.anchor(escape(name), to) for name, to in entry.links)
            items += f"<dt><b>{escape(entry.word)}</b></dt><dd>{inline(entry.means)} <small>{more}</small></dd>"
        return f"<dl>{items}</dl>"


def words(*names: str) -> Words:
    """The meanings of these words, as every page gives them; without names, the whole glossary.

    Raises:
        BadInput: the glossary lacks one of them.
    """
    return Words(map(find, names) if names else entries().values())


def new_words(page: str) -> list[str]:
    """The words that a page teaches: those of its `lab.words("...")`, or the emphasised ones after "New words".

    >>> new_words("**New words**: *poll*, *thin* and *fat* lock.")
    ['poll', 'thin', 'fat']
    >>> new_words("**New words**, each with its meaning: lab.words('poll', 'strip')")
    ['poll', 'strip']
    """
    calls = " ".join(re.findall(r"\blab\.words\(([^)]*)\)", page))
    _, _, after = page.partition("**New words**")
    return re.findall(r"""["']([^"']+)["']""", calls) or re.findall(r"\*([^*\n]+)\*", after.partition("\n\n")[0])
