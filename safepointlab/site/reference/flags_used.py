"""Notebooks, topics and samples -> the JVM flags of the course, each with the pages and the samples that use it.

"-XX:+UseSerialGC", gc="Serial"  ->  UseSerialGC          "-Xmx64m"  ->  -Xmx
"""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from safepointlab.jdks.flags import COLLECTORS
from safepointlab.run import benchmarks, build, head
from safepointlab.run.head import Head
from safepointlab.site.reference import course
from safepointlab.site.reference.course import Page

XX = re.compile(r"-XX:[+-]?([A-Za-z]\w+)")
PLAIN = re.compile(r"(?<![\w-])-X(int|comp|mixed|batch|log|loggc|mx|ms|mn|ss|rs|noclassgc|share|check:jni)(?![a-z])")
COLLECTOR = re.compile(r"""\bgc=(\[[^\]]*\]|\([^)]*\)|["']\w+["'])""")


@dataclass
class Use:
    """Where one flag is used: notebooks by name, samples as "hang/KillerTask"."""

    pages: dict[str, None] = field(default_factory=dict)
    samples: dict[str, None] = field(default_factory=dict)


def names(text: str) -> list[str]:
    """The flags in a text, each once: -XX flags by their bare name, others with their -X.

    >>> names('lab.java("hang/X", gc="Serial", flags="-XX:LoopStripMiningIter=0 -Xmx64m -Xlog:safepoint*")')
    ['LoopStripMiningIter', '-Xmx', '-Xlog', 'UseSerialGC']
    """
    gcs = re.findall(r"\w+", " ".join(COLLECTOR.findall(text)))
    chosen = (flag for name in gcs for flag in COLLECTORS.get(name, []))
    plain = (f"-X{name}" for name in PLAIN.findall(text))
    return list(dict.fromkeys([*XX.findall(text), *plain, *(found for flag in chosen for found in XX.findall(flag))]))


def collect(project: Path, pages: Mapping[str, Page]) -> dict[str, Use]:
    """All flags of the course, in alphabetical order."""
    heads = [head.read(source) for source in (*build.sample_files(), *benchmarks.sources())]
    return used(pages, topics(project / "safepointlab" / "course"), heads)


def used(pages: Mapping[str, Page], topics: Mapping[str, str], heads: Iterable[Head]) -> dict[str, Use]:
    """The flags with their uses.

    Args:
        topics: a topic's name -> the text of its experiments; its flags are used by the notebooks of that topic.
        heads: of the samples; the flags of a RUN line are used by the sample.
    """
    found: dict[str, Use] = {}
    for page in pages.values():
        for name in names(f"{page.code}\n{topics.get(page.topic, '')}"):
            found.setdefault(name, Use()).pages[page.name] = None
    for one in heads:
        for name in names("\n".join(one.parts.get("RUN", ()))):
            use = found.setdefault(name, Use())
            use.samples[one.name] = None
            use.pages |= dict.fromkeys(page.name for page in course.named_in(_notebook(one), pages))
    return dict(sorted(found.items(), key=lambda entry: entry[0].lower().lstrip("-")))


def _notebook(one: Head) -> str:
    """The notebook of a sample, without what else its line mentions."""
    return " ".join(one.parts.get("NOTEBOOK", ())).partition("(")[0]


def topics(folder: Path) -> dict[str, str]:
    """The strings in the lessons' code and quizzes, by the lesson's word; no page runs its claims."""
    texts: dict[str, list[str]] = {}
    shown = (file for file in sorted(folder.glob("nb*/*.py")) if not file.stem.startswith(("claims", "demo")))
    for file in shown:
        texts.setdefault(file.parent.name.partition("_")[2], []).extend(_strings(ast.parse(file.read_text("utf-8"))))
    for file in sorted(folder.glob("nb*/quiz.toml")):
        texts.setdefault(file.parent.name.partition("_")[2], []).append(file.read_text("utf-8"))
    return {topic: "\n".join(parts) for topic, parts in texts.items()}


def _strings(tree: ast.Module) -> Iterator[str]:
    """The strings of a module that are no docstrings, and its choices of a collector as they are written."""
    comments = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in comments:
            yield node.value
        if isinstance(node, ast.keyword) and node.arg == "gc":
            yield f"gc={ast.unparse(node.value)}"
